#!/bin/sh
# publish.sh TOKEN DIRECTORY < FILE
#
# Publishes FILE as DIRECTORY/current, unless a build with a newer fencing token has published before. It runs where the
# files are kept, so that every build has to pass it:
#
#   ssh releases.example.org ./publish.sh "$BATON_FENCING_TOKEN" /srv/app < app.tar.gz
#
# Exit codes: 0 published, 1 refused, 2 no token. Needs flock (util-linux).
set -eu

token="${1:-}"
directory="${2:?publish.sh TOKEN DIRECTORY}"

# A shell compares numbers of up to 18 digits. What it cannot compare must not be taken for newer.
is_token() {
  case "$1" in
    '' | *[!0-9]* | ???????????????????*) return 1 ;;
  esac
}

if ! is_token "$token"; then
  echo "publish.sh: '$token' is not a fencing token: is BATON_FENCING_TOKEN set?" >&2
  exit 2
fi

mkdir -p "$directory"
incoming="$directory/incoming.$$"
trap 'rm -f "$incoming"' EXIT
cat > "$incoming" # Slow, so not under the lock.

# To compare and to publish is one step: nobody gets in between.
exec 9>> "$directory/lock"
flock 9
newest=0
[ ! -e "$directory/token" ] || newest="$(cat "$directory/token")"
if ! is_token "$newest"; then
  echo "publish.sh: refused: $directory/token has no token, so it does not tell which build has published last" >&2
  exit 1
fi
if [ "$token" -lt "$newest" ]; then
  echo "publish.sh: refused: a build with token $newest has published, and yours has $token, which is older" >&2
  exit 1
fi
# The token first: killed here, the script still refuses what is older.
echo "$token" > "$incoming.token"
mv "$incoming.token" "$directory/token"
mv "$incoming" "$directory/current"
