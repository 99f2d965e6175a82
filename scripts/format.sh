#!/usr/bin/env bash
# Rewrites the Swift files in place, as .swift-format says.
set -euo pipefail
source "$(dirname "$0")/common.sh"

swift_files | xargs -0 -r swift format --in-place --parallel
