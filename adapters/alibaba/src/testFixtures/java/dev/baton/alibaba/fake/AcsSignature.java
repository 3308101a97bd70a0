package dev.baton.alibaba.fake;

import dev.baton.testing.service.Call;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The two ways in which requests to the API are signed: in a header, or as parameters. */
final class AcsSignature {
  private static final Pattern HEADER =
      Pattern.compile(
          "ACS3-HMAC-SHA256 Credential=([^,\\s]+),SignedHeaders=([a-z0-9;-]+),"
              + "Signature=([0-9a-f]{64})");

  private final Call call;
  private final Matcher header;

  private AcsSignature(Call call, Matcher header) {
    this.call = call;
    this.header = header;
  }

  /**
   * @throws ApiRefusal when there is none, or it is not well-formed
   */
  static AcsSignature of(Call call) {
    String authorization = call.header("authorization");
    if (!authorization.isEmpty()) {
      Matcher m = HEADER.matcher(authorization);
      if (!m.matches()) {
        throw new ApiRefusal(400, "IncompleteSignature", "The request signature does not conform.");
      }
      for (String name :
          new String[] {"host", "x-acs-action", "x-acs-date", "x-acs-signature-nonce"}) {
        if (!(";" + m.group(2) + ";").contains(";" + name + ";")) {
          throw new ApiRefusal(400, "IncompleteSignature", name + " is not signed.");
        }
      }
      return new AcsSignature(call, m);
    }
    for (String name :
        new String[] {
          "AccessKeyId", "Signature", "SignatureMethod", "SignatureNonce", "Timestamp"
        }) {
      if (call.parameter(name).isEmpty()) {
        throw new ApiRefusal(400, "Missing" + name, name + " is mandatory for this action.");
      }
    }
    return new AcsSignature(call, null);
  }

  String keyId() {
    return header == null ? call.parameter("AccessKeyId") : header.group(1);
  }

  String token() {
    return header == null ? call.parameter("SecurityToken") : call.header("x-acs-security-token");
  }

  /** Different in each request that is signed anew; one that is sent once more has the same. */
  String nonce() {
    return header == null ? call.parameter("SignatureNonce") : call.header("x-acs-signature-nonce");
  }

  Instant time() {
    try {
      return Instant.parse(
          header == null ? call.parameter("Timestamp") : call.header("x-acs-date"));
    } catch (DateTimeException e) {
      throw new ApiRefusal(400, "InvalidTimeStamp.Format", "The timestamp is not well-formed.");
    }
  }

  boolean fits(String secret) {
    String signature = header == null ? call.parameter("Signature") : header.group(3);
    String expected = header == null ? ofParameters(secret) : ofHeader(secret);
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.UTF_8), signature.getBytes(StandardCharsets.UTF_8));
  }

  private String ofHeader(String secret) {
    StringBuilder canonical = new StringBuilder(call.method()).append("\n/\n");
    canonical.append(query(call.parameters(), true)).append('\n');
    for (String name : header.group(2).split(";")) {
      canonical.append(name).append(':').append(call.header(name).strip()).append('\n');
    }
    String payload = HexFormat.of().formatHex(sha256(call.body()));
    if (!payload.equals(call.header("x-acs-content-sha256"))) {
      throw new ApiRefusal(400, "InvalidContentSHA256", "The hash of the body does not fit.");
    }
    canonical.append('\n').append(header.group(2)).append('\n').append(payload);
    String toSign =
        "ACS3-HMAC-SHA256\n"
            + HexFormat.of()
                .formatHex(sha256(canonical.toString().getBytes(StandardCharsets.UTF_8)));
    return HexFormat.of().formatHex(mac("HmacSHA256", secret, toSign));
  }

  private String ofParameters(String secret) {
    Map<String, String> signed = new TreeMap<>(call.parameters());
    signed.remove("Signature");
    String toSign = call.method() + "&%2F&" + encoded(query(signed, false));
    return Base64.getEncoder().encodeToString(mac("HmacSHA1", secret + "&", toSign));
  }

  private static String query(Map<String, String> parameters, boolean emptyToo) {
    StringBuilder all = new StringBuilder();
    parameters.forEach(
        (name, value) -> {
          if (emptyToo || !value.isEmpty()) {
            all.append(all.length() == 0 ? "" : "&")
                .append(encoded(name))
                .append('=')
                .append(encoded(value));
          }
        });
    return all.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8)
        .replace("+", "%20")
        .replace("*", "%2A")
        .replace("%7E", "~");
  }

  private static byte[] sha256(byte[] content) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(content);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static byte[] mac(String algorithm, String secret, String text) {
    try {
      Mac mac = Mac.getInstance(algorithm);
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), algorithm));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }
}
