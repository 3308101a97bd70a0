#!/bin/sh
# Usage: base-images.sh WORKDIR
#
# Where no image registry can be reached: makes baton-jdk:local, to build with, and baton-minbase:local, to compare with,
# from Debian packages. DOCKER_HOST says which engine gets them.
set -eu

work="$1"
mkdir -p "$work"

import() {
  name="$1"
  shift
  if docker image inspect "$name" > /dev/null 2>&1; then
    return
  fi
  rm -rf --one-file-system "$work/rootfs"
  debootstrap --variant=minbase "$@" bookworm "$work/rootfs" > "$work/debootstrap.log" 2>&1 || {
    tail -n 20 "$work/debootstrap.log"
    exit 1
  }
  rm -rf "$work/rootfs/var/cache/apt/archives" "$work/rootfs/var/lib/apt/lists"
  tar -C "$work/rootfs" --one-file-system -c . | docker import - "$name" > /dev/null
  rm -rf --one-file-system "$work/rootfs"
}

import baton-minbase:local
import baton-jdk:local --include=openjdk-17-jdk-headless,ca-certificates-java
