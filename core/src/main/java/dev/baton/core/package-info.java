/** What every module stands on: time, checks of values from outside, failures, durations. */
package dev.baton.core;
