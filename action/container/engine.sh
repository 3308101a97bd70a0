#!/bin/sh
# Usage: engine.sh start DIR | engine.sh stop DIR
#
# Starts a container engine from Debian packages, with everything that it keeps below DIR, and ends it again. It listens on
# DIR/docker.sock alone, has no bridge and changes no firewall rule.
set -eu

command="$1"
mkdir -p "$2"
dir="$(cd "$2" && pwd)"

start() {
  if ! command -v dockerd > /dev/null || ! command -v debootstrap > /dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    # Whoever installs a daemon does not always want it to be started at once.
    if [ ! -e /usr/sbin/policy-rc.d ]; then
      printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
      chmod +x /usr/sbin/policy-rc.d
      trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    fi
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends docker.io debootstrap iptables > "$dir/install.log" 2>&1 || {
      tail -n 20 "$dir/install.log"
      exit 1
    }
  fi
  dockerd --data-root "$dir/data" --exec-root "$dir/exec" --pidfile "$dir/dockerd.pid" -H "unix://$dir/docker.sock" \
    --iptables=false --ip6tables=false --bridge=none > "$dir/dockerd.log" 2>&1 &
  waited=0
  until docker -H "unix://$dir/docker.sock" version > /dev/null 2>&1; do
    waited=$((waited + 1))
    if [ "$waited" -gt 60 ]; then
      echo "the engine does not come up:"
      tail -n 20 "$dir/dockerd.log"
      exit 1
    fi
    sleep 0.5
  done
}

stop() {
  if [ -s "$dir/dockerd.pid" ]; then
    pid="$(cat "$dir/dockerd.pid")"
    kill "$pid" 2> /dev/null || true
    waited=0
    while kill -0 "$pid" 2> /dev/null && [ "$waited" -lt 60 ]; do
      waited=$((waited + 1))
      sleep 0.5
    done
  fi
  # The engine leaves some mounts of its own behind; never remove through what is still mounted.
  awk -v dir="$dir/" 'index($2, dir) == 1 { print $2 }' /proc/mounts | sort -r | while read -r mounted; do
    umount "$mounted"
  done
  rm -rf --one-file-system "$dir"
}

case "$command" in
  start) start ;;
  stop) stop ;;
  *) echo "start or stop, not $command" && exit 2 ;;
esac
