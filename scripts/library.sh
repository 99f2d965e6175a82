#!/usr/bin/env bash
# Builds libSecurity.so, which C and C++ programs link, in a folder of its own, and checks what it exports:
#
#   scripts/library.sh [FOLDER]     FOLDER is .build/library unless given; the library and its links come to lie there
#
# Everything but the interface is hidden, so that the Swift packages inside meet no others of a program that uses them
# too. The Swift runtime and Foundation are not inside: a program and the library must share the objects of Core
# Foundation.
set -euo pipefail
source "$(dirname "$0")/common.sh"

readonly soname=libSecurity.so.1
folder=${1:-.build/library}

scripts/setup.sh
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

symbols=$folder/symbols.txt
scripts/c-symbols.sh >"$symbols"

# What the linker may export.
versions=$folder/versions.map
{
    printf 'SECURITY_1 {\nglobal:\n'
    sed 's/.*/    &;/' "$symbols"
    printf 'local:\n    *;\n};\n'
} >"$versions"

build=("${release_build[@]}" --product SecurityABI)
"${build[@]}" -Xlinker -soname="$soname" -Xlinker --version-script="$versions" -Xlinker --strip-all

built=$("${build[@]}" --show-bin-path)
install -m 755 "$built/libSecurityABI.so" "$folder/$soname"
ln -sf "$soname" "$folder/libSecurity.so"

section "What the library exports"
nm -D --defined-only "$folder/$soname" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort >"$folder/exported.txt"
diff -u "$symbols" "$folder/exported.txt" || die "the library exports not what the headers declare"
printf '%s symbols, %s bytes: %s\n' "$(wc -l <"$symbols")" "$(stat -c %s "$folder/$soname")" "$folder/$soname"
