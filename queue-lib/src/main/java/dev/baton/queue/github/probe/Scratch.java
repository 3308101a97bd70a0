package dev.baton.queue.github.probe;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The branch and the issue that a probe works on, by names that say what they are and when they
 * were made, and with a mark in them: a later probe knows those of a killed one by both.
 */
record Scratch(String suffix) {
  static final String BRANCHES = "baton/probe-";
  static final String MARK_FILE = "BATON-PROBE.md";
  static final String MARK = "<!-- baton-probe/1 -->";

  private static final Duration LONGEST_PROBE = Duration.ofHours(1);
  private static final Pattern SUFFIX = Pattern.compile("([0-9]{10})-[0-9a-f]{8}");
  private static final String TITLE = "Baton probe ";
  private static final String TITLE_END = ": please ignore, it closes itself";
  private static final Set<String> INSIDERS = Set.of("OWNER", "MEMBER", "COLLABORATOR");

  /**
   * @param now the server's time
   */
  static Scratch newOne(Instant now) {
    return new Scratch(now.getEpochSecond() + "-" + UUID.randomUUID().toString().substring(0, 8));
  }

  String branch() {
    return BRANCHES + suffix;
  }

  String title() {
    return TITLE + suffix + TITLE_END;
  }

  static String markText() {
    return MARK
        + "\n\nThis was made by `baton probe`, which tries what GitHub does and removes what it has"
        + " made.\nIf it is older than an hour, the probe was killed: delete it, or run `baton"
        + " probe` again.\n";
  }

  // ---- what others have left

  /** Whether a branch has the name of one that a probe left which has ended long ago. */
  static boolean isOldBranch(String ref, Instant now) {
    String start = "refs/heads/" + BRANCHES;
    return ref.startsWith(start) && isOld(ref.substring(start.length()), now);
  }

  /** Whether a file, as GitHub describes it, has the mark. */
  static boolean isMarked(Map<String, Object> file) {
    String content = Reply.text(file, "content");
    try {
      return new String(Base64.getMimeDecoder().decode(content), StandardCharsets.UTF_8)
          .startsWith(MARK);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Whether an issue is one that a probe left which has ended long ago, by name and mark. */
  static boolean isOldIssue(Map<String, Object> issue, Instant now) {
    return suffixOf(issue).filter(suffix -> isOld(suffix, now)).isPresent()
        && Reply.text(issue, "body").startsWith(MARK)
        && isByInsider(issue);
  }

  /** In a public repository anybody can open an issue that looks like one of a probe. */
  static boolean isByInsider(Map<String, Object> issue) {
    return INSIDERS.contains(Reply.text(issue, "author_association"))
        || Reply.text(issue, "user.type").equals("Bot");
  }

  boolean isOwnIssue(Map<String, Object> issue) {
    return suffixOf(issue).filter(suffix::equals).isPresent();
  }

  private static Optional<String> suffixOf(Map<String, Object> issue) {
    String title = Reply.text(issue, "title");
    return !issue.containsKey("pull_request")
            && title.startsWith(TITLE)
            && title.endsWith(TITLE_END)
            && title.length() > TITLE.length() + TITLE_END.length()
        ? Optional.of(title.substring(TITLE.length(), title.length() - TITLE_END.length()))
        : Optional.empty();
  }

  private static boolean isOld(String suffix, Instant now) {
    Matcher m = SUFFIX.matcher(suffix);
    return m.matches()
        && Instant.ofEpochSecond(Long.parseLong(m.group(1))).isBefore(now.minus(LONGEST_PROBE));
  }
}
