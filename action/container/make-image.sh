#!/bin/sh
# Usage: make-image.sh BATON IMAGE
#
# Lays out in IMAGE the root of the action's image, from the jars in BATON/lib: a Java with only the modules that it
# needs, an archive of the classes that a step loads, the libraries of the system that these need, and a shell. BATON is
# where it will be in the image too: the archive is good for these very paths alone.
set -eu

baton="$1"
image="$2"
java="$baton/java"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# jdk.crypto.ec: without it there is no TLS to GitHub. jdk.unsupported: Kotlin and Jackson look for it.
modules=java.base,java.logging,jdk.crypto.ec,jdk.unsupported
# OSS speaks XML, and its client looks for names of hosts in certificates with java.naming.
if [ -d "$baton/lib/extensions" ]; then
  modules="$modules,java.xml,java.naming"
fi
jlink --output "$java" --strip-java-debug-attributes --no-header-files --no-man-pages --vm=server \
  --add-modules "$modules"
# Some distributions keep the certificates elsewhere and link to them.
if [ ! -s "$java/lib/security/cacerts" ]; then
  rm -f "$java/lib/security/cacerts"
  cp -L /etc/ssl/certs/java/cacerts "$java/lib/security/cacerts"
fi
[ "$("$java/bin/java" --list-modules | grep -c '^jdk.crypto.ec@')" = 1 ]

# Java asks for all providers of cryptography as soon as a program asks for one, and looks everywhere for those that are
# in modules that are not here.
awk -F= '
  !/^security\.provider\.[0-9]+=/ { print; next }
  $2 ~ /^(SUN|SunRsaSign|SunEC|SunJSSE|SunJCE)$/ { print "security.provider." ++n "=" $2 }
' "$java/conf/security/java.security" > "$work/java.security"
[ "$(grep -c '^security\.provider\.' "$work/java.security")" = 5 ]
cp "$work/java.security" "$java/conf/security/java.security"

classpath=""
for jar in "$baton"/lib/*.jar; do
  classpath="$classpath${classpath:+:}$jar"
done
# ArchiveRelocationMode: the archive stays at the address that it was made for. Moving it to another one at each start
# takes a fifth of the time until main, and makes each of its pages a private one in memory.
# Tier3…: twenty times as many calls as usual before a method is compiled, as most compiled code would hardly be used.
# Xmn2m: the young generation is collected before it grows, so a step that waits for hours stays small.
cat > "$baton/options" << END
-XX:SharedArchiveFile=$baton/classes.jsa
-Xshare:auto
-XX:+UnlockDiagnosticVMOptions
-XX:ArchiveRelocationMode=0
-XX:+UseSerialGC
-XX:TieredStopAtLevel=1
-XX:Tier3InvocationThreshold=4000
-XX:Tier3MinInvocationThreshold=2000
-XX:Tier3CompileThreshold=20000
-XX:Tier3BackEdgeThreshold=240000
-XX:-UsePerfData
-XX:ReservedCodeCacheSize=16m
-Xss512k
-Xms6m
-Xmn2m
-Xmx64m
-cp $classpath
END
# Not sh: it drops variables with a hyphen in their names, and the runner gives the inputs by such names.
for phase in main post; do
  printf '#!/bin/bash\nexec %s/bin/java @%s/options dev.baton.action.Main %s "$@"\n' "$java" "$baton" "$phase" \
    > "$baton/$phase"
  chmod +x "$baton/$phase"
done

# One archive for Java's own classes and the program's. Made from a list, not at the end of a run: then it also has what
# Java would otherwise spin anew at each start for lambdas and for strings that are put together.
grep -v SharedArchiveFile "$baton/options" > "$work/options"
"$java/bin/java" @"$work/options" -Xshare:off -XX:DumpLoadedClassList="$work/classes" dev.baton.action.Training
# What is around the steps. It ends with a word about the command, which is a failure.
if INPUT_COMMAND=training GITHUB_REPOSITORY=octo/app "$java/bin/java" @"$work/options" -Xshare:off \
  -XX:DumpLoadedClassList="$work/classes-around" dev.baton.action.Main main > /dev/null; then
  exit 1
fi
# Java 17 breaks down over a list with the same lambda in it twice.
cat "$work/classes" "$work/classes-around" | awk '!seen[$0]++' > "$work/classes-all"
"$java/bin/java" @"$work/options" -Xshare:dump -XX:SharedClassListFile="$work/classes-all" \
  -XX:SharedArchiveFile="$baton/classes.jsa" > /dev/null
rm -r "$java/legal"

mkdir -p "$image/bin" "$image/tmp" "$image/etc" "$image$(dirname "$baton")"
chmod 1777 "$image/tmp"
cp -a "$baton" "$image$baton"
cp -L /bin/bash "$image/bin/bash"
echo 'root:x:0:0:root:/github/home:/bin/bash' > "$image/etc/passwd"
echo 'hosts: files dns' > "$image/etc/nsswitch.conf"
# What the linker will look for, at the places where it will look.
find "$java" /bin/bash \( -name '*.so' -o -path '*/bin/*' -o -name bash \) -exec ldd {} \; 2> /dev/null \
  | awk '/=> \// { print $3 } /^[[:space:]]*\// { print $1 }' | grep -v "^$java" | sort -u \
  | while read -r library; do
    mkdir -p "$image$(dirname "$library")"
    cp -L "$library" "$image$library"
  done
