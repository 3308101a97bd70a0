package dev.baton.aws.s3;

import dev.baton.aws.account.AwsFailure;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** What is asked of a bucket, see {@link S3Bucket}. */
interface ObjectRequests {

  S3Bucket.Get get(String key, Optional<String> known) throws AwsFailure;

  S3Bucket.Page list(String prefix, String after, int atMost) throws AwsFailure;

  Optional<Instant> time(String key) throws AwsFailure;

  S3Bucket.Put put(
      String key, byte[] content, S3Bucket.Condition condition, Map<String, String> tags)
      throws AwsFailure;

  Map<String, String> tags(String key) throws AwsFailure;

  void delete(String key) throws AwsFailure;

  void close();
}
