package dev.baton.githubsim;

import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;

/**
 * One request on its way to an endpoint.
 *
 * @param path what the endpoint's pattern found below the repository
 * @param asOf the moment of the copy that a read is answered from; writes see the present
 * @param documentation where the endpoint is explained, below GitHub's documentation
 */
record Call(
    SimRequest request,
    Matcher path,
    Repository repository,
    Optional<Token> token,
    Instant asOf,
    String documentation) {

  /** Nothing that a path could name has this number. */
  private static final long NOTHING = -1;

  String part(int group) {
    return SimRequest.decodePath(path.group(group));
  }

  /** A number in the path; a negative one where it is too large for anything to have it. */
  long number(int group) {
    String digits = path.group(group);
    return digits.length() > 18 ? NOTHING : Long.parseLong(digits);
  }

  /** The number of an issue or an attempt. */
  int smallNumber(int group) {
    long number = number(group);
    return number > Integer.MAX_VALUE ? (int) NOTHING : (int) number;
  }

  Optional<String> parameter(String name) {
    return request.parameter(name);
  }

  String login() {
    return token.map(Token::login).orElse("anonymous");
  }
}
