#!/bin/sh
# Usage: test-baton.sh INSTALLED WORKDIR
#
# Tries the start script of an installed baton: whatever becomes of its archive of classes, commands must work.
set -eu

installed="$(cd "$1" && pwd -P)"
rm -rf "$2"
mkdir -p "$2"
work="$(cd "$2" && pwd -P)"
unset CI JAVA_OPTS BATON_OPTS BATON_CLASS_ARCHIVE
passed=0

# check WHAT COMMAND...: the command must succeed.
check() {
  what="$1"
  shift
  if "$@" > "$work/out" 2> "$work/err"; then
    passed=$((passed + 1))
  else
    echo "failed: $what"
    cat "$work/out" "$work/err"
    exit 1
  fi
}

# It says its version and nothing else.
works() {
  "$@" --version > "$work/said" 2>&1 && cat "$work/said" && [ "$(cat "$work/said")" = "$version" ]
}

archives() {
  find "$XDG_CACHE_HOME" -name '*.jsa' 2> /dev/null | wc -l
}

uses_archive() {
  BATON_OPTS=-Xlog:class+load "$installed/bin/baton" --version | grep -q '^.*dev\.baton\.cli\.Main source: shared'
}

# Every command but these two does without the jars of the simulator.
class_path_of() {
  BATON_OPTS=-XshowSettings:properties "$installed/bin/baton" "$@" 2>&1 | sed -n '/java.class.path/,/java.class.version/p'
}

is_lean() {
  class_path_of --version | grep -q picocli && ! class_path_of --version | grep -q github-sim
}

has_simulator() {
  class_path_of sim --version | grep -q github-sim && "$installed/bin/baton" sim -- --help | grep -q -- --repository
}

waits_for_archive() {
  waited=0
  until [ "$(archives)" = 1 ] && [ -z "$(find "$XDG_CACHE_HOME" -name '*.lock')" ]; do
    waited=$((waited + 1))
    [ "$waited" -lt 240 ] || return 1
    sleep 0.5
  done
}

gives_up() {
  waited=0
  until [ -e "$work/full/dumped" ] && [ -z "$(find "$XDG_CACHE_HOME" -type f)" ]; do
    waited=$((waited + 1))
    [ "$waited" -lt 240 ] && [ "$(archives)" = 0 ] || return 1
    sleep 0.5
  done
}

says_properties() {
  JAVA_OPTS="-XshowSettings:properties -Dbaton.a='x  *'" BATON_OPTS="\"-Dbaton.b=it's \$HOME\"" \
    "$installed/bin/baton" --version > "$work/said" 2>&1 \
    && grep -q "baton.a = x  [*]\$" "$work/said" && grep -q "baton.b = it's [$]HOME\$" "$work/said"
}

fails_with() {
  words="$1"
  shift
  ! "$@" > /dev/null 2> "$work/said" && grep -q "$words" "$work/said"
}

export XDG_CACHE_HOME="$work/cache"
version="$(BATON_CLASS_ARCHIVE=no "$installed/bin/baton" --version)"
check "no archive when none is wanted" [ ! -e "$XDG_CACHE_HOME" ]
check "works where CI is set" env CI=true "$installed/bin/baton" --version
check "no archive where CI is set" [ ! -e "$XDG_CACHE_HOME" ]

# Five at once: one of them has the archive made.
for i in 1 2 3 4 5; do
  "$installed/bin/baton" --version > "$work/said-$i" 2>&1 &
done
wait
for i in 1 2 3 4 5; do
  check "several first commands at once" [ "$(cat "$work/said-$i")" = "$version" ]
done
check "an archive is made" waits_for_archive
check "nothing else is left behind" [ "$(find "$XDG_CACHE_HOME" -type f | wc -l)" = 1 ]
check "it is nobody else's" [ -z "$(find "$XDG_CACHE_HOME/baton" -perm /077)" ]
check "it is used" uses_archive
check "works with it" works "$installed/bin/baton"
check "has no jars that no command needs" is_lean
check "has the simulator for those who ask" has_simulator
check "works with another memory layout than it was made with" \
  works env JAVA_OPTS=-XX:-UseCompressedOops "$installed/bin/baton"
check "another one is not made" [ "$(archives)" = 1 ]

archive="$(find "$XDG_CACHE_HOME" -name '*.jsa')"
chmod u+w "$archive"
echo nonsense > "$archive"
check "works with something else in its place" works "$installed/bin/baton"

# As on a full disk: Java stops halfway and does not notice.
mkdir -p "$work/full/bin"
cat > "$work/full/bin/java" << END
#!/bin/sh
for word in "\$@"; do
  case "\$word" in
    -Xshare:dump) dump=yes ;;
    -XX:SharedArchiveFile=*) file="\${word#*=}" ;;
  esac
done
"$(command -v java)" "\$@" || exit
if [ -n "\${dump:-}" ]; then
  chmod u+w "\$file"
  head -c 100000 "\$file" > "\$file.half"
  cat "\$file.half" > "\$file"
  rm "\$file.half"
  touch "$work/full/dumped"
fi
END
chmod +x "$work/full/bin/java"
export XDG_CACHE_HOME="$work/cache-full"
check "works while half an archive is made" works env JAVA_HOME="$work/full" "$installed/bin/baton"
check "half an archive is not kept" gives_up
check "works after that" works env JAVA_HOME="$work/full" "$installed/bin/baton"

cp -R "$installed" "$work/moved"
: > "$work/file"
check "works without a place for it" works env XDG_CACHE_HOME="$work/file" "$installed/bin/baton"
check "works where HOME is not set" works env -u HOME -u XDG_CACHE_HOME "$installed/bin/baton"
rm "$work/moved/lib/classes.list"
export XDG_CACHE_HOME="$work/cache-moved"
check "works at another place, without the list" works "$work/moved/bin/baton"
check "works while it cannot be made" works "$work/moved/bin/baton"

export BATON_CLASS_ARCHIVE=no
mkdir "$work/links"
ln -s "../moved/bin/baton" "$work/links/relative"
ln -s "$work/links/relative" "$work/links/baton"
check "works by a link to a link" works "$work/links/baton"
check "works from its own directory" sh -c "cd '$installed/bin' && sh baton --version"
check "gives Java options with spaces and quotes in them" says_properties
check "says which Java is missing" fails_with "there is no bin/java in JAVA_HOME" \
  env JAVA_HOME="$work/none" "$installed/bin/baton" --version
mkdir "$work/bin"
for tool in sh uname dirname readlink; do
  ln -s "$(command -v "$tool")" "$work/bin/$tool"
done
check "says that Java is missing" fails_with "there is no java on the PATH" \
  env -u JAVA_HOME PATH="$work/bin" "$installed/bin/baton" --version

rm -rf "$work"
echo "$passed passed, 0 failed"
