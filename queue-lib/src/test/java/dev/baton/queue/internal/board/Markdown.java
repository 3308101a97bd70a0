package dev.baton.queue.internal.board;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.commonmark.Extension;
import org.commonmark.ext.autolink.AutolinkExtension;
import org.commonmark.ext.gfm.strikethrough.StrikethroughExtension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** What a reader's page makes of Markdown: the parser, and GitHub's filters over its text. */
final class Markdown {

  private static final List<Extension> EXTENSIONS =
      List.of(
          TablesExtension.create(), AutolinkExtension.create(), StrikethroughExtension.create());

  private static final Pattern TAG = Pattern.compile("<(/?[A-Za-z][A-Za-z0-9]*)[^>]*>");

  /** What GitHub makes links, pictures and formulas of, over the text of a finished page. */
  private static final List<Pattern> FILTERS =
      List.of(
          Pattern.compile("(^|[^A-Za-z0-9_`/])@[A-Za-z0-9]"),
          Pattern.compile("@[A-Za-z0-9]"),
          Pattern.compile("#[0-9]"),
          Pattern.compile("(?i)gh-[0-9]|ghsa-[0-9a-z]|cve-[0-9]"),
          Pattern.compile("(?<![A-Za-z0-9])[0-9a-fA-F]{7,40}(?![A-Za-z0-9])"),
          Pattern.compile(":[A-Za-z0-9_+-]+:"),
          Pattern.compile("(?i)[a-z]://|www\\.|(mailto|xmpp):[a-z0-9]"));

  /** GitHub's own advice against a formula is a tag between, so this one cannot look past tags. */
  private static final Pattern FORMULA = Pattern.compile("\\$[^$]+\\$");

  private Markdown() {}

  static String html(String markdown) {
    return HtmlRenderer.builder()
        .extensions(EXTENSIONS)
        .build()
        .render(Parser.builder().extensions(EXTENSIONS).build().parse(markdown));
  }

  /** The tags in their order, closing ones with a slash. */
  static List<String> tags(String html) {
    return TAG.matcher(html.replaceAll("(?s)<!--.*?-->", ""))
        .results()
        .map(m -> m.group(1))
        .toList();
  }

  static long count(String html, String tag) {
    return tags(html).stream().filter(tag::equals).count();
  }

  /** The texts between tags, without code, into which GitHub's filters do not look. */
  private static List<String> texts(String html) {
    String withoutCode =
        html.replaceAll("(?s)<!--.*?-->", "").replaceAll("(?s)<code[^>]*>.*?</code>", "<code/>");
    return List.of(withoutCode.split("<[^>]*>")).stream().map(Markdown::unescape).toList();
  }

  static String text(String html) {
    return unescape(html.replaceAll("(?s)<!--.*?-->", "").replaceAll("<[^>]*>", ""));
  }

  private static String unescape(String s) {
    return s.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&");
  }

  /** What a filter would find, even one that looks past tags; empty for harmless text. */
  static List<String> found(String html) {
    List<String> texts = texts(html);
    String whole = String.join("", texts);
    return Stream.concat(
            FILTERS.stream().flatMap(p -> p.matcher(whole).results()),
            texts.stream().flatMap(t -> FORMULA.matcher(t).results()))
        .map(MatchResult::group)
        .toList();
  }
}
