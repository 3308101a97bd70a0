package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.queue.Rules;
import dev.baton.queue.operation.Queues;
import dev.baton.store.StoreException;
import java.util.List;
import org.junit.jupiter.api.Test;

class OssQueuesTest {

  private static List<String> names(Desk desk, String prefix) throws OssFailure {
    try (Bucket bucket = new Bucket(Desk.BUCKET, desk.access())) {
      return new OssQueues(new OssPlace(Desk.BUCKET, prefix), bucket).names().orElseThrow();
    }
  }

  private static void create(Desk desk, String prefix, String queue) throws Exception {
    try (OssSpace space = OssSpace.open(new OssPlace(Desk.BUCKET, prefix), queue, desk.access());
        var opened = Queues.open(space)) {
      opened.create(Rules.DEFAULT);
    }
  }

  @Test
  void theQueuesBelowAPrefixAreListedAndNothingElse() throws Exception {
    try (Desk desk = new Desk()) {
      assertThat(names(desk, "ci")).isEmpty();
      create(desk, "ci", "nightly");
      create(desk, "ci", "build");
      create(desk, "ci", "build-2");
      create(desk, "ci", "queue");
      create(desk, "other", "elsewhere");
      desk.oss.put(Desk.BUCKET, "ci/notes.txt", "hello");
      desk.oss.put(Desk.BUCKET, "ci/No Queue/queue/9999999998-1.json", "{}");
      desk.oss.put(Desk.BUCKET, "ci/folder/file", "hello");
      assertThat(names(desk, "ci"))
          .containsExactlyInAnyOrder("build", "build-2", "nightly", "queue");
      assertThat(names(desk, "")).isEmpty();
    }
  }

  @Test
  void aBucketWithManyObjectsIsLookedThroughPageByPage() throws Exception {
    try (Desk desk = new Desk()) {
      for (int i = 0; i < 1_200; i++) {
        desk.oss.put(Desk.BUCKET, "ci/a/beat-" + i + "/1.json", "{}");
        desk.oss.put(Desk.BUCKET, "ci/b/queue/" + (9_999_999_999L - i) + "-" + i + ".json", "{}");
      }
      desk.oss.put(Desk.BUCKET, "ci/a/queue/9999999998-1.json", "{}");
      desk.oss.put(Desk.BUCKET, "ci/c/queue/9999999998-1.json", "{}");
      assertThat(names(desk, "ci")).containsExactly("a", "b", "c");
    }
  }

  @Test
  void whatOssRefusesIsSaidWithThePermissionThatItNeeds() {
    try (Desk desk = new Desk()) {
      try (OssSpace space = desk.open("no-such-bucket", desk.access())) {
        assertThatThrownBy(space::queues)
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("cannot list the queues")
            .hasMessageContaining("the bucket does not exist");
      }
    }
  }
}
