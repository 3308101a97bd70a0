#!/bin/sh
# Usage: lay-out.sh CONTEXT DIR
#
# Makes from CONTEXT, as ./gradlew :action:imageContext lays it out, what the image would have: DIR/baton with the
# scripts main and post. It runs on this machine without a container, at this very place alone.
set -eu

context="$1"
rm -rf "$2"
mkdir -p "$2/baton"
dir="$(cd "$2" && pwd -P)"
cp -R "$context/lib" "$dir/baton/lib"
sh "$context/container/make-image.sh" "$dir/baton" "$dir/root" > "$dir/log" 2>&1 || {
  cat "$dir/log"
  exit 1
}
# Only the image needs the libraries of the system beside it.
rm -r "$dir/root"
