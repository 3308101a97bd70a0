# Read by gradlew with ". ", after it has found Java and put together the arguments of the wrapper.
# Returns when the wrapper finds its Gradle or can download it; otherwise says why and ends gradlew.

# Gradle 8.8 runs on these; a test compares the two below with gradle-wrapper.properties.
oldest_java=17
newest_java=22
distribution=gradle-8.8-bin/dl7vupf4psengwqhwktix4v1
gradle=gradle-8.8

# The first number of what "java -version" or a JDK's file "release" shows; 8 for "1.8".
java_number () {
    sed -n -e 's/^.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' \
        -e 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]*\).*/\2/p'
}

can_run_gradle () {
    [ "${1:-0}" -ge "$oldest_java" ] && [ "$1" -le "$newest_java" ]
}

java_found=$( "$JAVACMD" -version 2>&1 | java_number )
if ! can_run_gradle "$java_found" ; then
    advice="Install one and set JAVA_HOME to its directory."
    for release in /usr/lib/jvm/*/release /Library/Java/JavaVirtualMachines/*/Contents/Home/release \
        "$HOME"/.sdkman/candidates/java/*/release "$HOME"/.jdks/*/release
    do
        if [ -x "${release%/release}/bin/javac" ] &&
            can_run_gradle "$( java_number < "$release" )"
        then
            advice="Set JAVA_HOME, for example: export JAVA_HOME=${release%/release}"
            break
        fi
    done
    die "ERROR: This build needs a JDK of version $oldest_java to $newest_java; $JAVACMD is ${java_found:-of an unknown version}.
$advice"
fi

# As the wrapper does: options count only up to the first task.
given_home=$GRADLE_USER_HOME
previous=
wrapper_arguments=false
for arg do
    case $previous:$arg in #(
      -g:* | --gradle-user-home:*) given_home=$arg arg= ;; #(
      *:--gradle-user-home=* | *:-Dgradle.user.home=*) given_home=${arg#*=} ;; #(
      *:org.gradle.wrapper.GradleWrapperMain) wrapper_arguments=true ;; #(
      *:-*) ;; #(
      *) if "$wrapper_arguments" ; then break ; fi ;;
    esac
    previous=$arg
done

# Java takes the home directory from the user database, not from HOME.
user=$( id -un 2>/dev/null )
case $user in #(
  '' | *[!A-Za-z0-9._-]*) user_home=$HOME ;; #(
  *) eval "user_home=~$user" ;;
esac

# Whole, and not half deleted: ours notes how many files it has; the official one has a launcher.
is_installed () {
    [ -f "$1/$gradle-bin.zip.ok" ] || return
    if [ -f "$1/$gradle/.from-maven-1" ] ; then
        read -r files_written < "$1/$gradle/.from-maven-1"
        set -- "$1/$gradle"/lib/*
        [ $# -eq "$files_written" ]
    else
        [ -f "$1/$gradle/LICENSE" ] && [ -f "$1/$gradle/lib/gradle-launcher-${gradle#*-}.jar" ]
    fi
}

if ! is_installed "${given_home:-$user_home/.gradle}/wrapper/dists/$distribution" ; then
    "$JAVACMD" --list-modules | grep -q '^jdk.compiler@' ||
        die "ERROR: A JDK is needed; $JAVACMD has no compiler. Set JAVA_HOME to a JDK and try again."
    live=
    [ ! -t 2 ] || live=--live
    # shellcheck disable=SC2086 # no argument when it is empty
    "$JAVACMD" "$APP_HOME/gradle/bootstrap/src/main/java/dev/baton/bootstrap/GradleFromMaven.java" \
        --wrapper "$APP_HOME/gradle/wrapper/gradle-wrapper.properties" \
        ${given_home:+--user-home "$given_home"} $live -- "$@" || exit
fi
