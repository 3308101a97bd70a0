#!/usr/bin/env bash
# Takes the pictures of the README: the board while builds wait, and the demo in a terminal.
# Needs chromium and a font with emoji (fonts-noto-color-emoji); everything is on loopback.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
./gradlew -q --console=plain :demo:installDist
demo/build/install/baton-demo/bin/baton-demo --stay > "$work/demo.txt" 2>&1 &
demo=$!
trap 'kill "$demo" 2>/dev/null || true; rm -rf "$work"' EXIT

picture() { # URL FILE WIDTH HEIGHT
  chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync \
    --hide-scrollbars --user-data-dir="$work/profile-$(basename "$2")" \
    --window-size="$3,$4" --screenshot="$2" "$1" > /dev/null 2>&1
}

await() { # a line of the demo
  for _ in $(seq 600); do
    grep -q "$1" "$work/demo.txt" && return
    sleep 0.2
  done
  echo "the demo never said '$1'" >&2
  cat "$work/demo.txt" >&2
  exit 1
}

await 'kills the laptop'
sleep 2
board="$(grep -o 'http://127[^ ]*/issues/2' "$work/demo.txt" | head -1)"
picture "$board" docs/images/board-phone.png 390 1250
picture "$board" docs/images/board.png 1000 900
await 'until you press Ctrl-C'

{
  echo '<!doctype html><meta charset="utf-8"><style>body{margin:0;background:#161b22;color:#e6edf3}'
  echo 'pre{font:14px/1.45 "DejaVu Sans Mono",monospace;padding:18px;margin:0}</style><pre>'
  echo '$ baton-demo'
  sed -e '/until you press/d' -e 's/127\.0\.0\.1:[0-9]*/127.0.0.1:PORT/' \
    -e 's/&/\&amp;/g' -e 's/</\&lt;/g' "$work/demo.txt"
  echo '</pre>'
} > "$work/terminal.html"
picture "file://$work/terminal.html" docs/images/demo.png 900 690
ls -l docs/images
