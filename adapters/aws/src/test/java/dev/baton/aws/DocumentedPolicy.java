package dev.baton.aws;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the guide says that credentials need. */
public final class DocumentedPolicy {
  private static final Path GUIDE = Path.of("../../docs/aws.md");
  private static final Pattern ACTION = Pattern.compile("\"((?:s3|dynamodb):[A-Za-z]+)\"");

  private DocumentedPolicy() {}

  /** The actions of the policy under that name. */
  public static Set<String> actions(String policy) throws IOException {
    String text = Files.readString(GUIDE);
    int start = text.indexOf("<!-- policy: " + policy + " -->");
    assertThat(start).as("a policy called " + policy).isPositive();
    Matcher m = ACTION.matcher(text.substring(start, text.indexOf("\n```\n", start)));
    Set<String> actions = new TreeSet<>();
    while (m.find()) {
      actions.add(m.group(1));
    }
    return actions;
  }
}
