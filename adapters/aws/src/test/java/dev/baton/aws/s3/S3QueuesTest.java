package dev.baton.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.HostEnvironment;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Rules;
import dev.baton.queue.operation.Queues;
import dev.baton.store.StoreSpace;
import java.util.List;
import org.junit.jupiter.api.Test;

class S3QueuesTest {

  @Test
  void theQueuesBelowAPrefixAreListedAndNothingElse() throws Exception {
    try (S3Desk desk = new S3Desk()) {
      S3StoreProvider provider = new S3StoreProvider();
      HostEnvironment host = S3Desk.host(desk.environment());
      String ci = "s3://" + S3Desk.BUCKET + "/ci";
      assertThat(provider.queues(ci, host)).contains(List.of());
      for (String address : new String[] {ci + "#nightly", ci + "#build", ci + "-2#elsewhere"}) {
        String[] parts = address.split("#");
        StoreSpace space = provider.open(parts[0], parts[1], host);
        try (BuildQueue queue = Queues.open(space)) {
          queue.create(Rules.DEFAULT);
        }
        ((AutoCloseable) space).close();
      }
      assertThat(provider.queues(ci, host).orElseThrow()).containsExactly("build", "nightly");
    }
  }
}
