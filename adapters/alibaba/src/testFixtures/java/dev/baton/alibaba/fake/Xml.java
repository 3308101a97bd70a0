package dev.baton.alibaba.fake;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** The little XML that OSS speaks. */
final class Xml {
  private Xml() {}

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  static String element(String name, Object value) {
    return "<" + name + ">" + escaped(String.valueOf(value)) + "</" + name + ">";
  }

  /**
   * @throws IllegalArgumentException when it is not well-formed
   */
  static Document parse(byte[] text) {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      return factory.newDocumentBuilder().parse(new ByteArrayInputStream(text));
    } catch (SAXException | IOException | ParserConfigurationException e) {
      throw new IllegalArgumentException("no XML", e);
    }
  }

  static List<String> texts(Document document, String name) {
    NodeList found = document.getElementsByTagName(name);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      all.add(found.item(i).getTextContent());
    }
    return all;
  }

  /** For each such element, the texts of those directly in it. */
  static List<Map<String, String>> children(Document document, String name) {
    NodeList found = document.getElementsByTagName(name);
    List<Map<String, String>> all = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      Map<String, String> inner = new HashMap<>();
      for (Node n = found.item(i).getFirstChild(); n != null; n = n.getNextSibling()) {
        inner.put(n.getNodeName(), n.getTextContent());
      }
      all.add(inner);
    }
    return all;
  }
}
