package dev.baton.cli;

import dev.baton.client.queue.Place;
import dev.baton.client.settings.Setting;
import dev.baton.queue.github.GitHubConnection;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Map;
import javax.net.ssl.TrustManagerFactory;

/**
 * Lets Java get ready for GitHub while the command line is still being read. Its client, and for
 * https all the certificates that this Java trusts, take as long as everything else up to the first
 * request. Nothing is asked of GitHub, nothing is logged, since it is not known yet how much is to
 * be logged, and whatever goes wrong is for the command itself to tell.
 */
final class Preparation {

  private static final String SCHEME = "github:";

  private Preparation() {}

  static void start(Map<String, String> environment, String... args) {
    if (Runtime.getRuntime().availableProcessors() > 1 && isForGitHub(environment, args)) {
      Thread thread = new Thread(() -> run(environment), "baton-preparation");
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** As far as can be told: files may name a store too. */
  static boolean isForGitHub(Map<String, String> environment, String... args) {
    boolean found = environment.getOrDefault(Setting.STORE.variable(), "").startsWith(SCHEME);
    for (String word : args) {
      found |= word.startsWith(SCHEME) || word.startsWith("--store=" + SCHEME);
    }
    return found;
  }

  /** Whether it could be done; nobody has to know. */
  static boolean run(Map<String, String> environment) {
    String api =
        environment.getOrDefault(
            Setting.API.variable(), environment.getOrDefault("GITHUB_API_URL", Place.DEFAULT_API));
    try {
      GitHubConnection.builder().token(() -> "").build().prepare();
      if (!api.startsWith("http:")) {
        // Java keeps what it has read for whoever asks next.
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm())
            .init((KeyStore) null);
      }
      return true;
    } catch (GeneralSecurityException | RuntimeException e) {
      return false;
    }
  }
}
