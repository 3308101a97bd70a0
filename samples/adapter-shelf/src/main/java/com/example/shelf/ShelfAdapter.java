package com.example.shelf;

import dev.baton.core.adapter.Adapter;

/** Says what this jar brings, by {@code adapter.properties} beside it. */
public final class ShelfAdapter implements Adapter {}
