package dev.baton.aws.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PagesTest {

  private static Pages read(Pages pages) {
    return Pages.of(pages.bytes());
  }

  @Test
  void whatIsWrittenIsRead() {
    Pages pages = Pages.first("{\n\"a\": \"ä\ud83d\ude80\"}").next("two\n").next("three");

    assertThat(read(pages)).isEqualTo(pages);
    assertThat(read(pages).earlier()).containsExactly("two\n", "{\n\"a\": \"ä\ud83d\ude80\"}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "by hand",
        "{\"baton-document\":1}",
        "{\"baton-document\":1,\"number\":1,\"marks\":[\"x\"],\"bytes\":[99]}\nshort",
        "{\"baton-document\":1,\"number\":1,\"marks\":[\"x\"],\"bytes\":[2]}\nlonger",
        "{\"baton-document\":1,\"number\":1,\"marks\":[\"x\"],\"bytes\":[-5]}\nx",
        "{\"baton-document\":2,\"number\":1,\"marks\":[\"x\"],\"bytes\":[1]}\nx"
      })
  void whatIsNoSuchPieceIsShownAsItIs(String text) {
    Pages pages = Pages.of(text.getBytes(StandardCharsets.UTF_8));

    assertThat(pages.content()).isEqualTo(text);
    assertThat(pages.earlier()).isEmpty();
  }

  @Test
  void asManyEarlierContentsAreKeptAsThereIsRoomFor() {
    Pages small = Pages.first("0");
    for (int i = 1; i < 50; i++) {
      small = small.next(Integer.toString(i));
    }
    assertThat(small.earlier()).hasSize(Pages.KEPT).startsWith("48", "47");

    String large = "x".repeat(Pages.MOST_CHARACTERS);
    Pages some = Pages.first(large + "1").next(large + "2").next(large + "3");
    assertThat(some.earlier()).isEqualTo(List.of(large + "2"));
  }

  @Test
  void aRefusedWriterKnowsByTheMarksWhatBecameOfItsWrite() {
    Pages base = Pages.first("0");
    Pages mine = base.next("mine");
    Pages theirs = base.next("theirs");

    assertThat(mine.fate(read(mine))).isEqualTo(Pages.Fate.PRESENT);
    assertThat(mine.fate(read(theirs))).isEqualTo(Pages.Fate.NEVER_DONE);
    assertThat(mine.fate(read(mine.next("later")))).isEqualTo(Pages.Fate.UNKNOWN);
    assertThat(mine.fate(read(theirs.next("later")))).isEqualTo(Pages.Fate.NEVER_DONE);
    Pages much = theirs;
    for (int i = 0; i < 60; i++) {
      much = much.next("later " + i);
    }
    assertThat(mine.fate(much)).as("long forgotten").isEqualTo(Pages.Fate.UNKNOWN);
    assertThat(mine.fate(Pages.of("by hand".getBytes(StandardCharsets.UTF_8))))
        .isEqualTo(Pages.Fate.UNKNOWN);
    assertThat(Pages.first("again").fate(much)).isEqualTo(Pages.Fate.NEVER_DONE);
  }
}
