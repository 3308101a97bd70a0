package dev.baton.client.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.core.BadSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InheritedLocksTest {

  private static final Place RELEASE = new Place.Directory(Path.of("/var/lib/our builds"), "rel");
  private static final Place LAB = new Place.Directory(Path.of("/var/lib/our builds"), "lab");
  private static final Place DOCS = new Place.Directory(Path.of("/var/lib/our builds"), "docs");
  private static final Inherited FIRST = new Inherited(12, 7);
  private static final Inherited SECOND = new Inherited(3, 9);

  private static InheritedLocks told(Map<String, String> environment) {
    return InheritedLocks.of(
        new Host(
            environment,
            Path.of("/work"),
            Path.of("/home/ann"),
            "Linux",
            "ann",
            () -> "hal",
            Setting::id,
            Extensions.NONE));
  }

  /** What a process finds that is started under that lock. */
  private static Map<String, String> under(Map<String, String> outer, Place place, Inherited lock) {
    Map<String, String> inner = new HashMap<>(outer);
    inner.putAll(place.environment());
    inner.putAll(told(outer).with(place, lock).environment());
    return inner;
  }

  @TempDir Path directory;

  @Test
  void aLockIsOfItsQueue() {
    InheritedLocks locks = told(under(Map.of(), RELEASE, FIRST));
    assertThat(locks.of(RELEASE)).contains(FIRST);
    assertThat(locks.of(LAB)).isEmpty();
  }

  @Test
  void aSecondLockDoesNotHideTheFirst() {
    Map<String, String> both = under(under(Map.of(), RELEASE, FIRST), LAB, SECOND);
    assertThat(told(both).of(RELEASE)).contains(FIRST);
    assertThat(told(both).of(LAB)).contains(SECOND);
    assertThat(told(both).of(DOCS)).isEmpty();
    assertThat(both)
        .as("for scripts: the one that was taken last")
        .containsEntry("BATON_TICKET", "3")
        .containsEntry("BATON_FENCING_TOKEN", "9");
    assertThat(both.get("BATON_LOCKS")).matches("[A-Za-z0-9._+%:,-]+");

    Map<String, String> back = under(both, RELEASE, FIRST);
    assertThat(back).containsEntry("BATON_TICKET", "12");
    assertThat(told(back).of(LAB)).contains(SECOND);
  }

  @Test
  void queuesMayHaveTheSameNumbers() {
    Map<String, String> both = under(under(Map.of(), RELEASE, FIRST), LAB, FIRST);
    assertThat(told(both).of(RELEASE)).contains(FIRST);
    assertThat(told(both).of(LAB)).contains(FIRST);
    assertThat(told(both).of(DOCS)).isEmpty();
  }

  @Test
  void aStepThatNamesAnotherQueueDoesNotTakeTheLockForOneOfThatQueue() {
    Map<String, String> step = new HashMap<>(under(Map.of(), RELEASE, FIRST));
    step.put("BATON_QUEUE", "lab");
    assertThat(told(step).of(LAB)).isEmpty();
    assertThat(told(step).of(RELEASE)).contains(FIRST);
  }

  @Test
  void whatWasGivenBackIsNotToldAnyMore() {
    Map<String, String> both = under(under(Map.of(), RELEASE, FIRST), LAB, SECOND);

    Map<String, String> withoutLast = new HashMap<>(both);
    withoutLast.putAll(told(both).without(LAB).environment());
    assertThat(told(withoutLast).of(LAB)).isEmpty();
    assertThat(told(withoutLast).of(RELEASE)).contains(FIRST);
    assertThat(withoutLast).containsEntry("BATON_TICKET", "");

    Map<String, String> withoutFirst = new HashMap<>(both);
    withoutFirst.putAll(told(both).without(RELEASE).environment());
    assertThat(told(withoutFirst).of(RELEASE)).isEmpty();
    assertThat(told(withoutFirst).of(LAB)).contains(SECOND);
    assertThat(withoutFirst).containsEntry("BATON_TICKET", "3");

    assertThat(told(withoutLast).without(RELEASE).environment())
        .containsOnly(
            Map.entry("BATON_TICKET", ""),
            Map.entry("BATON_FENCING_TOKEN", ""),
            Map.entry("BATON_LOCKS", ""));
  }

  @Test
  void thePairAloneIsEnough() {
    Map<String, String> pair = new HashMap<>();
    pair.put("BATON_TICKET", "12");
    pair.put("BATON_FENCING_TOKEN", "7");
    assertThat(told(pair).of(LAB)).as("it does not say of which queue").contains(FIRST);
    pair.putAll(RELEASE.environment());
    assertThat(told(pair).of(LAB)).isEmpty();
    assertThat(told(pair).of(RELEASE)).contains(FIRST);
    assertThat(told(pair).without(RELEASE).of(RELEASE)).isEmpty();
  }

  @Test
  void whoStandsInAnotherLineSinceHasTheLockAllTheSame() {
    Map<String, String> later = new HashMap<>(under(Map.of(), RELEASE, FIRST));
    later.putAll(LAB.environment());
    assertThat(told(later).of(LAB)).isEmpty();
    assertThat(told(later).without(LAB).of(RELEASE)).contains(FIRST);
    assertThat(told(later).without(LAB).environment()).containsEntry("BATON_TICKET", "12");
    assertThat(told(later).without(RELEASE).environment()).containsEntry("BATON_TICKET", "");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "12",
        "12:7",
        "12:7:",
        "0:7:q",
        "12:-7:q",
        "12:7:q;r",
        "12:7:%zz",
        "12:7:q,",
        ",",
        "12:7:q,3:9:q",
        "12:7:q 3:9:r",
        "9999999999999999999:1:q",
        "12:7:$(id)"
      })
  void whatNoBatonWritesIsRefused(String text) {
    assertThatThrownBy(() -> told(Map.of("BATON_LOCKS", text)))
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("BATON_LOCKS");
  }

  @Test
  void thereIsALimit() {
    assertThatThrownBy(() -> told(Map.of("BATON_LOCKS", "1:1:" + "q".repeat(20_000))))
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("too long")
        .message()
        .hasSizeLessThan(200);
    assertThatThrownBy(() -> told(Map.of("BATON_LOCKS", "1:1:q,".repeat(100) + "1:1:q")))
        .isInstanceOf(BadSetting.class);
    Map<String, String> deep = Map.of();
    for (int i = 1; i <= 100; i++) {
      deep = under(deep, new Place.Directory(Path.of("/q"), "q" + i), new Inherited(i, i));
    }
    assertThat(told(deep).of(new Place.Directory(Path.of("/q"), "q100"))).isPresent();
    assertThat(told(deep).of(new Place.Directory(Path.of("/q"), "q60"))).isPresent();
    assertThat(told(deep).of(new Place.Directory(Path.of("/q"), "q1"))).isEmpty();
  }

  /** Also before the queue is there. */
  @Test
  void aLinkAndWhatItLeadsToAreOneQueue() throws IOException {
    Path real = Files.createDirectory(directory.resolve("real"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), real);
    Place one = new Place.Directory(real.resolve("queues"), "q");
    Place same = new Place.Directory(link.resolve("queues"), "q");
    assertThat(same.identity()).isEqualTo(one.identity());
    Files.createDirectories(real.resolve("queues/q"));
    Files.createSymbolicLink(real.resolve("queues/other"), real.resolve("queues/q"));
    assertThat(same.identity()).isEqualTo(one.identity());
    assertThat(new Place.Directory(link.resolve("queues"), "other").identity())
        .isEqualTo(one.identity());
    assertThat(new Place.Directory(real, "q").identity()).isNotEqualTo(one.identity());
  }
}
