package dev.baton.alibaba.oss;

import dev.baton.core.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which queues are below a prefix of a bucket: a folder with the document of a queue in it. Asks
 * for a list of names and for no content; what else is in the bucket is passed over.
 */
final class OssQueues {

  /** Of as many pages as a bucket of builds never has. */
  private static final int MOST_PAGES = 200;

  /** What it has said, number by number, as in {@link OssDocument}. */
  private static final Pattern DOCUMENT = Pattern.compile("/queue/\\d+-\\d+\\.json");

  private final String prefix;
  private final ObjectRequests bucket;

  OssQueues(OssPlace place, ObjectRequests bucket) {
    this.prefix = place.prefix().isEmpty() ? "" : place.prefix() + "/";
    this.bucket = bucket;
  }

  /** Their names in the order of the alphabet; empty when there is too much to look through. */
  Optional<List<String>> names() throws OssFailure {
    List<String> names = new ArrayList<>();
    String after = "";
    for (int i = 0; i < MOST_PAGES; i++) {
      Bucket.Page page = bucket.list(prefix, after, Bucket.MOST_LISTED);
      for (Bucket.Listed object : page.objects()) {
        String name = folder(object.key());
        if (DOCUMENT.matcher(object.key().substring(prefix.length() + name.length())).matches()
            && Checks.isQueueName(name)
            && !names.contains(name)) {
          names.add(name);
        }
      }
      if (!page.more()) {
        return Optional.of(List.copyOf(names));
      }
      after = next(page.objects().get(page.objects().size() - 1).key(), names);
    }
    return Optional.empty();
  }

  private String folder(String key) {
    return key.substring(prefix.length()).split("/", 2)[0];
  }

  /** Behind all objects of a queue that is known already: "0" comes right after the slash. */
  private String next(String last, List<String> known) {
    String name = folder(last);
    return known.contains(name) ? prefix + name + "0" : last;
  }
}
