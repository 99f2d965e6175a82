#!/usr/bin/env bash
# Builds the tests, and runs whole those of which `make test` runs a sample: kills, failing calls, damaged files.
set -euo pipefail
source "$(dirname "$0")/common.sh"

# A file has its suite's name.
suites=$(grep -lE 'Campaign\.(rounds|step)\(' Tests/*/*.swift | sed 's|.*/||; s|\.swift$||' | paste -s -d '|')
section "Campaigns: ${suites//|/, }"
export CHATELAINE_CAMPAIGNS=whole
exec scripts/test.sh --filter "\.($suites)/"
