#!/usr/bin/env bash
# Builds libChatelaineCommonCrypto.so, which programs that import CommonCrypto link, and prints its path. It is C alone.
#
#   scripts/commoncrypto.sh [FOLDER]     FOLDER is .build/commoncrypto unless given
set -euo pipefail
source "$(dirname "$0")/common.sh"

readonly soname=libChatelaineCommonCrypto.so.0
output=${1:-.build/commoncrypto}
compiler=${CC:-cc}
command -v "$compiler" >/dev/null || compiler=clang

sources=Sources/Facades/CommonCrypto
mkdir -p "$output"

# Programs see what the headers declare, and nothing else.
versions=$output/commoncrypto.map
{
    printf 'COMMONCRYPTO_0 {\nglobal:\n    CC_*;\n    CC[A-Z]*;\n    CCrfc3394_*;\nlocal:\n    *;\n};\n'
} >"$versions"

"$compiler" -std=c11 -O2 -fPIC -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wvla -Wformat=2 -Werror \
    -D_FORTIFY_SOURCE=2 -fstack-protector-strong "$sources"/*.c -shared -Wl,-soname="$soname" \
    -Wl,--version-script="$versions" -Wl,-z,relro,-z,now,-z,noexecstack,-z,defs -Wl,--strip-all -o "$output/$soname"
printf '%s\n' "$output/$soname"
