#!/bin/sh
# Runs once in a new VM, as root: what every build needs.
set -eu
command -v java > /dev/null || {
  apt-get update -q
  apt-get install -q -y --no-install-recommends openjdk-17-jdk-headless
}
