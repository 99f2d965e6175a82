#!/usr/bin/env bash
# Builds what has to do with log-ins, in C alone: the module pam_chatelaine.so, and the program chatelaine-authorize. Neither
# loads Swift's runtime or the libraries that come with it.
#
#   scripts/pam.sh [FOLDER]              the module, into .build/pam where no folder is given; prints its path
#   scripts/pam.sh --authorize [FOLDER]  the program
#   scripts/pam.sh --device [FOLDER]     chatelaine-passkey-device, which has nothing to do with log-ins and is C as well
set -euo pipefail
source "$(dirname "$0")/common.sh"

what=module
case ${1:-} in
    --authorize) what=program && shift ;;
    --device) what=device && shift ;;
esac
output=${1:-.build/pam}
compiler=${CC:-cc}
command -v "$compiler" >/dev/null || compiler=clang

flags=(
    -std=c11 -D_GNU_SOURCE -O2 -g -fvisibility=hidden
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wvla -Wformat=2 -Wswitch-enum -Werror
    -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection
)
case $(uname -m) in
    x86_64) flags+=(-fcf-protection) ;;
esac
# All that is called is found when it is loaded, and tables are read-only from then on.
link=(-Wl,-z,relro,-z,now,-z,noexecstack,-z,defs -Wl,--as-needed)

module=Sources/Programs/PAM
program=Sources/Programs/Authorize
mkdir -p "$output"
case $what in
    module)
        "$compiler" "${flags[@]}" -fPIC "$module"/*.c -shared "${link[@]}" -lpam -o "$output/pam_chatelaine.so"
        printf '%s\n' "$output/pam_chatelaine.so"
        ;;
    program)
        shared=("$module"/{control_message,enclave_socket,locked_memory}.c)
        "$compiler" "${flags[@]}" -fPIE "-I$module" "$program"/*.c "${shared[@]}" -pie "${link[@]}" -lpam -o "$output/chatelaine-authorize"
        printf '%s\n' "$output/chatelaine-authorize"
        ;;
    device)
        "$compiler" "${flags[@]}" -fPIE Sources/Programs/PasskeyDevice/*.c -pie "${link[@]}" -o "$output/chatelaine-passkey-device"
        printf '%s\n' "$output/chatelaine-passkey-device"
        ;;
esac
