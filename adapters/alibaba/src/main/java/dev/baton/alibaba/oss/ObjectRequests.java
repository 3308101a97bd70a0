package dev.baton.alibaba.oss;

import java.util.List;
import java.util.Optional;

/** What documents ask of a bucket. */
interface ObjectRequests {

  /** {@code Enabled}, {@code Suspended}, or empty when versions were never kept. */
  String versioning() throws OssFailure;

  /** The next objects in the order of their names: at least one, unless there is no more. */
  Bucket.Page list(String prefix, String after, int atMost) throws OssFailure;

  Optional<Bucket.Got> look(String key) throws OssFailure;

  /**
   * Creates an object that must not exist.
   *
   * @param mark comes along with the object, so that its writer knows it again
   */
  Bucket.Created create(String key, byte[] content, String mark) throws OssFailure;

  /** Those that do not exist are no trouble. At most {@link Bucket#MOST_LISTED}. */
  void delete(List<String> some) throws OssFailure;
}
