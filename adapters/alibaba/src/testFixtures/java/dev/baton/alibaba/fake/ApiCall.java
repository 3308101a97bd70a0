package dev.baton.alibaba.fake;

import dev.baton.core.json.PlainJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The parameters of one action. */
record ApiCall(String action, String version, Map<String, String> parameters) {

  /** Empty when it is not there. */
  String get(String name) {
    return parameters.getOrDefault(name, "");
  }

  String require(String name) {
    String value = get(name);
    if (value.isEmpty()) {
      throw new ApiRefusal(
          400,
          "MissingParameter",
          "The input parameter "
              + name
              + " that is mandatory for processing this request is not"
              + " supplied.");
    }
    return value;
  }

  /** A name or a description, which may be left out. */
  String words(String name, int most, String form) {
    String value = get(name);
    boolean good =
        value.length() >= 2
            && value.length() <= most
            && value.matches(form)
            && !value.matches("(?is)(https?://|acs:|aliyun).*");
    if (!value.isEmpty() && !good) {
      throw new ApiRefusal(
          400, "Invalid" + name + ".Malformed", "The specified " + name + " is wrongly formed.");
    }
    return value;
  }

  /** Letters first, then also digits and some signs. */
  String name(String parameter) {
    return words(parameter, 128, "\\p{L}[\\p{L}\\p{N}._:-]*");
  }

  String description() {
    return words("Description", 256, "(?s).*");
  }

  int number(String name, int otherwise, int most) {
    String value = get(name);
    if (value.isEmpty()) {
      return otherwise;
    }
    int number = value.matches("\\d{1,6}") ? Integer.parseInt(value) : 0;
    if (number < 1 || number > most) {
      throw new ApiRefusal(400, "InvalidParameter", name + " is not valid: " + value);
    }
    return number;
  }

  /** {@code Name.1}, {@code Name.2} and so on. */
  List<String> list(String name) {
    List<String> all = new ArrayList<>();
    for (int i = 1; !get(name + "." + i).isEmpty(); i++) {
      all.add(get(name + "." + i));
    }
    return all;
  }

  Map<String, String> tags() {
    Map<String, String> all = new LinkedHashMap<>();
    for (int i = 1; !get("Tag." + i + ".Key").isEmpty(); i++) {
      all.put(get("Tag." + i + ".Key"), get("Tag." + i + ".Value"));
    }
    return all;
  }

  /** Ids as some actions take them, {@code ["a","b"]}, and as others do, {@code a,b}. */
  List<String> ids(String name) {
    String value = get(name);
    if (value.startsWith("[")) {
      return strings(name);
    }
    return value.isEmpty() ? list(name) : List.of(value.split(","));
  }

  /** A parameter such as {@code ["i-1", "i-2"]}. */
  List<String> strings(String name) {
    List<?> all = (List<?>) PlainJson.value(require(name), PlainJson.MAX_LENGTH);
    return all.stream().map(String.class::cast).toList();
  }
}
