#!/bin/sh
# tag-action.sh TAG [VARIANT]
#
# Makes a commit that has the action as ./gradlew :action:imageContext has laid it out, in the directory action/, and
# tags it. Neither the work tree nor the index nor a branch is touched.
set -eu

tag="${1:?tag-action.sh TAG [VARIANT]}"
root="$(git rev-parse --show-toplevel)"
built="$root/action/build/image${2:+-$2}"
if [ ! -f "$built/action.yml" ]; then
  echo "tag-action.sh: $built has no action.yml: run ./gradlew :action:imageContext first" >&2
  exit 1
fi

index="$(mktemp -d)"
trap 'rm -rf "$index"' EXIT
export GIT_INDEX_FILE="$index/index"
# --force: the jars are in a directory that .gitignore names.
git --work-tree="$built" add --force --all .
files="$(git write-tree)"
rm "$GIT_INDEX_FILE"
git read-tree --prefix=action/ "$files"
commit="$(git commit-tree "$(git write-tree)" -m "The action, built from $(git rev-parse --short HEAD)")"
git tag --force "$tag" "$commit"
