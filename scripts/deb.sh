#!/usr/bin/env bash
# Builds a Debian package of all that is installed: scripts/deb.sh [FOLDER], into .build/ where none is given. Prints the
# package's path.
set -euo pipefail
source "$(dirname "$0")/common.sh"

output=${1:-.build}
command -v dpkg-deb >/dev/null || die "dpkg-deb is needed: this makes packages on Debian and Ubuntu only"

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

# The packages that bring the libraries which the programs name, but for ours. Swift's own runtime, which libChatelaine.so
# needs, comes with the toolchain that a Swift program is built with.
depends=$(
    find "$stage/usr/bin" "$stage/usr/lib" -type f \( -perm -u+x -o -name '*.so' -o -name '*.so.*' \) -exec objdump -p {} + 2>/dev/null |
        awk '$1 == "NEEDED" { print $2 }' | sort -u | { grep -vE '^lib(swift|Foundation|_|dispatch|Blocks|Chatelaine)' || true; } |
        while read -r library; do
            path=$(ldconfig -p | awk -v name="$library" '$1 == name { print $NF; exit }')
            { dpkg-query -S "$(readlink -f "$path")" "$path" 2>/dev/null || true; } | cut -d : -f 1
        done | sort -u | paste -sd , | sed 's/,/, /g'
)

mkdir "$stage/DEBIAN"
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@DEPENDS@/$depends/" \
    -e "s/@SIZE@/$(du -sk "$stage/usr" | cut -f 1)/" packaging/debian/control.in >"$stage/DEBIAN/control"
install -m 755 packaging/debian/{preinst,postinst,prerm,postrm} "$stage/DEBIAN/"
printf '/etc/pam.d/chatelaine\n' >"$stage/DEBIAN/conffiles"
(cd "$stage" && find usr -type f -exec md5sum {} +) >"$stage/DEBIAN/md5sums"

mkdir -p "$output"
package=$output/chatelaine_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$stage" "$package" >&2
printf '%s\n' "$package"
