package dev.baton.alibaba.fake;

import dev.baton.testing.service.Call;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The signature of a request to OSS, version 4.
 *
 * @param keyId who claims to have signed
 * @param region the region that was signed for
 */
record OssSignature(
    String keyId, String date, String region, Set<String> others, String signature) {
  private static final Pattern FORM =
      Pattern.compile(
          "OSS4-HMAC-SHA256 Credential=([^/,\\s]+)/(\\d{8})/([a-z0-9-]+)/oss/aliyun_v4_request"
              + "(?:,\\s*AdditionalHeaders=([a-z0-9;-]+))?,\\s*Signature=([0-9a-f]{64})");

  /**
   * @return null when it is not well-formed
   */
  static OssSignature parse(String authorization) {
    Matcher m = FORM.matcher(authorization);
    if (!m.matches()) {
      return null;
    }
    Set<String> others = new TreeSet<>();
    if (m.group(4) != null) {
      others.addAll(Set.of(m.group(4).split(";")));
    }
    return new OssSignature(m.group(1), m.group(2), m.group(3), others, m.group(5));
  }

  /** Whether somebody who has the secret signed exactly this request. */
  boolean fits(Call call, String secret) {
    return MessageDigest.isEqual(
        signatureOf(call, secret).getBytes(StandardCharsets.US_ASCII),
        signature.getBytes(StandardCharsets.US_ASCII));
  }

  private String signatureOf(Call call, String secret) {
    String scope = date + "/" + region + "/oss/aliyun_v4_request";
    String toSign =
        "OSS4-HMAC-SHA256\n"
            + call.header("x-oss-date")
            + "\n"
            + scope
            + "\n"
            + HexFormat.of().formatHex(sha256(canonical(call)));
    byte[] key = ("aliyun_v4" + secret).getBytes(StandardCharsets.UTF_8);
    for (String part : new String[] {date, region, "oss", "aliyun_v4_request", toSign}) {
      key = hmac(key, part);
    }
    return HexFormat.of().formatHex(key);
  }

  private String canonical(Call call) {
    StringBuilder text = new StringBuilder(call.method()).append('\n');
    text.append(encoded("/" + call.resource()).replace("%2F", "/")).append('\n');
    Map<String, String> query = new TreeMap<>();
    call.parameters().forEach((name, value) -> query.put(encoded(name), encoded(value)));
    String separator = "";
    for (Map.Entry<String, String> one : query.entrySet()) {
      text.append(separator).append(one.getKey());
      if (!one.getValue().isEmpty()) {
        text.append('=').append(one.getValue());
      }
      separator = "&";
    }
    text.append('\n');
    call.headers()
        .forEach(
            (name, value) -> {
              if (name.startsWith("x-oss-")
                  || name.equals("content-type")
                  || name.equals("content-md5")
                  || others.contains(name)) {
                text.append(name).append(':').append(value.strip()).append('\n');
              }
            });
    return text.append('\n')
        .append(String.join(";", others))
        .append('\n')
        .append(call.header("x-oss-content-sha256"))
        .toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8)
        .replace("+", "%20")
        .replace("*", "%2A")
        .replace("%7E", "~");
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }
}
