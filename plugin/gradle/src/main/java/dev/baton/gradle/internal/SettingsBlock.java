package dev.baton.gradle.internal;

import dev.baton.gradle.BatonSettings;

/** What every block of settings can do. */
abstract class SettingsBlock implements BatonSettings {

  abstract String label();

  @Override
  public void waitTimeout(String text) {
    getWaitTimeout().set(Sentences.duration(label() + ".waitTimeout", text));
  }
}
