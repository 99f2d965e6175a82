#!/usr/bin/env bash
# Builds a Debian package of all that is installed: scripts/deb.sh [FOLDER], into .build/ where none is given. Prints the
# package's path. CHATELAINE_DEB_LEVEL (9) says how hard it is compressed. What a build may do without, a package may not:
# this stops where a header is missing.
set -euo pipefail
source "$(dirname "$0")/common.sh"

output=${1:-.build}
command -v dpkg-deb >/dev/null || die "dpkg-deb is needed: this makes packages on Debian and Ubuntu only"

# Each library that something in the package names, and the packages that bring it: as they are called in Ubuntu 24.04 and
# Debian 13, and in Debian 12. The first group is linked with, the others are loaded when they are needed.
package_of() {
    case $1 in
        libc.so.6 | libm.so.6 | ld-linux*) echo "libc6 (>= $(newest GLIBC))" ;;
        libgcc_s.so.1) echo libgcc-s1 ;;
        libstdc++.so.6) echo "libstdc++6 (>= $(release_of_libstdcxx "$(newest GLIBCXX)"))" ;;
        libpam.so.0) echo libpam0g ;;
        libsqlite3.so.0) echo libsqlite3-0 ;;
        libxml2.so.2) echo libxml2 ;;
        libz.so.1) echo zlib1g ;;
        libwayland-client.so.0) echo libwayland-client0 ;;
        libxcb.so.1) echo libxcb1 ;;

        libcrypto.so.3) echo "libssl3t64 | libssl3" ;;
        libcurl.so.4) echo "libcurl4t64 | libcurl4" ;;
        libgcrypt.so.20) echo libgcrypt20 ;;
        libsystemd.so.0) echo libsystemd0 ;;
        libtss2-esys.so.0) echo "libtss2-esys-3.0.2-0t64 | libtss2-esys-3.0.2-0" ;;
        libtss2-mu.so.0) echo "libtss2-mu-4.0.1-0t64 | libtss2-mu0" ;;
        *) die "$1 is named by what is packaged, and scripts/deb.sh does not know what brings it" ;;
    esac
}
# The newest version of the C or C++ library's symbols that the package asks for, such as 2.36.
newest() {
    symbols | grep -oE "\b$1_[0-9.]+" | sort -uV | tail -1 | cut -d _ -f 2
}
# The release of GCC that brought a version of the C++ library's symbols. A newer one is not known here, nor in Debian 12.
release_of_libstdcxx() {
    local minor=${1#3.4}
    case ${minor#.} in
        "" | [0-9] | 1[0-9] | 2[0-8]) echo 9 ;;
        29) echo 11 ;;
        30) echo 12 ;;
        *) die "GLIBCXX_$1 is newer than any that scripts/deb.sh knows" ;;
    esac
}

# What has to be there to compile it all: a line of C, the header it needs, and the package with it. SwiftPM's C targets
# leave a feature out where its header is not found, which is right for a build of one's own.
demand_headers() {
    local compiler header package line missing=()
    compiler=$(dirname "$(command -v swiftc)")/clang
    while read -r package header line; do
        printf '#include <stddef.h>\n#include <sys/types.h>\n#include <stdio.h>\n#include <%s>\n%s\n' "$header" "$line" |
            "$compiler" -fsyntax-only -I/usr/include/libxml2 -x c - 2>/dev/null || missing+=("$header ($package)")
    done <<'LIST'
libtss2-dev tss2/tss2_esys.h TSS2_RC (*f)(ESYS_CONTEXT **, TSS2_TCTI_CONTEXT *, TSS2_ABI_VERSION *) = Esys_Initialize;
libtss2-dev tss2/tss2_mu.h TSS2_RC (*f)(TPM2B_PUBLIC const *, uint8_t[], size_t, size_t *) = Tss2_MU_TPM2B_PUBLIC_Marshal;
libpam0g-dev security/pam_modules.h int (*f)(pam_handle_t *, int, int, const char **) = pam_sm_authenticate;
libsqlite3-dev sqlite3.h int (*f)(sqlite3 *) = sqlite3_close;
libxml2-dev libxml/parser.h void (*f)(void) = xmlCleanupParser;
LIST
    [ ${#missing[@]} -eq 0 ] || die "a package without these headers would lack what they are for:
$(printf '  %s\n' "${missing[@]}")
Install them: apt-get install $(printf '%s\n' "${missing[@]}" | sed 's/.*(\(.*\))/\1/' | sort -u | paste -sd ' ')"
}
demand_headers

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"
DESTDIR=$stage PREFIX=/usr scripts/install.sh >&2
# The package manager keeps its own account of files.
rm "$stage/usr/share/chatelaine/installed-files"
# Where this system's PAM looks for modules; and what turns ours on in the files that all log-ins include.
modules=$(dirname "$(dpkg -L libpam-modules | grep '/pam_unix\.so$')")
case $modules in /usr/*) ;; *) modules=/usr$modules ;; esac
install -d "$stage$modules" "$stage/usr/share/pam-configs"
mv "$stage/usr/lib/security/pam_chatelaine.so" "$stage$modules/"
rmdir "$stage/usr/lib/security"
install -m 644 packaging/debian/pam-config "$stage/usr/share/pam-configs/chatelaine"
# How its owner is authenticated where polkit is not; the administrator may change it.
install -D -m 644 "$stage/usr/share/chatelaine/pam.d/chatelaine" "$stage/etc/pam.d/chatelaine"
rm -r "$stage/usr/share/chatelaine/pam.d"
# A set-user-ID program, since a machine without polkit has no other way to authenticate somebody for a program of theirs.
# Where polkit is, it refuses to be started by anybody but root, and pkexec does that (docs/decisions/0030). Lintian's tag
# elevated-privileges is about this file and no other.
chmod 4755 "$stage/usr/libexec/chatelaine/chatelaine-authorize"
find "$stage/usr/share/man" -type f -exec gzip -9n {} +

version=$("$stage/usr/bin/security" --version | awk '{ print $NF }')
architecture=$(dpkg --print-architecture)

# What is linked with is depended on, and what is loaded when it is needed is recommended. Swift's own runtime, which
# libChatelaine.so needs, comes with the toolchain that a Swift program is built with.
# Some programs are scripts, which are linked with nothing.
mapfile -d '' -t binaries < <(
    find "$stage/usr/bin" "$stage/usr/lib" "$stage/usr/libexec" -type f \
        \( -perm -u+x -o -name '*.so' -o -name '*.so.*' \) -print0 |
        while IFS= read -r -d '' file; do
            if [ "$(head -c 4 "$file")" = $'\x7fELF' ]; then printf '%s\0' "$file"; fi
        done
)
symbols() { objdump -T "${binaries[@]}" 2>/dev/null; }
linked=$(objdump -p "${binaries[@]}" 2>/dev/null | awk '$1 == "NEEDED" { print $2 }' | sort -u |
    { grep -vE '^lib(swift|Foundation|_|dispatch|Blocks|Chatelaine)' || true; })
# Names in the code, since the compiler makes no text of the short ones.
loaded=$(grep -rhoE '"lib[a-z0-9-]+\.so\.[0-9]+"' Sources --include='*.swift' --include='*.[ch]' | tr -d '"' | sort -u)
# The packages of some libraries, in a field's form. What is read line by line fails where a library is unknown.
field() {
    local library packages=()
    for library in $1; do
        package_of "$library" >"$stage.package" || exit
        packages+=("$(cat "$stage.package")")
    done
    rm -f "$stage.package"
    printf '%s\n' "${packages[@]}" | sort -u | paste -sd , | sed 's/,/, /g'
}
depends=$(field "$linked")
recommends=$(field "$loaded")

# A feature that its C code has left out is a log's line on somebody else's machine. The names are the code's own.
demand_text() {
    local file=$stage/usr/$1 text
    shift
    for text in "$@"; do
        grep -qaF -- "$text" "$file" || die "$file was compiled without what it needs for $text"
    done
}
demand_text libexec/chatelaine/chatelaine-enclave libtss2-esys.so.0 Esys_CreatePrimary Tss2_MU_TPM2B_PUBLIC_Marshal
demand_text bin/chatelaine libtss2-esys.so.0 Esys_CreatePrimary
demand_text libexec/chatelaine/chatelained libsystemd.so.0 sd_bus_
demand_text libexec/chatelaine/chatelaine-prompt libsystemd.so.0 sd_bus_

mkdir "$stage/DEBIAN"
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@DEPENDS@/$depends/" \
    -e "s/@RECOMMENDS@/$recommends/" \
    -e "s/@SIZE@/$(du -sk "$stage/usr" | cut -f 1)/" packaging/debian/control.in >"$stage/DEBIAN/control"
install -m 755 packaging/debian/{preinst,postinst,prerm,postrm} "$stage/DEBIAN/"
printf '/etc/pam.d/chatelaine\n' >"$stage/DEBIAN/conffiles"
(cd "$stage" && find usr -type f -exec md5sum {} +) >"$stage/DEBIAN/md5sums"

mkdir -p "$output"
package=$output/chatelaine_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz "-z${CHATELAINE_DEB_LEVEL:-9}" --build "$stage" "$package" >&2
printf '%s\n' "$package"
