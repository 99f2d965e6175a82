#!/usr/bin/env bash
# Builds the package of the version before this one, from which machines are upgraded: scripts/machine-previous.sh FOLDER.
# Prints its path. Which commit that is, stands in Tests/Machine/previous-version.
set -euo pipefail
source "$(dirname "$0")/common.sh"

[ $# -eq 1 ] || die "usage: machine-previous.sh FOLDER"
commit=$(cat Tests/Machine/previous-version)
folder=$(realpath -m "$1")/$commit
if ! ls "$folder"/*.deb >/dev/null 2>&1; then
    git cat-file -e "$commit^{commit}" 2>/dev/null || die "the commit $commit is not in this clone: fetch it (git fetch --unshallow)"
    tree=$(mktemp -d)
    trap 'git worktree remove --force "$tree/previous"; rm -rf "$tree"' EXIT
    git worktree add --detach "$tree/previous" "$commit" >&2
    # Its own scripts, and a build of its own.
    (cd "$tree/previous" && scripts/deb.sh "$folder") >&2
fi
ls "$folder"/*.deb
