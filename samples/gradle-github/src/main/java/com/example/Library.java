package com.example;

public final class Library {
  private Library() {}
}
