package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * The descriptor says what the documentation says, and the documentation what the descriptor does.
 */
class DescriptorTest {

  private static final String BEGIN = "-PupdateGolden -->\n";
  private static final String END = "<!-- /parameters -->";

  /** A parameter, with the goals that have it. */
  private record Row(String name, String property, String description, List<String> goals) {}

  private static List<Element> children(Element parent, String name) {
    List<Element> children = new ArrayList<>();
    for (Node n = parent.getFirstChild(); n != null; n = n.getNextSibling()) {
      if (n instanceof Element e && e.getTagName().equals(name)) {
        children.add(e);
      }
    }
    return children;
  }

  private static String text(Element parent, String name) {
    return children(parent, name).stream()
        .findFirst()
        .map(e -> e.getTextContent().strip().replaceAll("\\s+", " "))
        .orElse("");
  }

  private static List<Element> mojos() throws Exception {
    Element plugin =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(Path.of(System.getProperty("descriptor"), "META-INF/maven/plugin.xml").toFile())
            .getDocumentElement();
    return children(children(plugin, "mojos").get(0), "mojo");
  }

  private static Map<String, Row> rows() throws Exception {
    Map<String, Row> rows = new LinkedHashMap<>();
    for (Element mojo : mojos()) {
      Element parameters = children(mojo, "parameters").get(0);
      Element configuration = children(mojo, "configuration").get(0);
      for (Element parameter : children(parameters, "parameter")) {
        if (text(parameter, "editable").equals("true")) {
          String name = text(parameter, "name");
          String given = text(configuration, name);
          String property =
              given.startsWith("${") ? "-D" + given.substring(2, given.length() - 1) : "";
          rows.computeIfAbsent(
                  name,
                  n -> new Row(n, property, text(parameter, "description"), new ArrayList<>()))
              .goals()
              .add(text(mojo, "goal"));
        }
      }
    }
    return rows;
  }

  private static String table() throws Exception {
    int all = mojos().size();
    return rows().values().stream()
        .sorted(
            Comparator.<Row, Boolean>comparing(r -> r.goals().size() < all)
                .thenComparing(Row::name))
        .map(
            r ->
                "| `%s` | %s | %s%s |\n"
                    .formatted(
                        r.name(),
                        r.property().isEmpty() ? "" : "`" + r.property() + "`",
                        r.goals().size() < all
                            ? "of "
                                + r.goals().stream()
                                    .map(g -> "`" + g + "`")
                                    .collect(Collectors.joining(", "))
                                + ": "
                            : "",
                        r.description().replace("|", "\\|")))
        .collect(Collectors.joining("", "| parameter | command line | |\n|---|---|---|\n", ""));
  }

  @Test
  void theDocumentationHasEveryParameter() throws Exception {
    Path page = Path.of(System.getProperty("page"));
    String text = Files.readString(page);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    String expected = text.substring(0, begin) + table() + text.substring(text.indexOf(END));
    if (Boolean.getBoolean("updateGolden")) {
      Files.writeString(page, expected);
    }
    assertThat(Files.readString(page)).isEqualTo(expected);
  }

  @Test
  void everyParameterSaysWhatItIs() throws Exception {
    assertThat(rows().values())
        .allSatisfy(r -> assertThat(r.description()).as(r.name()).isNotBlank());
  }

  @Test
  void theDocumentationHasEveryGoal() throws Exception {
    String page = Files.readString(Path.of(System.getProperty("page")));
    for (Element mojo : mojos()) {
      assertThat(page).contains("| `baton:" + text(mojo, "goal"));
    }
  }

  /** What is not a setting would be refused as a spelling mistake. */
  @Test
  void everyPropertyIsKnown() throws Exception, IOException {
    List<String> properties =
        rows().values().stream()
            .map(Row::property)
            .filter(p -> p.startsWith("-Dbaton."))
            .map(p -> p.substring("-Dbaton.".length()))
            .sorted()
            .toList();
    assertThat(dev.baton.maven.internal.KnownProperties.all()).containsAll(properties);
  }
}
