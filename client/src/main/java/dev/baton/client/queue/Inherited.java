package dev.baton.client.queue;

/**
 * A lock that another process got, and gives back, under which this one works. It is to be proved
 * by a write before it is relied upon.
 */
public record Inherited(long ticket, long token) {

  public static final String TICKET = "BATON_TICKET";
  public static final String TOKEN = "BATON_FENCING_TOKEN";

  /** {@code TICKET:TOKEN:QUEUE,…}, in an alphabet that needs no quotes anywhere. */
  public static final String ALL = "BATON_LOCKS";

  public Inherited {
    if (ticket <= 0 || token <= 0) {
      throw new IllegalArgumentException(
          "a lock has a ticket and a token: " + ticket + ", " + token);
    }
  }
}
