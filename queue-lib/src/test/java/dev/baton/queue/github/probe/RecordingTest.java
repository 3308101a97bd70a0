package dev.baton.queue.github.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.json.PlainJson;
import dev.baton.core.probe.ProbeExchange;
import dev.baton.core.probe.Recording;
import dev.baton.core.probe.Transport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is recorded of a probe can be sent to somebody else. */
class RecordingTest {
  private static final String PLANTED = "Pl4ntedSecret";

  /** Whatever somebody could put somewhere comes back in headers, and in bodies beside the rest. */
  private static Transport talkative(Transport transport) {
    return request -> {
      Transport.Answer answer = transport.send(request);
      Map<String, List<String>> headers = new HashMap<>(answer.headers());
      headers.put("Set-Cookie", List.of("logged_in=" + PLANTED));
      headers.put("X-GitHub-Request-Id", List.of(PLANTED));
      headers.put("X-New-Header", List.of(PLANTED));
      headers.put("X-GitHub-SSO", List.of("required; url=https://github.com/orgs/" + PLANTED));
      String body = answer.body();
      if (body.startsWith("{")) {
        body =
            "{\"new_member\":\""
                + PLANTED
                + "\",\"owner\":{\"login\":\""
                + PLANTED
                + "\",\"id\":7701234,\"node_id\":\""
                + PLANTED
                + "\"},\"note\":\"write to "
                + PLANTED
                + "@example.org\""
                + (body.equals("{}") ? "" : ",")
                + body.substring(1).replace("\"owner\"", "\"owner_\"");
      }
      return new Transport.Answer(answer.status(), headers, body);
    };
  }

  @Test
  void nothingThatIsSomebodysIsInIt() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      desk.repository.openIssue("Title " + PLANTED, "Body " + PLANTED, "ann");
      desk.put(PLANTED + ".txt", "main");
      List<ProbeExchange> exchanges = new ArrayList<>();
      desk.probe(talkative(desk.transport())).run(exchanges::add);
      assertThat(exchanges).hasSizeGreaterThan(30);
      Recording recording = desk.probe(desk.transport()).plan().recording();
      StringBuilder all = new StringBuilder();
      for (ProbeExchange exchange : exchanges) {
        all.append(Recording.fileName(exchange)).append(' ');
        all.append(PlainJson.text(recording.of(exchange, "baton probe test"))).append('\n');
      }
      assertThat(all.toString())
          .doesNotContain(ProbeDesk.SECRET)
          .doesNotContain(PLANTED)
          .doesNotContain("7701234")
          .doesNotContain("octo")
          .doesNotContain("\"id\":3")
          .doesNotContain(Long.toString(desk.run.id()))
          .doesNotContain("127.0.0.1")
          .doesNotContain("Bearer")
          .doesNotContainPattern("\\bann\\b")
          .doesNotContainPattern("[a-z]@[a-z]");
      // And what it is for is there.
      assertThat(all.toString())
          .contains("409", "does not match", "wasn't supplied", "Reference already exists")
          .contains("UNPROCESSABLE", "but expected")
          .contains("x-ratelimit-remaining", "If-None-Match", "etag")
          .contains("refs/heads/baton/probe-", "/repos/OWNER/REPO/git/refs", "/runs/RUN/jobs");
    }
  }

  /** A server, or something before it, that sends back what it was sent. */
  @Test
  void anEchoOfTheTokenIsNotPassedOn() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      desk.repository.openIssue("Title", "my token is " + ProbeDesk.SECRET, "ann");
      Transport.Answer answer =
          desk.transport()
              .send(new Transport.Request("GET", "/repos/octo/app/issues/1", Map.of(), ""));
      assertThat(answer.body()).contains("my token is ***").doesNotContain(ProbeDesk.SECRET);
    }
  }

  @Test
  void filesAreNamedByWhatIsInThem() {
    ProbeExchange exchange =
        new ProbeExchange(
            7,
            "write a file, refused",
            new Transport.Request("PUT", "/x", Map.of(), ""),
            new Transport.Answer(409, Map.of(), ""));
    assertThat(Recording.fileName(exchange)).isEqualTo("07-PUT-write-a-file-refused-409.json");
  }
}
