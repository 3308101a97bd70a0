package dev.baton.githubsim;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.Extension;
import org.commonmark.ext.autolink.AutolinkExtension;
import org.commonmark.ext.gfm.strikethrough.StrikethroughExtension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.CustomNode;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.ListItem;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.html.HtmlWriter;
import org.commonmark.renderer.html.UrlSanitizer;

/**
 * An issue's body as GitHub shows it. The body comes from anybody: of its own HTML only a few tags
 * without attributes get through, comments are left out and all the rest is shown as text.
 */
final class Markdown {
  private static final Set<String> HARMLESS =
      Set.of(
          "b",
          "blockquote",
          "code",
          "dd",
          "del",
          "details",
          "div",
          "dl",
          "dt",
          "em",
          "h1",
          "h2",
          "h3",
          "h4",
          "h5",
          "h6",
          "i",
          "ins",
          "kbd",
          "li",
          "ol",
          "p",
          "pre",
          "q",
          "s",
          "samp",
          "span",
          "strong",
          "sub",
          "summary",
          "sup",
          "tt",
          "ul",
          "var");
  private static final Set<String> VOID = Set.of("br", "hr");
  private static final Pattern ENTITY =
      Pattern.compile("&(?!(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)");
  private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+.-]*:.*", Pattern.DOTALL);

  private static final List<Extension> EXTENSIONS =
      List.of(
          TablesExtension.create(), StrikethroughExtension.create(), AutolinkExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();

  private Markdown() {}

  static String toHtml(String body) {
    Tags tags = new Tags();
    HtmlRenderer renderer =
        HtmlRenderer.builder()
            .extensions(EXTENSIONS)
            // In an issue, unlike in a file, a line that ends is a line that ends.
            .softbreak("<br>\n")
            .sanitizeUrls(true)
            .urlSanitizer(new Urls())
            .attributeProviderFactory(
                context ->
                    (node, tag, attributes) -> {
                      if (node instanceof Link) {
                        attributes.put("rel", "nofollow noopener");
                      }
                    })
            .nodeRendererFactory(context -> new Untrusted(context, tags))
            .build();
    Node parsed = PARSER.parse(body);
    parsed.accept(new TaskLists());
    return renderer.render(parsed) + tags.closeAll();
  }

  /**
   * A box at the beginning of an item. A page of the sim only shows it: nothing would be told of a
   * tap on it.
   */
  private static final class TaskBox extends CustomNode {
    private final boolean ticked;

    TaskBox(boolean ticked) {
      this.ticked = ticked;
    }
  }

  /** Finds what GitHub draws as a box. */
  private static final class TaskLists extends AbstractVisitor {
    private static final Pattern BOX = Pattern.compile("\\[([ xX])] (.*)");

    @Override
    public void visit(ListItem item) {
      if (item.getFirstChild() instanceof Paragraph paragraph
          && paragraph.getFirstChild() instanceof Text text) {
        Matcher box = BOX.matcher(text.getLiteral());
        if (box.matches()) {
          text.insertBefore(new TaskBox(!box.group(1).equals(" ")));
          text.setLiteral(box.group(2));
        }
      }
      visitChildren(item);
    }
  }

  /** The tags that the body opened: it may close those and no others. */
  private static final class Tags {
    private final Deque<String> open = new ArrayDeque<>();

    String opened(String name) {
      open.push(name);
      return "<" + name + ">";
    }

    /** Nothing where the body did not open it. */
    String closed(String name) {
      if (!open.contains(name)) {
        return "";
      }
      StringBuilder text = new StringBuilder();
      String next;
      do {
        next = open.pop();
        text.append("</").append(next).append('>');
      } while (!next.equals(name));
      return text.toString();
    }

    String closeAll() {
      StringBuilder text = new StringBuilder();
      while (!open.isEmpty()) {
        text.append("</").append(open.pop()).append('>');
      }
      return text.toString();
    }
  }

  private static final class Untrusted implements NodeRenderer {
    private final HtmlNodeRendererContext context;
    private final HtmlWriter out;
    private final Tags tags;

    Untrusted(HtmlNodeRendererContext context, Tags tags) {
      this.context = context;
      this.out = context.getWriter();
      this.tags = tags;
    }

    @Override
    public Set<Class<? extends Node>> getNodeTypes() {
      return Set.of(HtmlBlock.class, HtmlInline.class, Image.class, TaskBox.class);
    }

    @Override
    public void render(Node node) {
      if (node instanceof HtmlBlock block) {
        out.line();
        raw(block.getLiteral());
        out.line();
      } else if (node instanceof HtmlInline inline) {
        raw(inline.getLiteral());
      } else if (node instanceof Image image) {
        image(image);
      } else if (node instanceof TaskBox box) {
        out.tag("span", Map.of("class", "task"));
        out.text(box.ticked ? "☑" : "☐");
        out.tag("/span");
        out.text(" ");
      }
    }

    /** Nothing is fetched from outside: a picture is a link to it. */
    private void image(Image image) {
      String url = context.urlSanitizer().sanitizeImageUrl(image.getDestination());
      out.tag("a", Map.of("href", context.encodeUrl(url), "rel", "nofollow noopener"));
      out.text("🖼 ");
      for (Node child = image.getFirstChild(); child != null; child = child.getNext()) {
        context.render(child);
      }
      out.tag("/a");
    }

    private void raw(String html) {
      int at = 0;
      while (at < html.length()) {
        int tag = html.indexOf('<', at);
        if (tag < 0) {
          text(html.substring(at));
          return;
        }
        text(html.substring(at, tag));
        at = html.startsWith("<!--", tag) ? afterComment(html, tag) : tag(html, tag);
      }
    }

    private static int afterComment(String html, int start) {
      // As browsers read them: these two are comments that are over.
      for (String empty : List.of("<!-->", "<!--->")) {
        if (html.startsWith(empty, start)) {
          return start + empty.length();
        }
      }
      int end = html.indexOf("-->", start + 4);
      return end < 0 ? html.length() : end + 3;
    }

    private int tag(String html, int start) {
      int end = start + 1;
      while (end < html.length() && html.charAt(end) != '>' && html.charAt(end) != '<') {
        end++;
      }
      if (end == html.length() || html.charAt(end) == '<') {
        text(html.substring(start, end));
        return end;
      }
      String inside = html.substring(start + 1, end);
      boolean closing = inside.startsWith("/");
      String name = name(closing ? inside.substring(1) : inside);
      if (VOID.contains(name)) {
        out.raw("<" + name + ">");
      } else if (!HARMLESS.contains(name)) {
        text(html.substring(start, end + 1));
      } else if (closing) {
        out.raw(tags.closed(name));
      } else {
        String opened = tags.opened(name);
        boolean shown = name.equals("details") && inside.matches("(?is)details\\s+open(=\"\")?");
        out.raw(shown ? "<details open>" : opened);
      }
      return end + 1;
    }

    private static String name(String inside) {
      int end = 0;
      while (end < inside.length() && Character.isLetterOrDigit(inside.charAt(end))) {
        end++;
      }
      boolean whole = end == inside.length() || " \t\n\r/".indexOf(inside.charAt(end)) >= 0;
      return whole ? inside.substring(0, end).toLowerCase(Locale.ROOT) : "";
    }

    /** Text inside HTML: its entities are meant. */
    private void text(String html) {
      out.raw(
          ENTITY
              .matcher(html)
              .replaceAll("&amp;")
              .replace("<", "&lt;")
              .replace(">", "&gt;")
              .replace("\"", "&quot;"));
    }
  }

  /** Only addresses that a click cannot turn into a program. */
  private static final class Urls implements UrlSanitizer {
    @Override
    public String sanitizeLinkUrl(String url) {
      StringBuilder visible = new StringBuilder();
      // Browsers skip these before they look for a scheme.
      url.chars().filter(c -> c > ' ' && c != 0x7f).forEach(c -> visible.append((char) c));
      String text = visible.toString().toLowerCase(Locale.ROOT);
      boolean harmless =
          !SCHEME.matcher(text).matches()
              || text.startsWith("http:")
              || text.startsWith("https:")
              || text.startsWith("mailto:");
      return harmless ? url : "";
    }

    @Override
    public String sanitizeImageUrl(String url) {
      return sanitizeLinkUrl(url);
    }
  }
}
