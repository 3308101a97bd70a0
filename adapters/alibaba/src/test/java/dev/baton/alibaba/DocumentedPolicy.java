package dev.baton.alibaba;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The policy in docs/alibaba-cloud.md that people copy. */
public final class DocumentedPolicy {

  /** For the machines, for states in a bucket, and to get the bucket ready. */
  private static final int STATEMENTS = 3;

  private static final Pattern ACTION = Pattern.compile("\"((?:ecs|vpc|oss):[A-Za-z]+)\"");

  private DocumentedPolicy() {}

  /** Of those who run VMs. */
  public static Set<String> forVms() throws IOException {
    Set<String> actions = statement(1);
    actions.addAll(statement(2));
    return actions;
  }

  /** Of whoever gets the account ready. */
  public static Set<String> forSetup() throws IOException {
    return statement(STATEMENTS);
  }

  private static Set<String> statement(int number) throws IOException {
    String text = Files.readString(Path.of("../../docs/alibaba-cloud.md"));
    int start = text.indexOf("```json", text.indexOf("## Least permissions"));
    String[] parts = text.substring(start, text.indexOf("\n```\n", start)).split("\"Effect\"");
    if (parts.length != STATEMENTS + 1) {
      throw new AssertionError("the policy has " + (parts.length - 1) + " statements");
    }
    return ACTION
        .matcher(parts[number])
        .results()
        .map((MatchResult m) -> m.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
