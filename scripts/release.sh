#!/usr/bin/env bash
# Builds what is installed, all in one build: scripts/release.sh FOLDER puts it there.
#
#   security, chatelaine            the commands, with Swift's libraries inside
#   chatelained, chatelaine-enclave, chatelaine-identify, chatelaine-prompt
#                                   the service's processes, the same
#   chatelaine-secrets, chatelaine-ssh-agent, chatelaine-passkeys, chatelaine-sync, chatelaine-access
#                                   the Secret Service, the ssh agent, what carries for synchronization, and the keychain in
#                                   the browser, the same
#   chatelaine-etcd                 what speaks to clusters, and its operator's commands (scripts/etcd.sh)
#   chatelaine-credential           the helper of git and other programs, the same
#   libChatelaine.so.0              the façades for Swift programs, and nothing else in sight
#   libSecurity.so.1                the same for C programs (scripts/library.sh)
#   MODULE.swiftmodule, .swiftdoc, .swiftinterface
#                                   the façades' modules, one that takes the place of the toolchain's CoreFoundation, and
#                                   one that is added where Security and FoundationNetworking are both imported
#   libChatelaineCryptoKit.so.0, cryptokit/MODULE.*
#                                   the same for programs that import CryptoKit (scripts/cryptokit.sh)
set -euo pipefail
source "$(dirname "$0")/common.sh"

[ $# -eq 1 ] || die "usage: release.sh FOLDER"
folder=$1
rm -rf "$folder"
mkdir -p "$folder"

# The modules that other people's programs import.
readonly modules=(CoreFoundationAliases SecurityObjects Security LocalAuthentication)

build=("${release_build[@]}")
# One plan for all; what follows links what this has compiled.
"${build[@]}"
products_are_built=yes
objects=$("${build[@]}" --show-bin-path)

# Foundation brings ICU into each program that has a line of it. The enclave, the prompter and the process that knows
# callers have none, only FoundationEssentials (docs/decisions/0054): the linker fails where that changes.
foundation=("${static_foundation[@]}")

# ICU's data are 34 MB, almost all of it languages and encodings that no program here speaks. An object with what is left
# comes before the archive with all of it, so the linker has no need for that. A toolchain with data of another form has
# its programs linked with all.
icu_data() {
    local archive member symbol where work=$folder/icu
    archive=$(swiftc -static-stdlib -print-target-info | awk -F '"' '$2 == "runtimeResourcePath" { print $4 }')
    archive=$archive/linux/lib_FoundationICU.a
    where=$(nm -A --defined-only "$archive" 2>/dev/null | grep -E ':0+ R icudt[0-9]+_dat$') || return 1
    member=$(cut -d : -f 2 <<<"$where")
    symbol=${where##* }
    ar p "$archive" "$member" >"$work/all.o" && objcopy -O binary --only-section=.rodata "$work/all.o" "$work/all" &&
        swift scripts/icu-data.swift "$work/all" "$work/some" || return 1
    printf '.section .rodata\n.globl %s\n.balign 16\n%s:\n.incbin "%s"\n.section .note.GNU-stack,"",@progbits\n' \
        "$symbol" "$symbol" "$work/some" >"$work/some.s"
    "$(dirname "$(command -v swiftc)")/clang" -c "$work/some.s" -o "$folder/icu-data.o"
}
mkdir "$folder/icu"
if icu_data; then
    foundation=("$folder/icu-data.o" "${foundation[@]}")
else
    printf "The toolchain's data of ICU cannot be read: the programs are linked with all of it.\n"
fi
rm -r "$folder/icu"

program() { link_program "$folder" "$@"; }
program security SecurityTool "${foundation[@]}" -lstdc++ -lsqlite3
program chatelaine ChatelaineTool "${foundation[@]}" -l_CFXMLInterface -lxml2 -lstdc++ -lsqlite3
program chatelained chatelained "${foundation[@]}" -lstdc++ -lsqlite3
program chatelaine-secrets chatelaine_secrets "${foundation[@]}" -lstdc++ -lsqlite3
program chatelaine-ssh-agent chatelaine_ssh_agent "${foundation[@]}" -lstdc++ -lsqlite3
program chatelaine-passkeys chatelaine_passkeys "${foundation[@]}" -lstdc++ -lsqlite3
program chatelaine-access chatelaine_access "${foundation[@]}" -lstdc++ -lsqlite3
program chatelaine-enclave chatelaine_enclave "${static_essentials[@]}" -lstdc++
program chatelaine-prompt chatelaine_prompt "${static_essentials[@]}" -lstdc++
# Other programs start it, and wait: without Foundation it starts in half the time (docs/decisions/0060). SwiftProtobuf names
# all of Foundation among what it is linked with and uses FoundationEssentials alone, whose archive therefore comes first:
# it shares functions with Foundation's, and the linker takes the first that it finds.
link_first=("$(swiftc -static-stdlib -print-target-info | awk -F '"' '$2 == "runtimeResourcePath" { print $4 }')/linux/libFoundationEssentials.a")
program chatelaine-credential chatelaine_credential "${static_essentials[@]}" -lstdc++
program chatelaine-sync chatelaine_sync "${static_essentials[@]}" -lstdc++
link_first=()
scripts/etcd.sh release "$folder"
# Has capabilities, and so nothing in it but what it needs.
program chatelaine-identify chatelaine_identify

# What the compiler means to be seen outside of a façade's module is protected; all that is shared between modules
# besides (inlined, specialised) is hidden.
exports=$folder/exports.map
(
    cd "$objects"
    for module in "${modules[@]}"; do readelf --symbols --wide "$module".build/*.o; done
) | awk '$5 == "GLOBAL" && $6 == "PROTECTED" && $7 != "UND" { print "    " $8 ";" }' | sort -u |
    { printf '{ global:\n' && cat && printf 'local: *; };\n'; } >"$exports"

"${build[@]}" --product Chatelaine -Xlinker "--version-script=$exports" -Xlinker -soname=libChatelaine.so.0 \
    -Xlinker --strip-all
install -m 755 "$objects/libChatelaine.so" "$folder/libChatelaine.so.0"

for module in "${modules[@]}"; do
    cp "$objects/Modules/$module".{swiftmodule,swiftdoc} "$folder/"
    # The name of the folder that this was built in is not a part of the interface.
    sed '/^\/\/ swift-module-flags/s/ -package-name [^ ]*//' "$objects/Modules/$module.swiftinterface" \
        >"$folder/$module.swiftinterface"
done
swiftc -emit-module -parse-as-library -enable-library-evolution -module-name CoreFoundation -I "$folder" \
    -emit-module-path "$folder/CoreFoundation.swiftmodule" \
    -emit-module-interface-path "$folder/CoreFoundation.swiftinterface" packaging/CoreFoundation.swift
# Functions that are compiled into their callers: there is nothing of it to link.
swiftc -emit-module -parse-as-library -enable-library-evolution -swift-version 6 -suppress-warnings \
    -module-name _Security_FoundationNetworking -I "$folder" -D CHATELAINE_SERVER_TRUST -D CHATELAINE_OVERLAY \
    -emit-module-path "$folder/_Security_FoundationNetworking.swiftmodule" \
    -emit-module-interface-path "$folder/_Security_FoundationNetworking.swiftinterface" \
    Sources/Facades/Security/Networking/ServerTrust.swift packaging/SecurityOverlay.swift

scripts/cryptokit.sh "$folder"
scripts/library.sh "$folder"
