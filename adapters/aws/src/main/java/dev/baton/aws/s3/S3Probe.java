package dev.baton.aws.s3;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.account.AwsTrouble;
import dev.baton.aws.probe.AwsProbe;
import dev.baton.aws.probe.ProbeSession;
import dev.baton.aws.s3.S3Bucket.Condition;
import dev.baton.aws.s3.S3Bucket.Put;
import dev.baton.core.probe.Observation;
import dev.baton.core.probe.ProbeClock;
import dev.baton.core.probe.ProbePlan;
import dev.baton.core.probe.Recording;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tries in one bucket what {@link S3Assumptions} lists, with objects below {@code
 * probe-SECONDS-RANDOM/.baton-probe/}: no queue has a dot in the name of a document, so that
 * nothing else is ever called so. It begins with a delete of what does not exist, which shows
 * whether what it will write can be removed.
 */
final class S3Probe extends AwsProbe {
  static final int MOST_REQUESTS = 50;

  private static final int OBJECTS = 4;
  private static final int MOST_CLEANED = 12;
  private static final int KEPT_BACK = OBJECTS + 1 + MOST_CLEANED;
  private static final String MARK = ".baton-probe/";

  private final S3Place place;
  private final AwsAccount account;
  private final Supplier<? extends ObjectRequests> bucket;

  /**
   * @param bucket opens it
   */
  S3Probe(
      S3Place place,
      AwsAccount account,
      Supplier<? extends ObjectRequests> bucket,
      ProbeClock clock,
      InstantSource wall) {
    super(KEPT_BACK, S3Assumptions.QUICK_ANSWERS, clock, wall);
    this.place = Objects.requireNonNull(place, "place");
    this.account = Objects.requireNonNull(account, "account");
    this.bucket = Objects.requireNonNull(bucket, "bucket");
  }

  static S3Probe of(S3Place place, AwsAccount account) {
    return new S3Probe(
        place,
        account,
        () -> new S3Bucket(place.bucket(), account),
        ProbeClock.SYSTEM,
        InstantSource.system());
  }

  @Override
  protected String service() {
    return "S3";
  }

  @Override
  public ProbePlan plan() {
    return new ProbePlan(
        place.address() + " at " + account.place(AwsAccount.Service.S3),
        S3Assumptions.all(),
        List.of(
            OBJECTS
                + " small objects below "
                + place.below("probe-SECONDS-RANDOM")
                + ", which are deleted at the end; where the bucket keeps versions, theirs stay"
                + " until its rules let them go"),
        MOST_REQUESTS,
        new Recording(place.bucket(), "BUCKET"));
  }

  @Override
  protected Trial trial(Run run) {
    return new S3Trial(run);
  }

  private final class S3Trial implements Trial {
    private final Run run;
    private final ProbeSession session;
    private final ObjectRequests objects = bucket.get();
    private final String folder;
    private final Set<String> mayExist = new ConcurrentSkipListSet<>();
    private String first = "";
    private String present = "";

    S3Trial(Run run) {
      this.run = run;
      this.session = run.session();
      this.folder = place.below(run.name()) + MARK;
    }

    private String key(int number) {
      return folder + number + ".json";
    }

    private byte[] content(int number) {
      return ("{\"probe\":" + number + "}").getBytes(StandardCharsets.UTF_8);
    }

    private String remedy(String permission) {
      return "Allow "
          + permission
          + " on the bucket "
          + place.bucket()
          + " to the access key, in an IAM policy.";
    }

    // ---- requests

    private Put put(int number, int what, Condition condition, Map<String, String> tags)
        throws IOException, AwsFailure {
      mayExist.add(key(number));
      return session.ask(
          "put an object",
          "PUT",
          shown(number),
          () -> objects.put(key(number), content(what), condition, tags));
    }

    private S3Bucket.Get get(int number, Optional<String> known) throws IOException, AwsFailure {
      return session.ask(
          "get an object", "GET", shown(number), () -> objects.get(key(number), known));
    }

    private S3Bucket.Page list(String prefix, String after, int atMost)
        throws IOException, AwsFailure {
      return session.ask(
          "list objects",
          "GET",
          "/BUCKET?list-type=2&max-keys=" + atMost,
          () -> objects.list(prefix, after, atMost));
    }

    private void delete(String key) throws IOException, AwsFailure {
      session.ask(
          "delete an object",
          "DELETE",
          "/BUCKET/PREFIX/.baton-probe/",
          () -> {
            objects.delete(key);
            return "";
          });
    }

    private String shown(int number) {
      return "/BUCKET/PREFIX/.baton-probe/" + number + ".json";
    }

    private String shown(Put put) {
      if (put instanceof Put.Unknown unknown) {
        return unknown.reason();
      }
      return put instanceof Put.Done ? "accepted" : "refused";
    }

    // ---- the beginning

    @Override
    public boolean look() throws StoreException, InterruptedException {
      AwsFailure[] failure = new AwsFailure[1];
      boolean held =
          run.check(
              S3Assumptions.DELETE_ABSENT,
              remedy("s3:DeleteObject"),
              () -> {
                try {
                  delete(key(OBJECTS + 1));
                  return Observation.held("accepted");
                } catch (AwsFailure e) {
                  failure[0] = e;
                  throw e;
                }
              });
      AwsFailure e = failure[0];
      if (e != null && (e.kind() != AwsFailure.Kind.REFUSED || AwsTrouble.isAboutEverything(e))) {
        throw new AwsTrouble(
                account,
                AwsAccount.Service.S3,
                "the bucket " + place.bucket(),
                place.address(),
                System::nanoTime)
            .explain(e, "look whether objects can be deleted", "s3:DeleteObject");
      }
      if (!held) {
        run.giveUp(
            S3Assumptions.DELETE_ABSENT,
            S3Assumptions.all(),
            "not tried: what would be written could not be removed",
            remedy("s3:DeleteObject"));
      }
      return held;
    }

    // ---- all of it

    @Override
    public void tryAll() throws InterruptedException {
      String puts = remedy("s3:PutObject");
      String gets = remedy("s3:GetObject and s3:ListBucket");
      if (!run.check(S3Assumptions.CREATE, puts, this::create)) {
        run.giveUp(
            S3Assumptions.CREATE,
            S3Assumptions.all(),
            "not tried: no object could be created",
            puts);
        return;
      }
      run.check(S3Assumptions.CREATE_REFUSED, puts, () -> refused(put(1, 7, absent(), Map.of())));
      run.check(S3Assumptions.READ_BACK, gets, this::readBack);
      run.check(
          S3Assumptions.CONDITIONAL_READ,
          gets,
          () -> {
            boolean unchanged = get(1, Optional.of(first)) instanceof S3Bucket.Unchanged;
            return Observation.of(unchanged, unchanged ? "304" : "the whole object");
          });
      if (run.check(S3Assumptions.REPLACE, puts, this::replace)) {
        run.check(S3Assumptions.REPLACE_REFUSED, puts, this::replaceRefused);
      } else {
        run.findings()
            .others(
                List.of(S3Assumptions.REPLACE_REFUSED, S3Assumptions.ONE_REPLACES),
                Observation.unknown("not tried: no object could be replaced"));
      }
      run.check(S3Assumptions.REPLACE_ABSENT, puts, this::replaceAbsent);
      run.check(S3Assumptions.ABSENT_GET, gets, () -> absentGet());
      run.check(S3Assumptions.ONE_CREATES, puts, () -> race(2, absent()));
      if (run.findings().outcomeOf(S3Assumptions.ONE_REPLACES).isEmpty()) {
        run.check(S3Assumptions.ONE_REPLACES, puts, () -> race(1, new Condition.Matches(present)));
      }
      run.check(S3Assumptions.LISTED, remedy("s3:ListBucket"), this::listed);
      run.check(S3Assumptions.SERVER_TIME, remedy("s3:GetObject"), this::time);
      run.check(
          S3Assumptions.TAGS, remedy("s3:PutObjectTagging and s3:GetObjectTagging"), this::tags);
      run.check(S3Assumptions.DELETE, remedy("s3:DeleteObject"), this::deleted);
    }

    private Condition absent() {
      return new Condition.Absent();
    }

    private Observation create() throws IOException, AwsFailure {
      Put put = put(1, 1, absent(), Map.of());
      if (put instanceof Put.Done done && done.etag() != null) {
        first = done.etag();
        present = first;
        return Observation.held("accepted");
      }
      return put instanceof Put.Unknown
          ? Observation.unknown(shown(put))
          : Observation.broken(shown(put) + ", without an ETag");
    }

    private Observation refused(Put put) {
      return put instanceof Put.Unknown
          ? Observation.unknown(shown(put))
          : Observation.of(put instanceof Put.Lost, shown(put));
    }

    private Observation readBack() throws IOException, AwsFailure {
      if (get(1, Optional.empty()) instanceof S3Bucket.Got got) {
        boolean same = Arrays.equals(got.content(), content(1));
        boolean tagged = first.equals(got.etag());
        return Observation.of(
            same && tagged,
            (same ? "as it was put" : "another content")
                + (tagged ? ", with the same ETag" : ", with another ETag"));
      }
      return Observation.broken("NoSuchKey");
    }

    private Observation replace() throws IOException, AwsFailure {
      Put put = put(1, 2, new Condition.Matches(first), Map.of());
      if (put instanceof Put.Done done) {
        present = done.etag();
        return Observation.of(
            present != null && !present.equals(first),
            "accepted, with " + (first.equals(present) ? "the same" : "another") + " ETag");
      }
      return put instanceof Put.Unknown
          ? Observation.unknown(shown(put))
          : Observation.broken(shown(put));
    }

    private Observation replaceRefused() throws IOException, AwsFailure {
      Put put = put(1, 3, new Condition.Matches(first), Map.of());
      if (put instanceof Put.Unknown) {
        return Observation.unknown(shown(put));
      }
      boolean stayed =
          get(1, Optional.empty()) instanceof S3Bucket.Got got
              && Arrays.equals(got.content(), content(2));
      return Observation.of(
          put instanceof Put.Lost && stayed,
          shown(put) + (stayed ? "" : ", and the content has changed"));
    }

    private Observation replaceAbsent() throws IOException, AwsFailure {
      Put put = put(3, 3, new Condition.Matches(first), Map.of());
      if (put instanceof Put.Unknown) {
        return Observation.unknown(shown(put));
      }
      boolean none = get(3, Optional.empty()) instanceof S3Bucket.Missing;
      return Observation.of(
          put instanceof Put.Lost && none, shown(put) + (none ? "" : ", and the object is there"));
    }

    private Observation absentGet() throws IOException, AwsFailure {
      boolean missing = get(OBJECTS + 1, Optional.empty()) instanceof S3Bucket.Missing;
      return Observation.of(missing, missing ? "NoSuchKey" : "an object");
    }

    private Observation race(int number, Condition condition)
        throws IOException, AwsFailure, InterruptedException {
      List<Callable<Put>> racers = new ArrayList<>();
      for (int i = 0; i < RACERS; i++) {
        int racer = i;
        racers.add(() -> put(number, 10 + racer, condition, Map.of()));
      }
      List<Put> results = run.race(racers);
      long won = results.stream().filter(r -> r instanceof Put.Done).count();
      long unknown = results.stream().filter(r -> r instanceof Put.Unknown).count();
      String seen = won + " of " + RACERS + " accepted";
      return won == 0 && unknown > 0
          ? Observation.unknown(seen + ", " + unknown + " without an outcome")
          : Observation.of(won == 1, seen);
    }

    private Observation listed() throws IOException, AwsFailure {
      List<String> all = keys(list(folder, "", 10));
      List<String> rest = keys(list(folder, key(1), 10));
      boolean held = all.equals(List.of(key(1), key(2))) && rest.equals(List.of(key(2)));
      return Observation.of(
          held, all.size() + " of 2 objects, and " + rest.size() + " after the first");
    }

    private List<String> keys(S3Bucket.Page page) {
      return page.objects().stream().map(S3Bucket.Listed::key).toList();
    }

    private Observation time() throws IOException, AwsFailure {
      Optional<Instant> time =
          session.ask("look at an object", "HEAD", shown(1), () -> objects.time(key(1)));
      return Observation.of(time.isPresent(), time.isPresent() ? "a Date header" : "no time");
    }

    private Observation tags() throws IOException, AwsFailure {
      Put put = put(OBJECTS, 4, absent(), BucketSetup.HISTORY_TAG);
      if (!(put instanceof Put.Done)) {
        return Observation.unknown(shown(put));
      }
      Map<String, String> tags =
          session.ask(
              "look at tags", "GET", shown(OBJECTS) + "?tagging", () -> objects.tags(key(OBJECTS)));
      return Observation.of(tags.equals(BucketSetup.HISTORY_TAG), tags.size() + " tags");
    }

    private Observation deleted() throws IOException, AwsFailure {
      delete(key(1));
      boolean gone = get(1, Optional.empty()) instanceof S3Bucket.Missing;
      return Observation.of(gone, gone ? "NoSuchKey" : "still there");
    }

    // ---- afterwards

    @Override
    public List<String> remove() {
      boolean all = true;
      for (String key : mayExist) {
        try {
          delete(key);
        } catch (IOException | AwsFailure e) {
          all = false;
        }
      }
      return all
          ? List.of()
          : List.of("objects below " + place.bucket() + "/" + folder + ": delete them");
    }

    @Override
    public List<String> removeOthers() {
      String start = place.below("probe-").replaceFirst("/$", "");
      Pattern name =
          Pattern.compile(
              Pattern.quote(start) + "([0-9]{10})-[0-9a-f]{8}/" + Pattern.quote(MARK) + "[^/]+");
      int deleted = 0;
      try {
        for (S3Bucket.Listed one : list(start, "", S3Bucket.MOST_LISTED).objects()) {
          Matcher m = name.matcher(one.key());
          if (deleted < MOST_CLEANED
              && m.matches()
              && !one.key().startsWith(folder)
              && isOld(m.group(1))) {
            delete(one.key());
            deleted++;
          }
        }
      } catch (IOException | AwsFailure e) {
        return List.of("objects were not looked for: " + e.getMessage());
      }
      return deleted == 0 ? List.of() : List.of("deleted " + deleted + " objects");
    }

    private boolean isOld(String seconds) {
      return Instant.ofEpochSecond(Long.parseLong(seconds))
          .isBefore(run.start().minus(LONGEST_PROBE));
    }

    @Override
    public void close() {
      objects.close();
    }
  }
}
