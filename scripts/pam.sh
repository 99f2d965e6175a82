#!/usr/bin/env bash
# Builds the module for log-ins, pam_chatelaine.so: scripts/pam.sh [FOLDER], into .build/pam where none is given. Prints its
# path. It is C alone: a log-in loads neither Swift's runtime nor the libraries that come with it.
set -euo pipefail
source "$(dirname "$0")/common.sh"

output=${1:-.build/pam}
compiler=${CC:-cc}
command -v "$compiler" >/dev/null || compiler=clang

flags=(
    -std=c11 -D_GNU_SOURCE -O2 -g -fPIC -fvisibility=hidden
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wvla -Wformat=2 -Wswitch-enum -Werror
    -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection
)
case $(uname -m) in
    x86_64) flags+=(-fcf-protection) ;;
esac
# All that it calls is found when it is loaded, and its tables are read-only from then on.
link=(-shared -Wl,-z,relro,-z,now,-z,noexecstack,-z,defs -Wl,--as-needed)

mkdir -p "$output"
"$compiler" "${flags[@]}" Sources/Satellites/PAM/*.c "${link[@]}" -lpam -o "$output/pam_chatelaine.so"
printf '%s\n' "$output/pam_chatelaine.so"
