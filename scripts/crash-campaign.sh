#!/usr/bin/env bash
# Kills processes that write to a keychain, and looks whether anything is lost:
# scripts/crash-campaign.sh [--writers 8] [--kills 1000] [--batch 50] [--seed N] [--directory DIR]
set -euo pipefail
source "$(dirname "$0")/common.sh"

scripts/setup.sh --tests
swift build --product crash-campaign "${debug_options[@]}"
# The writers' program, which lies beside the campaign's.
swift build --product KeychainProbe "${debug_options[@]}"
"$(swift build --show-bin-path)/crash-campaign" "$@"
