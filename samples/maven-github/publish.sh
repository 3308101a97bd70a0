#!/bin/sh
# Puts the release on the shelf, unless a later holder of the lock has been there.
set -eu
mkdir -p target/shelf
last=$(cat target/shelf/fence.txt 2>/dev/null || echo 0)
if [ "$BATON_FENCING_TOKEN" -lt "$last" ]; then
  echo "a later build has released already ($last > $BATON_FENCING_TOKEN)" >&2
  exit 1
fi
echo "$BATON_FENCING_TOKEN" > target/shelf/fence.txt
echo "Released under fencing token $BATON_FENCING_TOKEN"
