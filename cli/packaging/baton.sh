#!/bin/sh
# Starts baton with the Java in JAVA_HOME, else the one on the PATH: 17 or later. Options for Java: JAVA_OPTS, BATON_OPTS.
#
# Most of a short command's time goes into loading classes, so Java keeps them in an archive, ready to use. An archive is
# good for one Java and one place of these files alone, so it cannot come with them: the first command has it made, in the
# background and with the lowest priority, from the list of classes in lib/, below XDG_CACHE_HOME or ~/.cache. Where that
# cannot be written, or this Java does not like it, commands work all the same and take longer. None is made where CI is
# set, as machines for CI seldom live to a second command. BATON_CLASS_ARCHIVE=no makes and uses none.
#
# The working directory may be anybody's checkout: no program and no archive in it is used.

fail() {
  printf 'baton: %s\n' "$1" >&2
  printf '       %s\n' "$2" >&2
  exit 1
}

# What a PATH has of the working directory, such as "." or node_modules/.bin, is for the commands of users alone.
users_path="${PATH-}"
PATH=""
set -f
IFS=:
for part in $users_path; do
  case "$part" in
    /*) PATH="$PATH${PATH:+:}$part" ;;
  esac
done
unset IFS
set +f
PATH="${PATH:-/usr/bin:/bin}"

self="$0"
while [ -L "$self" ]; do
  link="$(readlink "$self")"
  case "$link" in
    /*) self="$link" ;;
    *) self="$(dirname "$self")/$link" ;;
  esac
done
case "$self" in
  */*) ;;
  *) self="./$self" ;;
esac
# With a CDPATH, "bin/.." may be elsewhere.
home="$(CDPATH='' cd "${self%/*}/.." > /dev/null && pwd -P)" || fail "cannot tell where it is: $0" "Call it by its whole path."

if [ -n "${JAVA_HOME:-}" ]; then
  java="$JAVA_HOME/bin/java"
  [ -x "$java" ] || fail "there is no bin/java in JAVA_HOME, which is $JAVA_HOME" "Let it name a Java 17 or later."
else
  java="$(command -v java)" || fail "there is no java on the PATH" "Install Java 17 or later, or let JAVA_HOME name one."
fi

lib="$home/lib"
classpath="@classpath@"
# Windows sets OS for every shell; elsewhere there is no need to start a program for this question.
if [ "${OS:-}" = Windows_NT ]; then
  case "$(uname)" in
    CYGWIN* | MINGW* | MSYS*)
      classpath="$(cygpath --path --mixed "$classpath")"
      BATON_CLASS_ARCHIVE=no
      ;;
  esac
fi

# Java's own settings, and what people add to them: words as a shell takes them, in quotes if there are spaces in them.
options=""
if [ -n "${JAVA_OPTS:-}${BATON_OPTS:-}" ]; then
  options="$(
    printf '%s\n' "${JAVA_OPTS:-} ${BATON_OPTS:-}" | xargs -n 1 printf '%s\n' | sed "s/'/'\\\\''/g; s/.*/'&'/" | tr '\n' ' '
  )"
fi
eval "set -- $options"' -cp "$classpath" @main@ "$@"'

# In the background, and for nobody to wait for: not a child of this process, holding none of its files. Only an archive
# that is whole gets its name: Java breaks down over half of one.
make_archive() {
  (
    (
      cd / && umask 077 && trap '' HUP INT && ulimit -c 0
      if nice -n 19 "$java" -Xshare:dump -Xmx256m -XX:+UseSerialGC -XX:ErrorFile=/dev/null \
        -XX:SharedClassListFile="$lib/classes.list" -XX:SharedArchiveFile="$archive.new" -cp "$classpath" \
        && nice -n 19 "$java" -Xshare:on -XX:+UseSerialGC -XX:ErrorFile=/dev/null \
          -XX:SharedArchiveFile="$archive.new" -cp "$classpath" -version \
        && { sync "$archive.new" || sync; }; then
        mv -f "$archive.new" "$archive" && rmdir "$archive.lock"
        find "$cache" -name '*.jsa' ! -path "$archive" -mtime +30 -exec rm -f {} +
      else
        # The lock stays: what this Java cannot do now it cannot do at the next command either.
        rm -f "$archive.new"
      fi
    ) < /dev/null > /dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
  )
}

# Whether the way to the archive leads through the checkout around the working directory, as where HOME is that checkout.
# Of a submodule, whose .git is a file, the checkout is the one that it came with.
is_of_checkout() (
  cd -P . 2> /dev/null || exit 0
  at="${PWD%/}"
  found=no
  while :; do
    if [ -e "$at/.git" ] || [ -L "$at/.git" ]; then
      found=yes
      checkout="$at"
      [ -f "$at/.git" ] || break
    fi
    [ -n "$at" ] || break
    at="${at%/*}"
  done
  [ "$found" = yes ] || exit 1
  at="$cache"
  while [ -n "$at" ]; do
    if cd -P "$at" 2> /dev/null; then
      case "$PWD/" in
        "$checkout"/*) exit 0 ;;
      esac
    fi
    at="${at%/*}"
  done
  exit 1
)

cache="${XDG_CACHE_HOME:-${HOME:-}/.cache}/baton"
case "$cache" in
  /.cache/baton | [!/]*) BATON_CLASS_ARCHIVE=no ;;
esac
if [ "${BATON_CLASS_ARCHIVE:-}" != no ] && ! is_of_checkout; then
  # Another Java, another place or other files: another archive. A checksum would be one more program to start: the
  # number of each file, its size and its date are enough. Java takes a colon in the name for the end of it.
  key=""
  set -f
  IFS=' :
'
  for word in $(LC_ALL=C ls -dlniL "$java" "$lib" 2> /dev/null); do
    case "$word" in
      *[!0-9A-Za-z]*) ;;
      *) key="$key-$word" ;;
    esac
  done
  unset IFS
  set +f
  archive="$cache/@build@$key.jsa"
  # Code that somebody else has put there is not for us.
  if [ -f "$archive" ] && [ -O "$archive" ]; then
    set -- "-XX:SharedArchiveFile=$archive" "$@"
  elif [ -z "${CI:-}" ] && [ ! -e "$archive" ] && (umask 077 && mkdir -p "$cache") 2> /dev/null; then
    # Whoever makes the directory makes the archive. One that was left behind is in the way for a day.
    if [ -n "$(find "$archive.lock" -prune -mtime +0 2> /dev/null)" ]; then
      rmdir "$archive.lock" 2> /dev/null
    fi
    if mkdir "$archive.lock" 2> /dev/null; then
      make_archive
    fi
  fi
fi

PATH="$users_path"
exec "$java" @options@ "$@"
