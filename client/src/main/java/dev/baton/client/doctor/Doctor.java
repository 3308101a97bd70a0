package dev.baton.client.doctor;

import dev.baton.client.doctor.Finding.Check;
import dev.baton.client.queue.OpenQueue;
import dev.baton.core.DocumentException;
import dev.baton.core.Problem;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.queue.Ticket;
import dev.baton.store.StoreException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Looks for what is wrong with a queue, in this order: the store, the document, the right to write,
 * what keeps everybody from the lock, heartbeats, the length of branches, the board, the service,
 * tickets. What needs a document is left out when there is none to read.
 */
public final class Doctor {

  private final OpenQueue open;
  private final Instant now;
  private final Wording wording;

  public Doctor(OpenQueue open, Instant now, Wording wording) {
    this.open = Objects.requireNonNull(open, "open");
    this.now = Objects.requireNonNull(now, "now");
    this.wording = Objects.requireNonNull(wording, "wording");
  }

  /**
   * Looks; writes nothing.
   *
   * @throws QueueException when the document, which was read before, cannot be read again
   * @throws StoreException when a heartbeat cannot be read although the document can
   */
  public Diagnosis examine() throws QueueException, StoreException, InterruptedException {
    return new Diagnosis(findings(false));
  }

  /**
   * Makes what is missing and takes out what has ended, then looks. A queue that is not there is
   * not made: it may be the wrong place.
   *
   * @throws QueueException when that fails; some of it may be done
   * @throws StoreException when a heartbeat cannot be read although the document can
   */
  public Diagnosis repair() throws QueueException, StoreException, InterruptedException {
    List<Finding> found = repaired();
    found.addAll(findings(true));
    return new Diagnosis(found);
  }

  private List<Finding> repaired() throws QueueException, InterruptedException {
    List<Finding> found = new ArrayList<>();
    Rules rules;
    try {
      if (open.quick().repair()) {
        found.add(
            Finding.ok(
                Check.REPAIR,
                "repaired: the document could not be read, and its last good version takes its"
                    + " place"));
      }
      rules = open.quick().status().rules();
    } catch (QueueException.NotInitialised e) {
      return found;
    }
    open.quick().create(rules);
    List<Ticket> cleaned = open.quick().clean();
    found.add(
        Finding.ok(
            Check.REPAIR,
            "repaired: what belongs to the queue is there, "
                + cleaned.size()
                + (cleaned.size() == 1 ? " ticket" : " tickets")
                + " of ended jobs taken out"));
    return found;
  }

  private List<Finding> findings(boolean repaired)
      throws QueueException, StoreException, InterruptedException {
    List<Finding> found = new ArrayList<>();
    Optional<QueueDocument> document = document(found);
    if (document.isPresent()) {
      DocumentChecks inDocument = new DocumentChecks(open.place(), document.get(), now, wording);
      StoreChecks inStore = new StoreChecks(open, document.get(), now, wording);
      found.addAll(inDocument.format());
      found.addAll(inStore.permission(repaired));
      found.addAll(inDocument.state());
      found.addAll(inStore.heartbeats());
      found.addAll(inStore.compaction());
      found.addAll(inStore.board());
      found.addAll(inStore.service());
      found.addAll(inDocument.tickets(open.runStatus()));
    }
    return found;
  }

  private Optional<QueueDocument> document(List<Finding> found) throws InterruptedException {
    Finding answers = Finding.ok(Check.STORE, "the store answers: " + open.place().shown());
    try {
      QueueDocument d = open.quick().status();
      found.add(answers);
      return Optional.of(d);
    } catch (QueueException.NotInitialised e) {
      found.add(answers);
      found.add(
          Finding.problem(
              Check.DOCUMENT,
              "there is no queue",
              "create it with `" + wording.create(open.place()) + "`"));
    } catch (QueueException | DocumentException e) {
      Problem why = wording.explain(e);
      Finding unreadable = Finding.problem(Check.DOCUMENT, why.what(), why.next());
      found.add(e instanceof QueueException.Broken ? unreadable.andRepairable() : unreadable);
    }
    return Optional.empty();
  }
}
