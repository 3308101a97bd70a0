package dev.baton.githubsim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * From a request to a reply, with no HTTP server in sight: finds the endpoint, the repository and
 * whether the client may. What GitHub has and the sim has not is a 501, never a 404 that a client
 * could take for the truth.
 */
final class Api {
  private static final Pattern BY_NAME = Pattern.compile("/repos/([^/]+)/([^/]+)(/.*)?");
  private static final Pattern BY_ID = Pattern.compile("/repositories/([0-9]+)(/.*)?");

  private final Repositories repositories;
  private final Bodies bodies;
  private final Replies replies;
  private final GraphQl graphQl;
  private final List<Route> routes = new ArrayList<>();

  Api(Repositories repositories, Bodies bodies) {
    this.repositories = repositories;
    this.bodies = bodies;
    this.replies = new Replies(bodies);
    this.graphQl = new GraphQl(repositories, bodies);
    routes.addAll(new ContentsEndpoints(bodies, replies).routes());
    routes.addAll(new GitEndpoints(bodies, replies).routes());
    routes.addAll(new IssueEndpoints(bodies, replies).routes());
    routes.addAll(new ReactionEndpoints(bodies, replies).routes());
    routes.addAll(new CollaboratorEndpoints(bodies).routes());
    routes.addAll(new ActionsEndpoints(bodies, replies).routes());
  }

  /** Where a request leads: a repository by name or number, and what is wanted of it. */
  private record Place(Optional<RepositoryName> name, Optional<String> id, String rest) {
    static Optional<Place> of(String path) {
      Matcher named = BY_NAME.matcher(path);
      if (named.matches()) {
        return Optional.of(
            new Place(
                name(named.group(1), named.group(2)), Optional.empty(), rest(named.group(3))));
      }
      Matcher numbered = BY_ID.matcher(path);
      return numbered.matches()
          ? Optional.of(
              new Place(Optional.empty(), Optional.of(numbered.group(1)), rest(numbered.group(2))))
          : Optional.empty();
    }

    private static String rest(String text) {
      return text == null ? "" : text;
    }

    private static Optional<RepositoryName> name(String owner, String repo) {
      try {
        return Optional.of(new RepositoryName(owner, repo));
      } catch (IllegalArgumentException e) {
        // A name that GitHub cannot have is one more repository that is not there.
        return Optional.empty();
      }
    }
  }

  /**
   * @param asOf the moment of the copy that a read is answered from; writes see the present
   */
  Reply handle(SimRequest request, Optional<Token> token, Instant asOf) {
    if (request.path().equals(GraphQl.PATH) && request.method().equals("POST")) {
      return graphQl.handle(request, token, asOf);
    }
    Optional<Place> place = Place.of(request.path());
    if (place.isPresent()) {
      for (Route route : routes) {
        Matcher matcher = route.path().matcher(place.get().rest());
        if (route.takes(request.method()) && matcher.matches()) {
          return handle(route, place.get(), matcher, request, token, asOf);
        }
      }
    }
    return notImplemented(request, "");
  }

  private Reply handle(
      Route route,
      Place place,
      Matcher matcher,
      SimRequest request,
      Optional<Token> token,
      Instant asOf) {
    Optional<String> media = RawBody.special(request);
    if (media.isPresent() && !(route.raw() && media.get().equals("raw"))) {
      return notImplemented(request, " as " + media.get());
    }
    String doc = route.documentation();
    Optional<Repository> former = place.name().flatMap(repositories::renamed);
    if (former.isPresent() && Access.check(token, former.get(), Grant.METADATA_READ).isEmpty()) {
      return moved(request, former.get(), place.rest());
    }
    Optional<Repository> repository =
        place.name().flatMap(repositories::find).or(() -> place.id().flatMap(repositories::byId));
    if (repository.isEmpty()) {
      return replies.refusal(404, "Not Found", doc);
    }
    Optional<Access.Denial> denial = Access.check(token, repository.get(), route.needed());
    if (denial.isPresent()) {
      Reply reply = replies.refusal(denial.get().status(), denial.get().message(), doc);
      for (Map.Entry<String, String> header : denial.get().headers().entrySet()) {
        reply = reply.with(header.getKey(), header.getValue());
      }
      return reply;
    }
    if (place.rest().startsWith("/issues") && !repository.get().hasIssues()) {
      return replies.refusal(410, "Issues are disabled for this repo", doc);
    }
    Reply reply =
        route.handler().handle(new Call(request, matcher, repository.get(), token, asOf, doc));
    return reply.status() == 404 && reply.body().isEmpty()
        ? replies.refusal(404, "Not Found", doc)
        : reply;
  }

  /** A repository that was renamed is still found, at the address that never changes. */
  private Reply moved(SimRequest request, Repository repository, String rest) {
    List<String> query = new ArrayList<>();
    request
        .query()
        .forEach((name, value) -> query.add(Bodies.encode(name) + "=" + Bodies.encode(value)));
    String url =
        bodies.byId(repository) + rest + (query.isEmpty() ? "" : "?" + String.join("&", query));
    return Reply.moved(
        request.read() ? 301 : 307,
        url,
        "/guides/best-practices-for-using-the-rest-api#follow-redirects");
  }

  private static Reply notImplemented(SimRequest request, String how) {
    return Reply.of(
        501,
        Bodies.object(
            "message",
            "github-sim does not implement " + request.method() + " " + request.path() + how + ".",
            "status",
            "501"));
  }
}
