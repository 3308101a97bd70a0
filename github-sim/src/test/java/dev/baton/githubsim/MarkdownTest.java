package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MarkdownTest {
  private static final Pattern TAG = Pattern.compile("<(/?)([^\\s>]*)([^>]*)>");
  private static final Pattern ATTRIBUTE = Pattern.compile("\\s+([a-zA-Z-]+)(?:=\"([^\"]*)\")?");
  private static final Set<String> TAGS =
      Set.of(
          "a",
          "b",
          "blockquote",
          "br",
          "code",
          "del",
          "details",
          "div",
          "em",
          "h1",
          "h2",
          "hr",
          "i",
          "li",
          "ol",
          "p",
          "pre",
          "span",
          "strong",
          "sub",
          "summary",
          "table",
          "tbody",
          "td",
          "th",
          "thead",
          "tr",
          "ul");
  private static final Set<String> ATTRIBUTES =
      Set.of("href", "rel", "align", "class", "open", "title", "start");

  /** Reads the result as a browser would: by its tags, whatever the text between them says. */
  private static String harmless(String body) {
    String html = Markdown.toHtml(body);
    Matcher tag = TAG.matcher(html);
    StringBuilder rest = new StringBuilder();
    while (tag.find()) {
      assertThat(TAGS).as(html).contains(tag.group(2));
      Matcher attribute = ATTRIBUTE.matcher(tag.group(3));
      StringBuilder left = new StringBuilder();
      while (attribute.find()) {
        assertThat(ATTRIBUTES).as(html).contains(attribute.group(1));
        if (attribute.group(1).equals("href")) {
          assertThat(attribute.group(2)).as(html).matches("(https?:|mailto:|/|#|[^:]*$).*");
        }
        attribute.appendReplacement(left, "");
      }
      attribute.appendTail(left);
      assertThat(left.toString().strip()).as(html).isEmpty();
      tag.appendReplacement(rest, "");
    }
    tag.appendTail(rest);
    assertThat(rest).as(html).doesNotContain("<").doesNotContain(">");
    return html;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<script>alert(1)</script>",
        "a <script>alert(1)</script> b",
        "<SCRIPT SRC=//x.example></SCRIPT>",
        "<scr<script>ipt>alert(1)</scr</script>ipt>",
        "<img src=x onerror=alert(1)>",
        "<b onclick=\"alert(1)\">x</b>",
        "<b/onclick=alert(1)>x</b>",
        "<details ontoggle=alert(1) open>x</details>",
        "<svg><animate onbegin=alert(1)></svg>",
        "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>",
        "<style>body{display:none}</style>",
        "<b style=\"position:fixed\">x</b>",
        "<meta http-equiv=refresh content=0>",
        "<base href=//x.example>",
        "<form action=//x.example><input></form>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](<java\tscript:alert(1)>)",
        "[x](&#106;avascript:alert(1))",
        "[x](javascript&colon;alert(1))",
        "[x]( \u0001javascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](vbscript:x)",
        "<javascript:alert(1)>",
        "![x](javascript:alert(1))",
        "[x](/a \"onmouseover=alert(1)\")",
        "[x](/a\"onmouseover=\"alert(1))",
        "[x]: javascript:alert(1)\n\n[x]",
        "<!-- a --><script>alert(1)</script>",
        "<!-- <!-- --> <img src=x onerror=alert(1)> -->",
        "<!--><script>alert(1)</script>-->",
        "<!---><img src=x onerror=alert(1)>-->",
        "<!-- --!><script>alert(1)</script>",
        "a <!-- b --> <script>c</script>",
        "<!- - <script>alert(1)</script> -->",
        "<!-- a\n\n<script>alert(1)</script>",
        "<?php <script>alert(1)</script> ?>",
        "<![CDATA[<script>alert(1)</script>]]>",
        "<!DOCTYPE x [<!ENTITY y \"<script>\">]>",
        "```<script>\n<script>alert(1)</script>\n```",
        "```x\" onclick=\"alert(1)\ny\n```",
        "`<script>`",
        "| <script>a</script> |\n| - |\n| <img src=x onerror=b> |",
        "<pre><script>alert(1)</script></pre>",
        "<p><b title=\"><script>alert(1)</script>\">",
        "</div></article></body><script>alert(1)</script>",
        "<a href=\"javascript:alert(1)\">x</a>",
        "https://x.example/\"onclick=alert(1)",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "<details>&lt;script&gt;</details>"
      })
  void nothingRuns(String body) {
    harmless(body);
  }

  @Test
  void bodyClosesOnlyWhatItOpened() {
    assertThat(Markdown.toHtml("</div></div></details>x")).doesNotContain("</d");
    assertThat(Markdown.toHtml("<div><b>x</div>")).contains("<div><b>x</b></div>");
    assertThat(Markdown.toHtml("<details><summary>s")).endsWith("</summary></details>");
  }

  @Test
  void commentsAreHiddenWhereverTheyStand() {
    assertThat(Markdown.toHtml("<!-- secret -->")).isBlank();
    assertThat(Markdown.toHtml("a <!-- secret --> b")).isEqualTo("<p>a  b</p>\n");
    assertThat(Markdown.toHtml("<!-- secret\n\nsecret\n-->\n\nb").strip()).isEqualTo("<p>b</p>");
    assertThat(Markdown.toHtml("<!-- secret")).isBlank();
    assertThat(Markdown.toHtml("<div>a<!-- secret -->b</div>")).contains("<div>ab</div>");
  }

  @Test
  void foldsHoldMarkdown() {
    String html = harmless("<details><summary>A &amp; B</summary>\n\n- **x**\n\n</details>\n\nz");
    assertThat(html)
        .contains("<details><summary>A &amp; B</summary>")
        .contains("<li><strong>x</strong></li>")
        .contains("</details>\n<p>z</p>");
    assertThat(Markdown.toHtml("<details open><summary>s</summary></details>"))
        .startsWith("<details open>");
  }

  @Test
  void tablesStrikethroughLinksAndCode() {
    assertThat(harmless("| a | b |\n| :-- | --: |\n| <b>1</b> | x<br>y |"))
        .contains("<th align=\"left\">a</th>")
        .contains("<td align=\"left\"><b>1</b></td>")
        .contains("x<br>y");
    assertThat(harmless("~~x~~")).contains("<del>x</del>");
    assertThat(harmless("see https://x.example/a.")).contains("href=\"https://x.example/a\"");
    assertThat(harmless("```mermaid\ngraph LR; a-->b\n```"))
        .contains("<pre><code class=\"language-mermaid\">graph LR; a--&gt;b");
    assertThat(harmless("one\ntwo")).contains("one<br>\ntwo");
    assertThat(harmless("![a](https://x.example/p.png)"))
        .contains("href=\"https://x.example/p.png\"")
        .doesNotContain("<img");
  }

  @Test
  void longBodyOfOpenTagsIsReadInTime() {
    for (String part : new String[] {"<a ", "<!--", "<b>", "</b", "[", "<details>", "&#"}) {
      String html = Markdown.toHtml(part.repeat(Issue.MAX_BODY / part.length()));
      assertThat(html).isNotNull();
    }
  }

  @Test
  void anItemThatBeginsLikeABoxIsOne() {
    String html = harmless("- [ ] open <!-- hidden -->\n- [x] done\n- [y] none\n\n[ ] prose");
    assertThat(html).contains("☐", "open", "☑", "done", "[y] none", "[ ] prose");
    assertThat(html).doesNotContain("hidden");
    assertThat(html.split("☐", -1)).hasSize(2);
  }
}
