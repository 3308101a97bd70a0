package dev.baton.plugin.engine;

/**
 * Libraries look for parts of theirs by the class loader of the thread. That of a build tool's
 * threads knows other versions of them; threads that are started inside inherit what is set here.
 */
final class OwnLoader {

  private OwnLoader() {}

  /**
   * @return what to {@link #leave} with
   */
  static ClassLoader enter() {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(OwnLoader.class.getClassLoader());
    return before;
  }

  static void leave(ClassLoader before) {
    Thread.currentThread().setContextClassLoader(before);
  }
}
