#!/usr/bin/env bash
# Builds everything but the tests: scripts/build.sh [debug|release] [arguments for swift build…]
set -euo pipefail
source "$(dirname "$0")/common.sh"

configuration=debug
case ${1:-} in
    debug | release)
        configuration=$1
        shift
        ;;
esac

scripts/setup.sh
# With the tests' options, so that `make test` compiles nothing again.
if [ "$configuration" = debug ]; then options=("${debug_options[@]}"); else options=("${strict_imports[@]}"); fi
swift build --configuration "$configuration" "${options[@]}" "$@"
