package dev.baton.aws.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.aws.DocumentedPolicy;
import dev.baton.core.SystemWorld;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.testing.service.Call;
import dev.baton.vm.VmName;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The policy in the guide has what states of VMs in S3 ask for, and nothing else. */
class VmPermissionsTest {
  private static final Map<String, String> NAMES =
      Map.of(
          "HeadObject", "GetObject",
          "ListObjectsV2", "ListBucket",
          "GetBucketLifecycleConfiguration", "GetLifecycleConfiguration",
          "PutBucketLifecycleConfiguration", "PutLifecycleConfiguration");

  @Test
  void theLeastPermissionsAreThoseInTheGuide() throws Exception {
    try (VmDesk desk = new VmDesk(false)) {
      S3VmSpace space = desk.open(desk.newPlace(), new SystemWorld());
      VmName name = VmName.DEFAULT;
      space.id();
      VersionedStore journal = space.journal(name);
      journal.write(Version.ABSENT, "{}", "test");
      journal.read();
      space.put(name, "state.json", "{}");
      space.put(name, "history/2026-02-24-10-00-00.json", "{}");
      space.get(name, "state.json");
      space.list(name, "history");
      space.names();
      space.now();
      space.historyKept();
      space.remove(name, "history/2026-02-24-10-00-00.json");
      Set<String> used = new TreeSet<>();
      desk.s3.s3.log().forEach(call -> add(used, call));

      assertThat(DocumentedPolicy.actions("VMs in S3")).isEqualTo(used);
    }
  }

  private static void add(Set<String> used, Call call) {
    used.add("s3:" + NAMES.getOrDefault(call.kind(), call.kind()));
    if (!call.header("x-amz-tagging").isEmpty()) {
      used.add("s3:PutObjectTagging");
    }
  }
}
