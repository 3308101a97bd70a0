# Baton's supervisor: ends the command of a `baton run` that was killed, with all that the command started.
#
#   watch MARK OWN BATON JOB COMMAND    prints JOB, then obeys lines: `command PID`, `lease SECONDS KINDNESS`, `done`. The
#                                       end of the input means that Baton is gone: nothing else has the other end.
#   end MARK OWN BATON JOB COMMAND TERM KINDNESS
#                                       ends everything now. 0: nothing is left.
#
# MARK is in the environment of all that the command starts. OWN is yes where the command leads a process group of its own.
# JOB is what was in Baton's process group before the command, if Baton leads that group; ? lets `watch` find out. COMMAND
# is a process id, or none. TERM is yes if processes are asked to end before they are killed, KINDNESS seconds later.
#
# Written for any POSIX sh. Where there is a /proc, looking at processes starts none.

# What ends Baton, or stops it, must not reach this process. What it starts ignores these signals, too. PIPE: if Baton is
# killed before this has said its first words, there is nobody to read them, and the command is still to be ended.
trap '' HUP INT QUIT PIPE TERM TSTP TTIN TTOU

mode=$1 mark=$2 own=$3 baton=$4 job=$5 command=$6 known=' '

# Sets $all: a word for each live process, of its id, parent, process group, session and the time of its start.
look() {
  all=
  if [ -r /proc/self/stat ]; then
    for dir in /proc/[0-9]*; do
      read -r line <"$dir/stat" || continue
      # The name of the program may have spaces and brackets in it; what follows it has not.
      set -- ${line##*) }
      case $1 in
        Z | X) ;;
        *) all="$all ${dir#/proc/}:$2:$3:$4:${20}" ;;
      esac
    done
  else
    all=$(
      ps -A -o pid= -o ppid= -o pgid= -o stat= | while read -r pid parent group state; do
        case $state in
          Z*) ;;
          *) printf ' %s' "$pid:$parent:$group:?:?" ;;
        esac
      done
    )
  fi
}

split() {
  pid=${1%%:*} rest=${1#*:}
  parent=${rest%%:*} rest=${rest#*:}
  group=${rest%%:*} rest=${rest#*:}
  session=${rest%%:*} start=${rest#*:}
}

# Sets $members: what is in Baton's process group.
look_at_group() {
  members=' '
  for process in $all; do
    split "$process"
    [ "$group" != "$baton" ] || members="$members$pid "
  done
}

# Whether a process comes from the command, by anything but its parent. What was found once stays found: by now its parent
# may have been ended.
belongs() {
  case $known in *" $pid:$start "*) return 0 ;; esac
  if [ "$own" = yes ]; then
    [ "$group" != "$command" ] && [ "$session" != "$command" ] || return 0
  fi
  case $found in *" $group "* | *" $session "*) return 0 ;; esac
  case $marked in *"/$pid/"*) return 0 ;; esac
  # Left behind by a parent that has ended, in the job that a shell made for Baton.
  [ "$group" = "$baton" ] && [ -n "$job" ] || return 1
  case $job in *" $pid "*) return 1 ;; esac
  case $members in *" $parent "*) return 1 ;; esac
}

# Adds to $found by a rule, until there is nothing more to add: parents come before their children.
gather() {
  grown=yes
  while [ -n "$grown" ]; do
    grown=
    for process in $all; do
      split "$process"
      case $found in *" $pid "*) continue ;; esac
      case $found in
        *" $parent "*) ;;
        *) [ "$1" = all ] && belongs || continue ;;
      esac
      [ "$pid" = "$$" ] || [ "$pid" = "$baton" ] && continue
      found="$found$pid "
      known="$known$pid:$start "
      grown=yes
    done
  done
}

# Sets $found: the command and all that it started, as far as that can be told. Fails if nothing is left.
seek() {
  look
  look_at_group
  marked=
  [ ! -r /proc/self/environ ] || marked=$(grep -ls -e "$mark" /proc/[0-9]*/environ)
  found=' '
  case "$all " in *" $command:"*) found=" $command " ;; esac
  gather children
  gather all
  [ "$found" != ' ' ]
}

# Asks all to end, the command first: a shell whose current command ends would go on with the next one.
ask() {
  seek || return 0
  kill -TERM $found
  sleep "$1" &
  nap=$!
  while kill -0 "$nap"; do
    if ! seek; then
      kill -KILL "$nap"
      return
    fi
    sleep 0.1 || sleep 1
  done
}

# Kills all, and what they start meanwhile. A process that waits for a disk may take its time.
destroy() {
  tries=0
  while [ "$tries" -lt 100 ]; do
    seek || return 0
    [ "$own" = no ] || [ "$command" = none ] || kill -KILL "-$command"
    kill -KILL $found
    tries=$((tries + 1))
    [ "$tries" -lt 5 ] || sleep 0.1 || sleep 1
  done
  return 1
}

forget_lease() {
  [ -z "$timer" ] || kill -USR1 "$timer"
  timer=
}

# Ends all when the lease does, unless Baton speaks up before: it may be stopped, or without a processor.
start_lease() {
  (
    nap=
    trap '[ -z "$nap" ] || kill -KILL "$nap"; exit' USR1
    sleep "$1" &
    nap=$!
    wait "$nap" || exit
    ask "$2"
    destroy
  ) &
  timer=$!
}

if [ "$mode" = end ]; then
  if [ "$7" = yes ]; then ask "$8"; else sleep "$8"; fi
  destroy
  exit
fi

if [ "$job" = '?' ]; then
  job=
  if [ "$own" = no ]; then
    look
    look_at_group
    case $members in *" $baton "*) job=$members ;; esac
  fi
fi
printf '%s\n' "$job"
exec >/dev/null

timer=
while read -r word first second; do
  forget_lease
  case $word in
    command) command=$first ;;
    lease) start_lease "$first" "$second" ;;
    done) exit ;;
  esac
done
forget_lease
ask 1
destroy
