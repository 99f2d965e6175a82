#!/usr/bin/env bash
# Builds and installs everything: the commands with their manuals and completions, the service and its units, the
# libraries, the Swift modules, the C headers, and what tells other build systems of them. Reads PREFIX (/usr/local) and DESTDIR (empty).
#
#   scripts/install.sh                installs
#   scripts/install.sh --from FOLDER  installs what lies in a folder (scripts/smoke.sh), instead of building it
#   scripts/install.sh --uninstall    removes what was installed there, and nothing else
set -euo pipefail
source "$(dirname "$0")/common.sh"

prefix=${PREFIX:-/usr/local}
case $prefix in /*) ;; *) die "PREFIX must be an absolute path, and is: $prefix" ;; esac
case $prefix in *[[:space:]\"\\]*) die "PREFIX must be without blanks, quotes and backslashes, and is: $prefix" ;; esac
prefix=${prefix%/}
target=${DESTDIR:-}$prefix
readonly receipt=share/chatelaine/installed-files

uninstall() {
    local path folder
    [ -f "$target/$receipt" ] || die "nothing of ours is installed under $target"
    # The receipt names files, each below the prefix. Folders go when nothing is left in them.
    while IFS= read -r path; do
        case /$path/ in */../*) die "not a path below the prefix: $path" ;; esac
        rm -f "$target/$path"
        folder=$(dirname "$path")
        while [ "$folder" != . ] && rmdir "$target/$folder" 2>/dev/null; do folder=$(dirname "$folder"); done
    done < <(cat "$target/$receipt")
}

products=
case ${1:-} in
    "") ;;
    --from) products=$(cd "${2:?which folder?}" && pwd) ;;
    --uninstall)
        uninstall
        exit
        ;;
    *) die "unknown argument $1 (only --from and --uninstall are known)" ;;
esac

scripts/setup.sh

# The other packages' licences lie beside their sources. A build for debugging makes no interfaces of modules.
if [ -n "$products" ]; then
    kinds=(swiftmodule swiftdoc)
    checkouts=.build/checkouts
else
    kinds=(swiftmodule swiftdoc swiftinterface)
    checkouts=$release_folder/checkouts
    products=$PWD/.build/release-products
    section "Building"
    scripts/release.sh "$products"
fi

# Puts a file into place, with its mode, and remembers it.
installed=()
put() {
    local mode=$1 file=$2 path=$3
    install -D -m "$mode" "$file" "$target/$path"
    installed+=("$path")
}
# A name for the linker, or an older one, beside a library.
link() {
    ln -sfn "$2" "$target/$1"
    installed+=("$1")
}
# Puts a template into place, its @WORDS@ filled in; @FIRST@ is a third argument.
fill() {
    mkdir -p "$target/$(dirname "$2")"
    sed -e "s|@PREFIX@|$prefix|g" -e "s|/usr/libexec/chatelaine/|$prefix/libexec/chatelaine/|g" -e "s|@VERSION@|$version|g" -e "s|@SWIFT_RESOURCES@|$swift_resources|g" \
        -e "s|@SWIFT_RUNTIME@|$swift_runtime|g" -e "s|@SWIFT_CLANG@|$(dirname "$(command -v swiftc)")/clang|g" \
        -e "s|@FIRST@|${3:-}|g" "$1" >"$target/$2"
    chmod 644 "$target/$2"
    installed+=("$2")
}
# Installs what a command itself prints.
print_completion() {
    mkdir -p "$target/$(dirname "$3")"
    "$products/$1" --generate-completion-script "$2" >"$target/$3"
    chmod 644 "$target/$3"
    installed+=("$3")
}

section "Installing under $target"
{ read -r swift_resources && read -r swift_runtime && read -r module_triple; } < <(swift_paths)
version=$("$products/security" --version | awk '{ print $NF }')

for command in security chatelaine; do
    put 755 "$products/$command" "bin/$command"
    put 644 "docs/man/$command.1" "share/man/man1/$command.1"
    print_completion "$command" bash "share/bash-completion/completions/$command"
    print_completion "$command" zsh "share/zsh/site-functions/_$command"
    print_completion "$command" fish "share/fish/vendor_completions.d/$command.fish"
done

# The service's processes are started by systemd, or by hand: the daemon looks for the others beside itself.
for process in chatelained chatelaine-identify chatelaine-enclave chatelaine-prompt chatelaine-secrets \
    chatelaine-ssh-agent chatelaine-passkeys chatelaine-sync chatelaine-access chatelaine-etcd; do
    put 755 "$products/$process" "libexec/chatelaine/$process"
done
link bin/chatelained ../libexec/chatelaine/chatelained
# The compiler of `chatelaine swift`.
put 755 packaging/chatelaine-swiftc libexec/chatelaine/chatelaine-swiftc
# git, docker and cargo look for programs of these names. pip and uv look for `keyring`, of which a system has one: who wants
# ours links it (docs/credentials.md).
put 755 "$products/chatelaine-credential" libexec/chatelaine/chatelaine-credential
put 644 docs/man/chatelaine-credential.1 share/man/man1/chatelaine-credential.1
link bin/chatelaine-credential ../libexec/chatelaine/chatelaine-credential
for program in git docker cargo; do
    link "bin/$program-credential-chatelaine" ../libexec/chatelaine/chatelaine-credential
done
for page in chatelained chatelaine-enclave chatelaine-prompt chatelaine-authorize chatelaine-passkey-device pam_chatelaine; do put 644 "docs/man/$page.8" "share/man/man8/$page.8"; done
# PAM looks in a folder of the system's for modules that are named without a path.
put 644 "$(scripts/pam.sh "$products/pam")" lib/security/pam_chatelaine.so
# Without set-user-ID: pkexec starts it as root where polkit is. docs/install.md says what to do where it is not.
put 755 "$(scripts/pam.sh --authorize "$products/pam")" libexec/chatelaine/chatelaine-authorize
put 755 "$(scripts/pam.sh --device "$products/pam")" libexec/chatelaine/chatelaine-passkey-device
# To whom the security keys belong that it makes.
put 644 packaging/udev/71-chatelaine-passkeys.rules lib/udev/rules.d/71-chatelaine-passkeys.rules
put 644 packaging/pam.d/chatelaine share/chatelaine/pam.d/chatelaine
# What `chatelaine ssh enable` writes; an administrator copies it to /etc/environment.d, for everybody.
put 644 packaging/environment.d/60-chatelaine-ssh-agent.conf share/chatelaine/environment.d/60-chatelaine-ssh-agent.conf
# By which programs in a sandbox get a secret of their own: the portal reads it in each desktop.
put 644 packaging/portal/chatelaine.portal share/xdg-desktop-portal/portals/chatelaine.portal
for page in chatelaine-secrets chatelaine-ssh-agent chatelaine-passkeys chatelaine-sync chatelaine-access chatelaine-etcd; do
    put 644 "docs/man/$page.1" "share/man/man1/$page.1"
done
fill packaging/polkit/org.chatelaine.policy share/polkit-1/actions/org.chatelaine.policy
for unit in systemd/system/* systemd/user/*; do fill "$unit" "lib/$unit"; done
put 644 packaging/polkit/50-chatelaine.rules share/polkit-1/rules.d/50-chatelaine.rules
for snippet in sysusers.d tmpfiles.d; do put 644 systemd/$snippet/chatelaine.conf lib/$snippet/chatelaine.conf; done

for library in "$products"/*.so.*; do
    name=$(basename "$library")
    put 755 "$library" "lib/$name"
    link "lib/${name%%.so.*}.so" "$name"
done

# A compiler other than the one that built a module builds it anew from its interface. Those that turn on `canImport` in
# other people's packages, or hide a module of the toolchain's, lie elsewhere: who wants them says so.
for module in "$products"/*.swiftmodule "$products"/cryptokit/*.swiftmodule; do
    if [ ! -e "$module" ]; then continue; fi
    name=$(basename "$module" .swiftmodule)
    case $name in
        CoreFoundation) folder=lib/chatelaine/corefoundation ;;
        CryptoKit | CryptoSecureEnclave | ChatelaineCrypto) folder=lib/chatelaine/cryptokit ;;
        *) folder=lib/chatelaine/swift ;;
    esac
    for kind in "${kinds[@]}"; do
        put 644 "${module%.swiftmodule}.$kind" "$folder/$name.swiftmodule/$module_triple.$kind"
    done
done
# The compiler refuses every file that imports both where the overlay's module is missing, as it is without a release build.
if [ -e "$products/_Security_FoundationNetworking.swiftmodule" ]; then
    put 644 packaging/FoundationNetworking.swiftoverlay \
        lib/chatelaine/swift/Security.swiftcrossimport/FoundationNetworking.swiftoverlay
fi

for header in Sources/Facades/CSecurity/include/Security/*.h; do
    put 644 "$header" "include/Security/$(basename "$header")"
done

# CommonCrypto is found by those who ask for it, and so does not lie where every C compiler looks.
commoncrypto=$(scripts/commoncrypto.sh "$products/commoncrypto")
put 755 "$commoncrypto" "lib/$(basename "$commoncrypto")"
link lib/libChatelaineCommonCrypto.so "$(basename "$commoncrypto")"
for header in Sources/Facades/CommonCrypto/include/{module.modulemap,CommonCrypto/*.h}; do
    put 644 "$header" "lib/chatelaine/commoncrypto/${header#Sources/Facades/CommonCrypto/include/}"
done
fill packaging/toolset-commoncrypto.json.in share/chatelaine/chatelaine-commoncrypto.json

fill packaging/pkgconfig/chatelaine.pc.in lib/pkgconfig/chatelaine.pc
fill packaging/pkgconfig/chatelaine-swift.pc.in lib/pkgconfig/chatelaine-swift.pc
fill packaging/cmake/ChatelaineConfig.cmake.in lib/cmake/Chatelaine/ChatelaineConfig.cmake
fill packaging/cmake/ChatelaineConfigVersion.cmake.in lib/cmake/Chatelaine/ChatelaineConfigVersion.cmake
fill packaging/toolset.json.in share/chatelaine/chatelaine.json
fill packaging/toolset-cryptokit.json.in share/chatelaine/chatelaine-cryptokit.json
fill packaging/toolset-explicit.json.in share/chatelaine/chatelaine-explicit.json
fill packaging/toolset.json.in share/chatelaine/chatelaine-corefoundation.json "\"-I$prefix/lib/chatelaine/corefoundation\", "
put 644 LICENSE share/doc/chatelaine/LICENSE
# Commands and libraries have these packages inside. The folder of checkouts may have those of the examples beside them.
licences() {
    local package text path
    for package in $(sed -n 's|.*"location" : ".*/\([^/"]*\)".*|\1|p' "$1"); do
        package=${package%.git}
        for text in "$2/$package"/{LICENSE,NOTICE}*; do
            # The other package of ours has some of them as well.
            path=share/doc/chatelaine/licenses/$package/$(basename "$text")
            if [ -e "$text" ] && [[ " ${installed[*]} " != *" $path "* ]]; then put 644 "$text" "$path"; fi
        done
    done
}
licences Package.resolved "$checkouts"
licences Etcd/Package.resolved Etcd/.build/checkouts

installed+=("$receipt")
mkdir -p "$target/$(dirname $receipt)"
printf '%s\n' "${installed[@]}" >"$target/$receipt"
printf '%s\n' "${installed[@]/#/$target/}"
