package dev.baton.githubsim;

/**
 * A workflow, known by its file.
 *
 * @param name as the file says, or the file's path
 */
record Workflow(String name, String path) {
  private static final String FOLDER = ".github/workflows/";

  /** The workflow of a run that somebody starts by name, whether there is a file or not. */
  static Workflow named(String name) {
    return new Workflow(name, FOLDER + name + ".yml");
  }

  static boolean isFile(String path) {
    return path.startsWith(FOLDER)
        && path.indexOf('/', FOLDER.length()) < 0
        && path.matches(".*\\.ya?ml");
  }

  /** Any number that stays the same will do. */
  long id() {
    return 6_820_000 + Math.floorMod(path.hashCode(), 100_000);
  }

  /** Requests name a workflow by its number or by the name of its file. */
  boolean is(String idOrFile) {
    return Long.toString(id()).equals(idOrFile) || path.equals(FOLDER + idOrFile);
  }
}
