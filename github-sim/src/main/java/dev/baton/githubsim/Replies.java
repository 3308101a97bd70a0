package dev.baton.githubsim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The shapes that answers of many endpoints have in common. */
final class Replies {
  private static final int MAX_PAGE = 100;
  private static final int PAGE = 30;

  private final Bodies bodies;

  Replies(Bodies bodies) {
    this.bodies = bodies;
  }

  Reply refusal(int status, String message, String documentation) {
    return Reply.of(status, bodies.error(status, message, List.of(), documentation));
  }

  Reply refusal(Call call, int status, String message) {
    return refusal(status, message, call.documentation());
  }

  Reply invalid(Call call, Map<String, Object> error) {
    return Reply.of(
        422, bodies.error(422, "Validation Failed", List.of(error), call.documentation()));
  }

  <T> Reply of(Call call, Outcome<T> outcome, Function<T, Object> body) {
    if (outcome instanceof Outcome.Refused<T> refused) {
      return Reply.of(
          refused.status(),
          bodies.error(
              refused.status(), refused.message(), refused.errors(), call.documentation()));
    }
    Outcome.Done<T> done = (Outcome.Done<T>) outcome;
    return Reply.of(done.status(), body.apply(done.value()));
  }

  /** The same for something that was made: the answer says where it is. */
  <T> Reply made(
      Call call, Outcome<T> outcome, Function<T, Object> body, Function<T, String> address) {
    Reply reply = of(call, outcome, body);
    return outcome instanceof Outcome.Done<T> done
        ? reply.with("Location", address.apply(done.value()))
        : reply;
  }

  /** The same where there is nothing to say. */
  <T> Reply silent(Call call, Outcome<T> outcome) {
    return outcome instanceof Outcome.Done<T> done
        ? Reply.empty(done.status())
        : of(call, outcome, value -> Map.of());
  }

  /**
   * @param needed names of texts that the body has to have
   */
  Reply withBody(Call call, List<String> needed, Function<Json, Reply> action) {
    Optional<Json> body = Json.parse(call.request().body());
    if (body.isEmpty()) {
      return refusal(call, 400, "Problems parsing JSON");
    }
    for (String name : needed) {
      if (body.get().text(name).isEmpty()) {
        return missing(call, name);
      }
    }
    return action.apply(body.get());
  }

  /** For endpoints that can do without a body. */
  Reply withOptionalBody(Call call, Function<Json, Reply> action) {
    if (call.request().body().isBlank()) {
      return action.apply(Json.parse("{}").orElseThrow());
    }
    return withBody(call, List.of(), action);
  }

  Reply missing(Call call, String name) {
    return refusal(call, 422, "Invalid request.\n\n\"" + name + "\" wasn't supplied.");
  }

  // ---- pages

  <T> Reply page(Call call, List<T> all, Function<T, Object> body) {
    return page(call, all, body, shown -> shown);
  }

  <T> Reply page(
      Call call, List<T> all, Function<T, Object> body, Function<List<Object>, Object> around) {
    int size = Math.min(MAX_PAGE, number(call, "per_page", PAGE));
    int page = number(call, "page", 1);
    List<Object> shown = all.stream().skip((long) (page - 1) * size).limit(size).map(body).toList();
    Reply reply = Reply.of(200, around.apply(shown));
    int last = Math.max(1, (all.size() + size - 1) / size);
    Map<String, Integer> links = new LinkedHashMap<>();
    if (page > 1) {
      links.put("prev", Math.min(page - 1, last));
    }
    if (page < last) {
      links.put("next", page + 1);
      links.put("last", last);
    }
    if (page > 1) {
      links.put("first", 1);
    }
    return links.isEmpty() ? reply : reply.with("Link", links(call, links));
  }

  private String links(Call call, Map<String, Integer> links) {
    List<String> all = new ArrayList<>();
    links.forEach((rel, page) -> all.add("<" + address(call, page) + ">; rel=\"" + rel + "\""));
    return String.join(", ", all);
  }

  /** Pages have the repository's number in their addresses, by whatever name it was asked for. */
  private String address(Call call, int page) {
    Map<String, String> query = new LinkedHashMap<>(call.request().query());
    query.put("page", Integer.toString(page));
    return bodies.byId(call.repository())
        + call.path().group()
        + query.entrySet().stream()
            .map(one -> Bodies.encode(one.getKey()) + "=" + Bodies.encode(one.getValue()))
            .collect(Collectors.joining("&", "?", ""));
  }

  private static int number(Call call, String name, int otherwise) {
    return call.parameter(name)
        .filter(text -> text.matches("[1-9][0-9]{0,5}"))
        .map(Integer::parseInt)
        .orElse(otherwise);
  }
}
