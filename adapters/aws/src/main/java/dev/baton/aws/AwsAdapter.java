package dev.baton.aws;

import dev.baton.core.adapter.Adapter;

/** Says what this module brings, by {@code adapter.properties} beside it. */
public final class AwsAdapter implements Adapter {}
