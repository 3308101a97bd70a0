package dev.baton.alibaba.oss;

import dev.baton.core.probe.Assumption;
import dev.baton.core.probe.Findings;
import dev.baton.core.probe.Observation;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.ProbeClock;
import dev.baton.core.probe.ProbePlan;
import dev.baton.core.probe.ProbeReport;
import dev.baton.core.probe.ProbeStopped;
import dev.baton.core.probe.Race;
import dev.baton.core.probe.Recording;
import dev.baton.core.probe.RequestMeter;
import dev.baton.core.probe.Verdict;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Tries in one bucket what {@link OssAssumptions} lists.
 *
 * <ol>
 *   <li>One read shows that the bucket is there and keeps no versions; otherwise nothing is
 *       written, as nothing could be removed without a trace.
 *   <li>All objects are below {@code probe-SECONDS-RANDOM/.baton-probe/}. No document of a queue
 *       has a dot in its name, so that nothing else is ever called so.
 *   <li>Whatever happens, all of them are deleted, with a request that is kept back for that.
 *   <li>Then objects are deleted that a probe left which was killed more than an hour ago, by the
 *       time in their names: OSS refuses clients whose clocks are more than 15 minutes off.
 * </ol>
 */
final class OssProbe implements Probe {
  static final int MOST_REQUESTS = 30;

  private static final int KEPT_BACK = 1;

  /** Of OSS, for recordings: none of them names anybody or anything. */
  private static final Set<String> HARMLESS_HEADERS =
      Set.of(
          "x-oss-forbid-overwrite",
          "x-oss-hash-crc64ecma",
          "x-oss-meta-baton-write",
          "x-oss-object-type",
          "x-oss-server-time",
          "x-oss-storage-class",
          "x-oss-version-id");

  private static final int RACERS = 4;
  private static final String MARK = ".baton-probe/";
  private static final Duration LONGEST_PROBE = Duration.ofHours(1);
  private static final List<Duration> LOOKS =
      List.of(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(4));

  private final OssPlace place;
  private final OssAccess access;
  private final Function<OssClient.Listener, ? extends ObjectRequests> bucket;
  private final ProbeClock clock;
  private final InstantSource wall;

  /**
   * @param bucket opens it; what is {@link AutoCloseable} is closed
   */
  OssProbe(
      OssPlace place,
      OssAccess access,
      Function<OssClient.Listener, ? extends ObjectRequests> bucket,
      ProbeClock clock,
      InstantSource wall) {
    this.place = Objects.requireNonNull(place, "place");
    this.access = Objects.requireNonNull(access, "access");
    this.bucket = Objects.requireNonNull(bucket, "bucket");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.wall = Objects.requireNonNull(wall, "wall");
  }

  static OssProbe of(OssPlace place, OssAccess access) {
    return new OssProbe(
        place,
        access,
        listener -> new Bucket(place.bucket(), access, listener),
        ProbeClock.SYSTEM,
        InstantSource.system());
  }

  @Override
  public ProbePlan plan() {
    return new ProbePlan(
        place.address() + " at " + access.endpoint(),
        OssAssumptions.all(),
        List.of(
            "three small objects below "
                + place.below("probe-SECONDS-RANDOM")
                + ", which are deleted at the end"),
        MOST_REQUESTS,
        new Recording(place.bucket(), "BUCKET", HARMLESS_HEADERS));
  }

  @Override
  public ProbeReport run(Watcher watcher) throws StoreException, InterruptedException {
    RequestMeter meter = new RequestMeter(MOST_REQUESTS, KEPT_BACK);
    try (OssSession session = new OssSession(place, bucket, meter, clock, watcher)) {
      Run run = new Run(session);
      boolean writable = run.look();
      List<String> cleaned = new ArrayList<>();
      List<String> left = new ArrayList<>();
      try {
        if (writable) {
          run.tryAll();
        }
      } finally {
        session.clean();
        boolean interrupted = Thread.interrupted();
        run.remove().ifPresent(left::add);
        if (writable) {
          run.removeOthers(cleaned);
        }
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
      run.noteTimes(meter);
      return new ProbeReport(
          run.findings.outcomes(), meter.operations(), meter.sent(), cleaned, left);
    }
  }

  /** One run of it. */
  private final class Run {
    private final OssSession session;
    private final Findings findings = new Findings(OssAssumptions.all(), clock);
    private final Instant start = wall.instant();
    private final String folder =
        place.below(
                "probe-"
                    + start.getEpochSecond()
                    + "-"
                    + UUID.randomUUID().toString().substring(0, 8))
            + MARK;
    private final Set<String> mayExist = new ConcurrentSkipListSet<>();

    Run(OssSession session) {
      this.session = session;
    }

    /** Names count down, as those of a document do. */
    private String key(int number) {
      return folder + (9 - number) + ".json";
    }

    private byte[] content(int number) {
      return ("{\"probe\":" + number + "}").getBytes(StandardCharsets.UTF_8);
    }

    // ---- the beginning

    /**
     * @return whether something may be written
     * @throws StoreException when there is nothing to probe
     */
    boolean look() throws StoreException, InterruptedException {
      OssFailure[] failure = new OssFailure[1];
      boolean held =
          check(
              OssAssumptions.NOT_VERSIONED,
              "oss:GetBucketVersioning",
              () -> {
                try {
                  String status = session.versioning();
                  return Observation.of(
                      status.isEmpty(),
                      status.isEmpty() ? "never enabled" : "versioning: " + Texts.plain(status));
                } catch (OssFailure e) {
                  failure[0] = e;
                  throw e;
                }
              });
      OssFailure e = failure[0];
      if (e != null && (e.kind() != OssFailure.Kind.REFUSED || OssTrouble.isAboutEverything(e))) {
        throw new OssTrouble(place, access)
            .explain(e, "look at the bucket", "oss:GetBucketVersioning");
      }
      if (!held) {
        Verdict verdict = findings.outcomeOf(OssAssumptions.NOT_VERSIONED).orElseThrow();
        findings.others(
            OssAssumptions.all(),
            verdict == Verdict.NOT_ALLOWED
                ? Observation.notAllowed(
                    "not tried: it is not known whether the bucket keeps versions",
                    remedy("oss:GetBucketVersioning"))
                : Observation.notApplicable(
                    "Nothing is written to a bucket that keeps versions: it could not be removed"
                        + " without a trace."));
      }
      return held;
    }

    // ---- all of it

    void tryAll() throws InterruptedException {
      if (!check(OssAssumptions.CREATE, "oss:PutObject", this::create)) {
        boolean denied =
            findings
                .outcomeOf(OssAssumptions.CREATE)
                .filter(Verdict.NOT_ALLOWED::equals)
                .isPresent();
        findings.others(
            OssAssumptions.all(),
            denied
                ? Observation.notAllowed(
                    "not tried: the key may not put objects", remedy("oss:PutObject"))
                : Observation.unknown("not tried: no object could be created"));
        return;
      }
      check(
          OssAssumptions.FORBID_OVERWRITE,
          "oss:PutObject",
          () -> {
            Bucket.Created again = put(1, 7);
            return Observation.of(again == Bucket.Created.EXISTS, shown(again));
          });
      Bucket.Listed[] listed = new Bucket.Listed[1];
      check(OssAssumptions.LIST_AFTER_CREATE, "oss:ListObjects", () -> listed(listed));
      check(OssAssumptions.READ_BACK, "oss:GetObject", () -> readBack(listed[0]));
      check(OssAssumptions.NEWEST_FIRST, "oss:ListObjects", this::newestFirst);
      check(OssAssumptions.START_AFTER, "oss:ListObjects", this::startAfter);
      check(
          OssAssumptions.ABSENT_GET,
          "oss:GetObject",
          () ->
              Observation.of(
                  session.look(key(8)).isEmpty(), "an object that does not exist was looked for"));
      check(OssAssumptions.ONE_WINNER, "oss:PutObject", this::race);
      if (check(OssAssumptions.DELETE, "oss:DeleteObject", this::delete)) {
        check(OssAssumptions.DELETED_IS_FREE, "oss:PutObject", this::createAgain);
      } else {
        findings.others(
            List.of(OssAssumptions.DELETED_IS_FREE),
            Observation.unknown("not tried: no object could be deleted"));
      }
    }

    private Observation createAgain() throws IOException, OssFailure {
      Bucket.Created again = put(1, 1);
      return Observation.of(again == Bucket.Created.DONE, shown(again));
    }

    private Bucket.Created put(int number, int what) throws IOException, OssFailure {
      mayExist.add(key(number));
      return session.create(key(number), content(what), "probe-" + what);
    }

    private String shown(Bucket.Created created) {
      return switch (created) {
        case DONE -> "accepted";
        case EXISTS -> "refused, FileAlreadyExists";
        case IN_VERSIONED_BUCKET -> "accepted, with a version";
      };
    }

    private Observation create() throws IOException, OssFailure {
      Bucket.Created created = put(1, 1);
      return Observation.of(created == Bucket.Created.DONE, shown(created));
    }

    private Observation listed(Bucket.Listed[] found)
        throws IOException, OssFailure, InterruptedException {
      long written = clock.nanos();
      for (Duration look : LOOKS) {
        Duration wait = look.minusNanos(clock.nanos() - written);
        if (wait.compareTo(Duration.ZERO) > 0) {
          clock.pause(wait);
        }
        for (Bucket.Listed one : session.list(folder, "", 10).objects()) {
          if (one.key().equals(key(1))) {
            found[0] = one;
            long after = Duration.ofNanos(clock.nanos() - written).toMillis();
            return Observation.of(look.isZero(), "shown after " + after + " ms");
          }
        }
      }
      return Observation.broken("not shown after 4 s");
    }

    private Observation readBack(Bucket.Listed listed) throws IOException, OssFailure {
      Optional<Bucket.Got> got = session.look(key(1));
      if (got.isEmpty()) {
        findings.others(
            List.of(OssAssumptions.MARK, OssAssumptions.LIST_ETAG),
            Observation.unknown("not tried: the object could not be read"));
        return Observation.broken("NoSuchKey");
      }
      String mark = got.get().mark();
      findings.note(
          OssAssumptions.MARK,
          Observation.of(
              mark.equals("probe-1"), mark.isEmpty() ? "no mark" : "mark " + Texts.plain(mark)));
      findings.note(
          OssAssumptions.LIST_ETAG,
          listed == null
              ? Observation.unknown("not tried: no list has shown the object")
              : Observation.of(
                  listed.etag().equals(got.get().etag()),
                  "in the list "
                      + Texts.plain(listed.etag())
                      + ", of the object "
                      + Texts.plain(got.get().etag())));
      boolean same = Arrays.equals(got.get().content(), content(1));
      return Observation.of(same, same ? "as it was put" : "another content");
    }

    private Observation newestFirst() throws IOException, OssFailure {
      Bucket.Created second = put(2, 2);
      if (second != Bucket.Created.DONE) {
        return Observation.unknown("a second object: " + shown(second));
      }
      List<String> keys = keys(session.list(folder, "", 1));
      return Observation.of(keys.equals(List.of(key(2))), "a list of one shows " + names(keys));
    }

    private Observation startAfter() throws IOException, OssFailure {
      List<String> keys = keys(session.list(folder, key(2), 10));
      return Observation.of(
          keys.equals(List.of(key(1))), "after the newest there is " + names(keys));
    }

    private List<String> keys(Bucket.Page page) {
      return page.objects().stream().map(Bucket.Listed::key).toList();
    }

    private String names(List<String> keys) {
      return keys.isEmpty()
          ? "nothing"
          : keys.stream()
              .map(k -> Texts.plain(k.substring(k.lastIndexOf('/') + 1)))
              .collect(Collectors.joining(", "));
    }

    private Observation race() throws IOException, OssFailure, InterruptedException {
      List<Callable<Bucket.Created>> racers = new ArrayList<>();
      for (int i = 0; i < RACERS; i++) {
        int racer = i;
        racers.add(() -> put(3, 3 + racer));
      }
      List<Bucket.Created> results;
      try {
        results = Race.run(racers);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Error error) {
          throw error;
        } else if (e.getCause() instanceof OssFailure failure) {
          throw failure;
        }
        throw new IOException(String.valueOf(e.getCause().getMessage()), e);
      }
      long won = results.stream().filter(r -> r != Bucket.Created.EXISTS).count();
      return Observation.of(won == 1, won + " of " + RACERS + " accepted");
    }

    private Observation delete() throws IOException, OssFailure {
      // The last one does not exist.
      session.delete(List.of(key(1), key(2), key(8)));
      List<String> rest = keys(session.list(folder, "", 10));
      boolean gone = !rest.contains(key(1)) && !rest.contains(key(2));
      return Observation.of(gone, "left in the list: " + names(rest));
    }

    // ---- afterwards

    void noteTimes(RequestMeter meter) {
      meter.operations().stream()
          .filter(operation -> !operation.name().equals(OssSession.FIRST))
          .max(Comparator.comparing(ProbeReport.Operation::slowest))
          .ifPresent(
              o ->
                  findings.note(
                      OssAssumptions.QUICK_ANSWERS,
                      Observation.of(
                          o.slowest().compareTo(OssAssumptions.LONGEST_REQUEST) <= 0,
                          "the slowest answer took "
                              + o.slowest().toMillis()
                              + " ms ("
                              + o.name()
                              + ")")));
    }

    Optional<String> remove() {
      if (mayExist.isEmpty()) {
        return Optional.empty();
      }
      try {
        session.delete(List.copyOf(mayExist));
        return Optional.empty();
      } catch (IOException | OssFailure e) {
        return Optional.of("objects below " + place.bucket() + "/" + folder + ": delete them");
      }
    }

    void removeOthers(List<String> cleaned) {
      String start = place.below("probe-").replaceFirst("/$", "");
      Pattern name =
          Pattern.compile(
              Pattern.quote(start) + "([0-9]{10})-[0-9a-f]{8}/" + Pattern.quote(MARK) + "[^/]+");
      try {
        List<String> old = new ArrayList<>();
        for (Bucket.Listed one : session.list(start, "", Bucket.MOST_LISTED).objects()) {
          Matcher m = name.matcher(one.key());
          if (m.matches() && !one.key().startsWith(folder) && isOld(m.group(1))) {
            old.add(one.key());
          }
        }
        if (!old.isEmpty()) {
          session.delete(old);
          cleaned.add("deleted " + old.size() + " objects");
        }
      } catch (IOException | OssFailure e) {
        cleaned.add("objects were not looked for: " + e.getMessage());
      }
    }

    private boolean isOld(String seconds) {
      return Instant.ofEpochSecond(Long.parseLong(seconds)).isBefore(start.minus(LONGEST_PROBE));
    }

    // ---- checks

    /** Tries something. */
    private interface Attempt {
      Observation look() throws IOException, OssFailure, InterruptedException;
    }

    private boolean check(Assumption assumption, String permission, Attempt attempt)
        throws InterruptedException {
      return findings.check(
          assumption,
          () -> {
            try {
              return attempt.look();
            } catch (OssFailure e) {
              return judged(e, permission);
            }
          });
    }

    private Observation judged(OssFailure e, String permission) throws ProbeStopped {
      if (e.kind() == OssFailure.Kind.BUSY) {
        session.stop("not tried: OSS asks for fewer requests (" + e.code() + ")");
      }
      if (e.kind() != OssFailure.Kind.REFUSED) {
        return Observation.unknown(e.trace());
      }
      return e.code().equals("AccessDenied") || e.code().equals("AccessForbidden")
          ? Observation.notAllowed(e.code(), remedy(permission))
          : Observation.broken(e.trace());
    }

    private String remedy(String permission) {
      return "Allow " + permission + " on " + place.bucket() + " to the key, in a RAM policy.";
    }
  }
}
