package dev.baton.client.lock;

import java.util.Map;
import java.util.Set;

/** The processes of one piece of guarded work among all those of this machine. */
public interface WorkProcesses {

  /** What they are to find in their environment, so that they can be recognised. */
  Map<String, String> environment();

  /** Whether this system lets them be told from those of other work. */
  boolean canBeTold();

  /** Those that run now, with all that they have started. */
  Set<ProcessHandle> running();
}
