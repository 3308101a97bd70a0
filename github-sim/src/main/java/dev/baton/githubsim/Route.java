package dev.baton.githubsim;

import java.util.regex.Pattern;

/**
 * An endpoint.
 *
 * @param path what stands below the repository
 * @param raw whether it also gives a file as it is, by the raw media type
 */
record Route(
    String method, Pattern path, Grant needed, String documentation, boolean raw, Handler handler) {

  interface Handler {
    /** A bare 404 becomes one that names the endpoint's documentation. */
    Reply handle(Call call);
  }

  static Route of(String method, String path, Grant needed, String documentation, Handler handler) {
    return new Route(method, Pattern.compile(path + "/?"), needed, documentation, false, handler);
  }

  Route orRaw() {
    return new Route(method, path, needed, documentation, true, handler);
  }

  boolean takes(String wanted) {
    return method.equals(wanted) || method.equals("GET") && wanted.equals("HEAD");
  }
}
