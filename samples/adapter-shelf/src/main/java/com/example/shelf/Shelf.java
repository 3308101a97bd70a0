package com.example.shelf;

import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import java.nio.file.Path;

/** Where the boards are: below the directory that {@code SHELF_ROOT} names. */
final class Shelf {

  static final String SCHEME = "shelf";

  private Shelf() {}

  /**
   * @param address such as {@code shelf:top}
   * @throws IllegalArgumentException saying what is wrong with it
   */
  static String board(String address) {
    String board = address.substring(SCHEME.length() + 1);
    if (!board.matches("[a-z0-9][a-z0-9-]*")) {
      throw new IllegalArgumentException(
          "'" + board + "' cannot be the name of a board: use lower-case letters, digits and -");
    }
    return board;
  }

  static Path root(HostEnvironment host) {
    String root = host.variable("SHELF_ROOT");
    if (root.isEmpty()) {
      throw new BadSetting("the shelf has no place", "Set SHELF_ROOT to a directory.");
    }
    return host.directory().resolve(root);
  }
}
