#!/usr/bin/env bash
# Kills a keychain service under its clients, and looks whether anything is lost:
# scripts/service-soak.sh [--clients 32] [--seconds 600] [--pause 4000] [--idle 0]
set -euo pipefail
source "$(dirname "$0")/common.sh"

scripts/setup.sh --tests
swift build --product service-soak "${debug_options[@]}"
# The service's program, which lies beside the soak's.
swift build --product chatelained "${debug_options[@]}"
"$(swift build --show-bin-path)/service-soak" "$@"
