#!/bin/sh
# Usage: test-baton.sh INSTALLED WORKDIR
#
# Tries the start script of an installed baton: whatever becomes of its archive of classes, commands must work.
set -eu

installed="$(cd "$1" && pwd -P)"
rm -rf "$2"
mkdir -p "$2"
work="$(cd "$2" && pwd -P)"
# Not in the checkout that has this file.
cd /
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

fails() {
  ! "$@"
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

# No class or lambda of Baton or a library comes from a jar, and none of them is verified once more.
needs_archive_alone() {
  BATON_OPTS=-Xlog:class+load,class+init "$installed/bin/baton" --version > "$work/classes" \
    && ! grep -E ' source: (file:|dev\.baton|picocli)|Start class verification for: (dev\.baton|picocli)' "$work/classes"
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

uses_archive_at() {
  (cd "$1" && uses_archive)
}

# Programs of the working directory, by every name that the script or a first command could start.
starts_nothing_of() {
  (cd "$1" && works env -u JAVA_HOME PATH=".::evil:$PATH" "$installed/bin/baton") && [ ! -e "$work/started" ]
}

keeps_path() {
  (
    export XDG_STATE_HOME="$work/state" PATH=".:$PATH"
    cd "$work/relative"
    "$installed/bin/baton" --store file: init
    "$installed/bin/baton" --store file: run -- /bin/sh -c "[ \"\$PATH\" = \"$PATH\" ]"
  )
}

# Called by a path that could also be that of another directory, with other jars.
is_found_whatever_cdpath_says() {
  mkdir -p "$work/elsewhere/bin" "$work/elsewhere/lib"
  (cd "$installed" && CDPATH="$work/elsewhere" && export CDPATH && works bin/baton)
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
check "all classes come from it, verified" needs_archive_alone
check "works with it" works "$installed/bin/baton"
check "has no server for tests" [ -z "$(ls "$installed/lib" | grep -E "github-sim|wiremock|jetty|guava")" ]
check "works with another memory layout than it was made with" \
  works env JAVA_OPTS=-XX:-UseCompressedOops "$installed/bin/baton"
check "another one is not made" [ "$(archives)" = 1 ]

# An archive is code: not one of the checkout that a command runs in.
checkout="$work/checkout"
mkdir -p "$checkout/.git" "$checkout/sub" "$work/beside/.git" "$work/outer/.git" "$work/outer/module/sub"
: > "$work/outer/module/.git"
cp -Rp "$XDG_CACHE_HOME" "$checkout/.cache"
cp -Rp "$XDG_CACHE_HOME" "$work/outer/.cache"
ln -s "$checkout/.cache" "$work/link"
ln -s "$checkout" "$work/to-checkout"
ln -s "$XDG_CACHE_HOME" "$checkout/link"
cache="$XDG_CACHE_HOME"
for place in "$checkout" "$checkout/sub"; do
  for XDG_CACHE_HOME in "$checkout/.cache" "$work/link" "$checkout/link" "$work/to-checkout/link"; do
    check "uses no archive in $XDG_CACHE_HOME at $place" fails uses_archive_at "$place"
  done
  unset XDG_CACHE_HOME
  check "uses no archive where HOME is the checkout, at $place" fails env HOME="$checkout" sh -c "
    cd '$place' && BATON_OPTS=-Xlog:class+load '$installed/bin/baton' --version | grep -q 'cli[.]Main source: shared'"
  export XDG_CACHE_HOME="$cache"
done
export XDG_CACHE_HOME="$work/outer/.cache"
check "uses no archive of the checkout around a submodule" fails uses_archive_at "$work/outer/module/sub"
export XDG_CACHE_HOME="$checkout/.cache"
check "uses one of another checkout" uses_archive_at "$work/beside"
mkdir "$checkout/new"
(cd "$checkout" && XDG_CACHE_HOME="$checkout/new" "$installed/bin/baton" --version > /dev/null)
check "makes none in the checkout" [ -z "$(ls "$checkout/new")" ]
export XDG_CACHE_HOME="$cache"
check "uses the user's own in a checkout" uses_archive_at "$checkout"

mkdir -p "$work/relative/evil"
for tool in java uname xargs sed tr ls cksum find dirname readlink printf nice mkdir rm mv sync cygpath; do
  printf '#!/bin/sh\necho "$0" > "%s"\n' "$work/started" > "$work/relative/$tool"
  chmod +x "$work/relative/$tool"
  cp "$work/relative/$tool" "$work/relative/evil/$tool"
done
check "starts no program of the working directory" starts_nothing_of "$work/relative"
check "starts none when it makes an archive" env XDG_CACHE_HOME="$work/cache-relative" BATON_OPTS=-Dx=y sh -c \
  "cd '$work/relative' && PATH=.:\$PATH '$installed/bin/baton' --version && [ ! -e '$work/started' ]"
check "leaves the PATH to the command" keeps_path
# On Windows a name alone is looked for in the working directory first.
check "starts Java by its whole path on Windows" fails grep -qi '^ *%JAVA_EXE%\|JAVA_EXE=java' "$installed/bin/baton.bat"
check "looks for it on the PATH there" grep -q '%%~[$]PATH:i' "$installed/bin/baton.bat"

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
check "finds itself whatever CDPATH says" is_found_whatever_cdpath_says
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
