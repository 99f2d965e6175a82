#!/usr/bin/env bash
# Builds what programs that import CryptoKit find and link after an installation, from the release build (scripts/release.sh,
# which calls this):
#
#   scripts/cryptokit.sh FOLDER     FOLDER has the façades' modules and libChatelaine.so.0; there come
#     libChatelaineCryptoKit.so.0   swift-crypto and the Secure Enclave's keys, and nothing else in sight
#     cryptokit/MODULE.*            the modules CryptoKit, CryptoSecureEnclave and ChatelaineCrypto
#
# ChatelaineCrypto is swift-crypto's module Crypto under another name, so that it is not taken for the one that a package
# may have among its dependencies (docs/decisions/0048-an-installed-cryptokit-has-a-crypto-of-its-own.md).
set -euo pipefail
source "$(dirname "$0")/common.sh"

[ $# -eq 1 ] || die "usage: cryptokit.sh FOLDER"
folder=$(cd "$1" && pwd)
modules=$folder/cryptokit
work=$modules/build
rm -rf "$modules"
mkdir -p "$work"

objects=$("${release_build[@]}" --show-bin-path)
swift_crypto=$PWD/$release_folder/checkouts/swift-crypto/Sources

# With library evolution an initializer that sets properties itself may not be inlinable, and what is inlined asks for the
# modules below. So nothing is: that changes how fast some calls are, and not what they do.
cp -R "$swift_crypto/Crypto" "$work/Crypto"
find "$work/Crypto" -name '*.swift' -exec sed -i -E \
    -e 's/^( *)@(inlinable|usableFromInline)\b/\1/' -e 's/^import CryptoBoringWrapper$/internal &/' {} +

# Compiles a module: its name, where its sources are, and more for the compiler.
compile() {
    local name=$1 sources=$2 files
    shift 2
    mapfile -d '' -t files < <(find "$sources" -name '*.swift' -print0 | sort -z)
    [ ${#files[@]} -gt 0 ] || die "no sources in $sources"
    # The compiler warns that Foundation was not compiled with library evolution, once a file. What it would verify is the
    # interface with the other name in it, of which it takes exception (scripts/test-install.sh builds from the interfaces).
    swiftc -emit-module -emit-object -parse-as-library -whole-module-optimization -O -swift-version 6 \
        -enable-library-evolution -no-verify-emitted-module-interface -suppress-warnings -module-name "$name" -module-alias Crypto=ChatelaineCrypto \
        -I "$modules" -I "$folder" "$@" "${files[@]}" -o "$work/$name.o" \
        -emit-module-path "$modules/$name.swiftmodule" -emit-module-interface-path "$work/$name.swiftinterface"
    # Neither the name of the package nor the other name of the module is a part of the interface.
    sed '/^\/\/ swift-module-flags/s/ -\(package-name\|module-alias\) [^ ]*//g' "$work/$name.swiftinterface" \
        >"$modules/$name.swiftinterface"
}
c_modules=()
for module in CCryptoBoringSSL CCryptoBoringSSLShims CXKCP CXKCPShims; do
    c_modules+=(-Xcc "-fmodule-map-file=$swift_crypto/$module/include/module.modulemap" -I "$swift_crypto/$module/include")
done
compile ChatelaineCrypto "$work/Crypto" "${c_modules[@]}" -I "$objects/Modules" -package-name swift_crypto \
    -DCRYPTO_IN_SWIFTPM -DCRYPTO_IN_SWIFTPM_FORCE_BUILD_API -enable-upcoming-feature MemberImportVisibility
ours=(-strict-memory-safety)
for feature in ExistentialAny MemberImportVisibility InternalImportsByDefault NonisolatedNonsendingByDefault; do
    ours+=(-enable-upcoming-feature "$feature")
done
# Some of what the façade has is for this package alone.
ours+=(-package-name "$(sed -n "s/.* -package-name \([^ ]*\).*/\1/p" "$objects/Modules/Security.swiftinterface")")
compile CryptoSecureEnclave Sources/Facades/CryptoSecureEnclave "${ours[@]}"
compile CryptoKit Sources/Facades/CryptoKit "${ours[@]}"

# As in scripts/release.sh: what the compiler means to be seen is protected.
{
    printf '{ global:\n'
    readelf --symbols --wide "$work"/*.o |
        awk '$5 == "GLOBAL" && $6 == "PROTECTED" && $7 != "UND" { print "    " $8 ";" }' | sort -u
    printf 'local: *; };\n'
} >"$work/exports.map"

mapfile -d '' -t below < <(find "$objects"/{CCryptoBoringSSL,CCryptoBoringSSLShims,CXKCP,CXKCPShims,CryptoBoringWrapper}.build \
    -name '*.o' -print0 | sort -z)
swiftc -emit-library -use-ld=lld "$work"/*.o "${below[@]}" "$folder/libChatelaine.so.0" -lstdc++ \
    -Xlinker "--version-script=$work/exports.map" -Xlinker -soname=libChatelaineCryptoKit.so.0 \
    -Xlinker "-rpath=\$ORIGIN" -Xlinker --gc-sections -Xlinker --strip-all -o "$folder/libChatelaineCryptoKit.so.0"
rm -rf "$work"
