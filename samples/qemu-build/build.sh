#!/bin/sh
# Builds the commit that is checked out, in a fresh VM: build.sh [COMMAND [ARGUMENT…]], by default `./gradlew test`.
# Its exit code is that of the build. The results of its tests are here afterwards, and the VM is gone.
set -eu
export BATON_CLOUD="${BATON_CLOUD:-qemu}"
export BATON_VM="build-$$"
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- ./gradlew test
if [ -L build ]; then
  echo "build.sh: build is a link, and results would be put where it leads: remove it" >&2
  exit 1
fi
results=$(mktemp)
back=$(mktemp -d)

# Whatever happens from here on. A VM whose build is killed in spite of that is swept after two hours.
trap 'rm -rf "$results" "$back"; baton vm destroy --no-snapshot --yes' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# The first VM boots and runs the script; those after it start from there.
baton vm deploy --warm --max-life 2h --script "$here/setup.sh"
git archive --format=tar HEAD | baton vm exec -- sh -c 'mkdir -p checkout && tar -x -C checkout'
code=0
baton vm exec -- sh -c 'cd checkout && exec "$@"' build "$@" || code=$?
baton vm exec -- sh -c 'cd checkout && if [ -d build/test-results ]; then tar -c build/test-results; fi' > "$results"
# The build may have made another system of the VM, which sends what it likes, such as hooks for git: only files and
# directories of results are taken, and no links.
if [ -s "$results" ]; then
  tar -x -f "$results" -C "$back" build/test-results
  find "$back/build" ! -type d ! -type f -exec rm -f {} +
  mkdir -p build
  rm -rf build/test-results
  mv "$back/build/test-results" build/
fi
exit "$code"
