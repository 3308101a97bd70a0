package dev.baton.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.aws.s3.BucketRules.Expiry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which objects rules of a bucket delete, when the bucket carries them out. */
class BucketRulesTest {
  private static final String STATE = "stacks/user-platform/production/state.json";
  private static final String HISTORY =
      "stacks/user-platform/production/history/2024-01-15-10-30-00.json";
  private static final Map<String, String> TAG = Map.of("baton", "history");

  private final S3Desk desk = new S3Desk();
  private final List<String> endangering = new ArrayList<>();

  @BeforeEach
  void aStateAndItsHistory() throws Exception {
    put(STATE, Map.of());
    put(HISTORY, TAG);
  }

  @AfterEach
  void close() {
    desk.close();
  }

  private void put(String key, Map<String, String> tags) throws Exception {
    assertThat(
            desk.bucket()
                .put(
                    key,
                    "{}".getBytes(StandardCharsets.UTF_8),
                    new S3Bucket.Condition.Absent(),
                    tags))
        .isInstanceOf(S3Bucket.Put.Done.class);
  }

  private boolean expire(Expiry... wanted) throws Exception {
    return new BucketRules(desk.bucket()).expire(List.of(wanted), "stacks/", endangering::add);
  }

  private List<String> after(int days) {
    desk.s3.advance(Duration.ofDays(days));
    desk.s3.carryOutLifecycle(S3Desk.BUCKET);
    return desk.s3.keys(S3Desk.BUCKET);
  }

  @Test
  void byTheTagHistoryGoesAndTheStateStays() throws Exception {
    expire(new Expiry("delete-old-history", "", TAG, 90));

    assertThat(after(89)).containsExactly(HISTORY, STATE);
    assertThat(after(2)).containsExactly(STATE);
  }

  @Test
  void aPrefixWithAnAsteriskMatchesNothing() throws Exception {
    expire(new Expiry("delete-old-history", "stacks/*/*/history/", Map.of(), 90));

    assertThat(after(1000)).containsExactly(HISTORY, STATE);
  }

  @Test
  void aPrefixAloneDeletesTheStateAndIsWarnedOf() throws Exception {
    expire(new Expiry("all-of-it", "stacks/", Map.of(), 90));
    expire(new Expiry("delete-old-history", "", TAG, 90));

    assertThat(endangering).containsExactly("all-of-it");
    assertThat(after(91)).isEmpty();
  }

  @Test
  void rulesOfOthersStayAndWhatIsThereIsNotWrittenAgain() throws Exception {
    assertThat(expire(new Expiry("theirs", "logs/", Map.of(), 7))).isTrue();
    assertThat(expire(new Expiry("ours", "vms/", TAG, 30))).isTrue();
    assertThat(expire(new Expiry("ours", "vms/", TAG, 30))).isFalse();
    assertThat(expire(new Expiry("ours", "vms/", TAG, 60))).isTrue();

    String rules = desk.s3.setting(S3Desk.BUCKET, "lifecycle");
    assertThat(rules).contains("<ID>theirs</ID>").contains("<Days>60</Days>");
    assertThat(rules).doesNotContain("<Days>30</Days>");
  }
}
