package dev.baton.githubsim;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The frame of every page: one style, one script, nothing from anywhere else. */
final class Html {
  private static final String STYLE = resource("page.css");
  private static final String SCRIPT = resource("page.js");

  /** Only this style and this script, known by their hash: what a body smuggles in does nothing. */
  private static final Map<String, List<String>> HEADERS =
      Map.of(
          "Content-Security-Policy",
          List.of(
              "default-src 'none'; script-src 'sha256-"
                  + GitHash.sha256Base64(SCRIPT)
                  + "'; style-src 'sha256-"
                  + GitHash.sha256Base64(STYLE)
                  + "'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none';"
                  + " frame-ancestors 'none'"),
          "X-Content-Type-Options",
          List.of("nosniff"),
          "Referrer-Policy",
          List.of("no-referrer"),
          "Cache-Control",
          List.of("no-store"));

  private Html() {}

  static Map<String, List<String>> headers() {
    return HEADERS;
  }

  /**
   * @param head HTML of the line on top
   * @param article HTML
   * @param footer HTML
   */
  static String page(String title, String head, String article, String footer) {
    return """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>%s</title>
    <link rel="icon" href="data:,">
    <noscript><meta http-equiv="refresh" content="2"></noscript>
    <style>%s</style>
    </head>
    <body>
    <header>%s</header>
    <article>%s</article>
    <footer>%s</footer>
    <p id="lost" hidden>The server no longer answers; this is what it said last.</p>
    <script>%s</script>
    </body>
    </html>
    """
        .formatted(text(title), STYLE, head, article, footer, SCRIPT);
  }

  static String text(String plain) {
    return plain
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }

  private static String resource(String name) {
    try (InputStream in = Html.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("not on the class path: " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
