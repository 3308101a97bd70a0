package dev.baton.client.monitoring;

import dev.baton.core.Checks;
import dev.baton.core.HostEnvironment;
import dev.baton.core.adapter.AdapterDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Takes secrets out of texts that people have written: a title or a reason may have a token in it.
 * Values of variables that look like secrets by their name, and what looks like a token by itself,
 * become an ellipsis.
 */
final class Redaction {

  private static final String GONE = "…";
  private static final int SHORTEST = 8;
  private static final Pattern SECRET_NAME =
      Pattern.compile("(?i).*(TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY|ACCESS_?KEY).*");

  /** Such variables name files, tell numbers, or are what every report has in it. */
  private static final Pattern HARMLESS_NAME =
      Pattern.compile("BATON_FENCING_TOKEN|BATON_TICKET|.*_FILE|.*_URL|.*_URI");

  private static final Pattern TOKEN =
      Pattern.compile(
          "gh[a-z]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}"
              + "|(?:AKIA|ASIA|LTAI)[A-Za-z0-9]{12,}"
              + "|xox[a-z]-[A-Za-z0-9-]{10,}|glpat-[A-Za-z0-9_-]{16,}"
              + "|eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*"
              + "|(?i:bearer|basic) [A-Za-z0-9+/_.=-]{12,}"
              + "|(?<=://)[^/@\\s]{1,200}:[^/@\\s]{1,200}(?=@)"
              + "|-----BEGIN [A-Z ]*PRIVATE KEY.*");

  private final List<String> values;

  private Redaction(List<String> values) {
    this.values = values;
  }

  static Redaction of(HostEnvironment host, List<AdapterDescriptor> adapters) {
    List<String> secretVariables =
        adapters.stream()
            .flatMap(a -> a.variables().stream())
            .filter(AdapterDescriptor.Variable::sensitive)
            .map(AdapterDescriptor.Variable::name)
            .toList();
    List<String> values = new ArrayList<>();
    for (Map.Entry<String, String> variable : host.environment().entrySet()) {
      String name = variable.getKey();
      boolean secret = SECRET_NAME.matcher(name).matches() || secretVariables.contains(name);
      if (secret
          && !HARMLESS_NAME.matcher(name).matches()
          && variable.getValue().strip().length() >= SHORTEST) {
        values.add(variable.getValue().strip());
      }
    }
    // The longest first: one may be a part of another.
    values.sort((a, b) -> Integer.compare(b.length(), a.length()));
    return new Redaction(List.copyOf(values));
  }

  String of(String text) {
    String clean = text;
    for (String value : values) {
      clean = clean.replace(value, GONE);
    }
    return TOKEN.matcher(clean).replaceAll(GONE);
  }

  /** The address of a store, which may have parameters. */
  String ofAddress(String address) {
    return of(Checks.withoutSecrets(address));
  }
}
