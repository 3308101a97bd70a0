package dev.baton.client.report;

/** How a front end sets parts of a text apart, such as by colours. */
public interface TextStyle {

  /** Leaves every text as it is. */
  TextStyle PLAIN = new TextStyle() {};

  default String bold(String text) {
    return text;
  }

  default String dim(String text) {
    return text;
  }

  default String good(String text) {
    return text;
  }

  default String warn(String text) {
    return text;
  }

  default String bad(String text) {
    return text;
  }
}
