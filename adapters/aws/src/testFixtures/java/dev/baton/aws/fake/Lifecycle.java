package dev.baton.aws.fake;

import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** Tags of objects and lifecycle rules, as S3 writes and understands them. */
final class Lifecycle {

  /**
   * A rule.
   *
   * @param days after which objects go; 0: never
   * @param noncurrentDays after which versions go that others have followed; 0: never
   */
  record Rule(
      boolean enabled, String prefix, Map<String, String> tags, int days, int noncurrentDays) {

    boolean expires(String key, Map<String, String> tagsOfIt, Duration age) {
      return enabled && days > 0 && fits(key, tagsOfIt) && age.toDays() >= days;
    }

    boolean expiresNoncurrent(String key, Map<String, String> tagsOfIt, Duration age) {
      return enabled && noncurrentDays > 0 && fits(key, tagsOfIt) && age.toDays() >= noncurrentDays;
    }

    /** A prefix is taken literally: an asterisk in it is an asterisk. */
    private boolean fits(String key, Map<String, String> tagsOfIt) {
      return key.startsWith(prefix) && tagsOfIt.entrySet().containsAll(tags.entrySet());
    }
  }

  private Lifecycle() {}

  static List<Rule> rules(String xml) {
    List<Rule> all = new ArrayList<>();
    if (xml.isEmpty()) {
      return all;
    }
    NodeList rules = parsed(xml).getElementsByTagName("Rule");
    for (int i = 0; i < rules.getLength(); i++) {
      Element rule = (Element) rules.item(i);
      all.add(
          new Rule(
              text(rule, "Status").equals("Enabled"),
              text(rule, "Prefix"),
              tags(rule),
              number(within(rule, "Expiration"), "Days"),
              number(within(rule, "NoncurrentVersionExpiration"), "NoncurrentDays")));
    }
    return all;
  }

  static Map<String, String> tags(String xml) {
    return tags(parsed(xml));
  }

  static String tagging(Map<String, String> tags) {
    StringBuilder text = new StringBuilder("<Tagging><TagSet>");
    tags.forEach(
        (key, value) ->
            text.append("<Tag><Key>" + key + "</Key><Value>" + value + "</Value></Tag>"));
    return text + "</TagSet></Tagging>";
  }

  private static Map<String, String> tags(Element in) {
    Map<String, String> all = new TreeMap<>();
    NodeList tags = in.getElementsByTagName("Tag");
    for (int i = 0; i < tags.getLength(); i++) {
      Element tag = (Element) tags.item(i);
      all.put(text(tag, "Key"), text(tag, "Value"));
    }
    return all;
  }

  private static Element within(Element in, String name) {
    return (Element) in.getElementsByTagName(name).item(0);
  }

  private static String text(Element in, String name) {
    Element found = in == null ? null : within(in, name);
    return found == null ? "" : found.getTextContent();
  }

  private static int number(Element in, String name) {
    String text = text(in, name);
    return text.isEmpty() ? 0 : Integer.parseInt(text);
  }

  private static Element parsed(String xml) {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(new InputSource(new StringReader(xml)))
          .getDocumentElement();
    } catch (ParserConfigurationException | SAXException | IOException e) {
      throw new IllegalArgumentException("not XML: " + xml, e);
    }
  }
}
