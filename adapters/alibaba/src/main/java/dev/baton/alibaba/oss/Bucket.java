package dev.baton.alibaba.oss;

import com.aliyun.oss.OSSErrorCode;
import com.aliyun.oss.model.DeleteObjectsRequest;
import com.aliyun.oss.model.GenericRequest;
import com.aliyun.oss.model.GetObjectRequest;
import com.aliyun.oss.model.ListObjectsV2Request;
import com.aliyun.oss.model.ListObjectsV2Result;
import com.aliyun.oss.model.OSSObject;
import com.aliyun.oss.model.OSSObjectSummary;
import com.aliyun.oss.model.ObjectMetadata;
import com.aliyun.oss.model.PutObjectRequest;
import java.io.ByteArrayInputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The few requests that a store needs. */
final class Bucket implements ObjectRequests, AutoCloseable {

  /** An object as a list shows it. */
  record Listed(String key, String etag, Instant modified) {}

  /**
   * An object as it was got.
   *
   * @param mark what its writer put on it, or empty
   */
  record Got(byte[] content, String etag, String mark) {}

  /**
   * A part of a list.
   *
   * @param more whether it goes on
   */
  record Page(List<Listed> objects, boolean more) {}

  /** What became of a create. */
  enum Created {
    DONE,
    EXISTS,
    /** Done, but in a bucket that keeps versions, where it may have overwritten something. */
    IN_VERSIONED_BUCKET
  }

  /** More than the largest document has in UTF-8. */
  private static final int LARGEST = 16 << 20;

  static final int MOST_LISTED = 1000;

  private static final int EMPTY_PAGES = 100;

  private static final String MARK = "baton-write";

  private final String name;
  private final OssClient client;

  Bucket(String name, OssAccess access) {
    this.name = name;
    this.client = new OssClient(access);
  }

  Bucket(String name, OssAccess access, OssClient.Listener listener) {
    this.name = name;
    this.client = new OssClient(access, listener);
  }

  String name() {
    return name;
  }

  // ---- requests

  @Override
  public String versioning() throws OssFailure {
    return client.ask(
        oss -> {
          String status =
              oss.getBucketVersioning(OssClient.quiet(new GenericRequest(name))).getStatus();
          return status == null || status.equals("Off") ? "" : status;
        });
  }

  @Override
  public Page list(String prefix, String after, int atMost) throws OssFailure {
    ListObjectsV2Request request = new ListObjectsV2Request(name, prefix);
    request.setMaxKeys(atMost);
    // Names may have characters in them that no XML can have.
    request.setEncodingType("url");
    if (!after.isEmpty()) {
      request.setStartAfter(after);
    }
    for (int i = 0; i < EMPTY_PAGES; i++) {
      ListObjectsV2Result result =
          client.ask(oss -> client.shown(oss.listObjectsV2(OssClient.quiet(request))));
      if (!result.getObjectSummaries().isEmpty() || !result.isTruncated()) {
        return new Page(
            result.getObjectSummaries().stream()
                .map(s -> new Listed(key(s, result), s.getETag(), s.getLastModified().toInstant()))
                .toList(),
            result.isTruncated());
      }
      // OSS may stop before it has found anything: it goes on from there.
      request.setContinuationToken(result.getNextContinuationToken());
    }
    throw new OssFailure(
        OssFailure.Kind.UNSURE, "EmptyPages", "a list that goes on and shows nothing", "");
  }

  /** The client leaves names as they were sent. */
  private static String key(OSSObjectSummary listed, ListObjectsV2Result page) {
    return "url".equals(page.getEncodingType())
        ? URLDecoder.decode(listed.getKey(), StandardCharsets.UTF_8)
        : listed.getKey();
  }

  Optional<byte[]> get(String key) throws OssFailure {
    return look(key).map(Got::content);
  }

  @Override
  public Optional<Got> look(String key) throws OssFailure {
    try {
      return client.ask(
          oss -> {
            try (OSSObject found =
                client.shown(oss.getObject(OssClient.quiet(new GetObjectRequest(name, key))))) {
              boolean fits = found.getObjectMetadata().getContentLength() <= LARGEST;
              byte[] content =
                  fits ? found.getObjectContent().readNBytes(LARGEST + 1) : new byte[0];
              if (!fits || content.length > LARGEST) {
                found.forcedClose(); // else closing it would get all of it
                throw new OssFailure(
                    OssFailure.Kind.REFUSED, "TooLarge", key + " is not a document of Baton", "");
              }
              String etag = found.getObjectMetadata().getETag();
              return Optional.of(new Got(content, etag, mark(found)));
            }
          });
    } catch (OssFailure e) {
      if (e.code().equals(OSSErrorCode.NO_SUCH_KEY)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** The client itself knows metadata by lower-case names alone. */
  private static String mark(OSSObject found) {
    return found.getResponse().getHeaders().getOrDefault("x-oss-meta-" + MARK, "");
  }

  @Override
  public Created create(String key, byte[] content, String mark) throws OssFailure {
    ObjectMetadata about = new ObjectMetadata();
    about.setContentLength(content.length);
    about.setContentType("application/json");
    about.setContentMD5(md5(content));
    about.addUserMetadata(MARK, mark);
    about.setHeader("x-oss-forbid-overwrite", "true");
    PutObjectRequest request =
        new PutObjectRequest(name, key, new ByteArrayInputStream(content), about);
    try {
      return client.ask(
          oss ->
              client.shown(oss.putObject(OssClient.quiet(request))).getVersionId() == null
                  ? Created.DONE
                  : Created.IN_VERSIONED_BUCKET);
    } catch (OssFailure e) {
      if (e.code().equals(OSSErrorCode.FILE_ALREADY_EXISTS)) {
        return Created.EXISTS;
      }
      throw e;
    }
  }

  @Override
  public void delete(List<String> some) throws OssFailure {
    if (some.isEmpty()) {
      return;
    }
    DeleteObjectsRequest request = new DeleteObjectsRequest(name).withKeys(some);
    request.setQuiet(true);
    client.ask(oss -> client.shown(oss.deleteObjects(OssClient.quiet(request))));
  }

  private static String md5(byte[] content) {
    try {
      return Base64.getEncoder().encodeToString(MessageDigest.getInstance("MD5").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5", e);
    }
  }

  @Override
  public void close() {
    client.close();
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "Bucket[%s]", name);
  }
}
