#!/usr/bin/env bash
# Measures the Secret Service beside gnome-keyring, each on a bus of its own, in turns: ours with a session's service
# that has a passcode, and embedded.
#
#   scripts/bench-secrets.sh [--programs FOLDER] [arguments for secret-services.py…]
#
# FOLDER has the programs that scripts/release.sh makes; without one, the three that are needed are made. Root sees the
# memory of all processes.
set -euo pipefail
source "$(dirname "$0")/common.sh"

scripts/setup.sh --benchmarks
programs=
if [ "${1:-}" = --programs ]; then
    programs=$(realpath "$2")
    shift 2
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
section "Building"
if [ -z "$programs" ]; then
    programs=$folder
    link_program "$programs" chatelaine-secrets chatelaine_secrets "${static_foundation[@]}" -lstdc++ -lsqlite3
    link_program "$programs" chatelained chatelained "${static_foundation[@]}" -lstdc++ -lsqlite3
    link_program "$programs" chatelaine ChatelaineTool "${static_foundation[@]}" -l_CFXMLInterface -lxml2 -lstdc++ \
        -lsqlite3
fi
# shellcheck disable=SC2046 # words on purpose
cc -O2 -Wall -Wextra -Werror Benchmarks/Peers/secret-service.c -o "$folder/secret-service-driver" \
    $(pkg-config --cflags --libs libsecret-1 libsystemd)

section "Measuring"
python3 Benchmarks/secret-services.py --programs "$programs" --driver "$folder/secret-service-driver" "$@"
