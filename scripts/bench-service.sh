#!/usr/bin/env bash
# Measures the keychain service against floors and against gnome-keyring, in one run:
# scripts/bench-service.sh [arguments for service-ratio…]
set -euo pipefail
source "$(dirname "$0")/common.sh"

scripts/setup.sh --benchmarks

export CHATELAINE_WARNINGS_AS_ERRORS=0
section "Building"
swift build --package-path Benchmarks --configuration release --product service-ratio
swift build --package-path Benchmarks --configuration release --product chatelained
folder=$(swift build --package-path Benchmarks --configuration release --show-bin-path)
# shellcheck disable=SC2046 # words on purpose
cc -O2 -Wall -Wextra -Werror Benchmarks/Peers/secret-service.c -o "$folder/secret-service-driver" \
    $(pkg-config --cflags --libs libsecret-1 libsystemd)

section "Measuring"
"$folder/service-ratio" --gnome-keyring "$PWD/Benchmarks/Peers/gnome-keyring.sh,$folder/secret-service-driver" "$@"
