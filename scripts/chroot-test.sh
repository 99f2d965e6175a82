#!/usr/bin/env bash
# Tries README's two commands, `make demo` and `make test`, on another release of Debian or Ubuntu: on a fresh clone of
# what is committed here, in a minimal system of that release. As root, by hand: it takes an hour, 9 GB and a mirror.
#
#   scripts/chroot-test.sh SUITE [FOLDER]   such as noble or bookworm; the system and the log are kept in the folder
#   CHATELAINE_CHROOT_COMMANDS='make demo'  what is run in the clone, instead of the two: a line each
#   CHATELAINE_CHROOT_KEEP=1                goes on in the clone that is there, with what is built in it
#   CHATELAINE_MIRROR=URL                   where the packages come from
#
# The toolchain is this machine's, bound to the same place in there, and what git takes instead of the network, too. No
# systemd runs in a chroot.
set -euo pipefail
source "$(dirname "$0")/common.sh"

[ "$(id -u)" = 0 ] || die "run this as root: it makes a system in a folder, and goes into it"

# In namespaces of its own: what is mounted and what is left running ends with them.
if [ "${1:-}" = --inside ]; then
    root=$2 commands=$3 toolchain=$4
    shift 4
    # A mount of its own, which is made the root: a plain chroot has no user namespaces, and some tests look for one.
    mount --bind "$root" "$root"
    for place in "$@"; do
        mkdir -p "$root$place"
        mount --bind "$place" "$root$place"
        mount --options remount,bind,ro "$root$place"
    done
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o mode=755 tmpfs "$root/run"
    cd "$root"
    pivot_root . .
    umount --lazy .
    # shellcheck disable=SC2016 # expanded in there
    exec chroot . /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM=dumb \
        PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$toolchain/usr/bin" \
        bash -euc '
            cd /srv/chatelaine
            . /etc/os-release
            printf "%s, %s, %s\n" "$PRETTY_NAME" "$(uname -sr)" "$(ldd --version | head -n 1)"
            while IFS= read -r line; do
                printf "\n\$ %s\n" "$line"
                SECONDS=0 status=0
                bash -c "$line" </dev/null || status=$?
                printf "\n%s: status %s after %s minutes, %s seconds\n" \
                    "$line" $status $((SECONDS / 60)) $((SECONDS % 60))
                [ $status = 0 ] || exit $status
            done <<<"$1"
        ' chatelaine "$commands"
fi

suite=${1:?which release? such as noble}
folder=${2:-.build/chroot-$suite}
for command in mmdebstrap gpg dpkg-deb git unshare swift curl; do
    command -v "$command" >/dev/null || die "this needs $command"
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
readonly root=$folder/root

# Ubuntu's key for its archive: all else is verified by it. It is in a package, which counts only if the key in it is
# this one.
readonly ubuntu_key=F6ECB3762474EDA9D21B7022871920D1991BC93C
readonly ubuntu_keyring=pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb
case $suite in
    bookworm | trixie | forky | sid)
        mirror=${CHATELAINE_MIRROR:-http://deb.debian.org/debian}
        parts=("$suite") components=main keyring=/usr/share/keyrings/debian-archive-keyring.gpg
        ;;
    *)
        mirror=${CHATELAINE_MIRROR:-http://archive.ubuntu.com/ubuntu}
        parts=("$suite" "$suite-updates" "$suite-security") components='main universe'
        keyring=$folder/ubuntu-archive-$ubuntu_key.gpg
        ;;
esac

fetch_key() {
    local work=$folder/key
    rm -rf "$work"
    mkdir -m 700 "$work" "$work/gnupg"
    curl --fail --silent --show-error --location --output "$work/keyring.deb" "$mirror/$ubuntu_keyring"
    dpkg-deb --extract "$work/keyring.deb" "$work/files"
    gpg --homedir "$work/gnupg" --batch --quiet --no-default-keyring \
        --keyring "$work/files/usr/share/keyrings/ubuntu-archive-keyring.gpg" --export "$ubuntu_key" >"$work/one"
    gpg --homedir "$work/gnupg" --batch --with-colons --show-keys "$work/one" |
        awk -F: '$1 == "fpr" { print $10 }' | grep -qx "$ubuntu_key" ||
        die "$ubuntu_keyring has not the key $ubuntu_key"
    mv "$work/one" "$keyring"
    rm -rf "$work"
}

if [ ! -e "$folder/made" ]; then
    section "A minimal system: $suite, from $mirror"
    [ -e "$keyring" ] || fetch_key
    rm -rf "$root"
    sources=()
    for part in "${parts[@]}"; do sources+=("deb [signed-by=$keyring] $mirror $part $components"); done
    # With git and make, by which a reader of README comes to the two commands.
    mmdebstrap --variant=apt --include=ca-certificates,git,make "$suite" "$root" "${sources[@]}" 2>&1 |
        tee "$folder/system.log"
    install -D -m 644 "$keyring" "$root$keyring"
    touch "$folder/made"
fi
cp "$(realpath /etc/resolv.conf)" "$root/etc/resolv.conf"

toolchain=$(readlink -f "$(command -v swift)")
toolchain=${toolchain%/usr/bin/*}
bound=("$toolchain")
: >"$root/etc/gitconfig"
git config --file "$root/etc/gitconfig" --add safe.directory '*'
while read -r key value; do
    place=${key#url.}
    place=${place%.insteadof}
    if [ -d "$place" ]; then
        bound+=("$place")
        git config --file "$root/etc/gitconfig" --add "url.$place.insteadOf" "$value"
    fi
done < <(git config --get-regexp '^url\..*\.insteadof$' || true)

if [ "${CHATELAINE_CHROOT_KEEP:-0}" = 1 ] && [ -d "$root/srv/chatelaine" ]; then
    section "The clone of before, with what is committed here: $(git rev-parse --short HEAD)"
    git -C "$root/srv/chatelaine" fetch --quiet "$PWD" HEAD
    git -C "$root/srv/chatelaine" reset --quiet --hard FETCH_HEAD
else
    # Where other users can come, too: some tests run programs as them.
    section "A fresh clone of $(git rev-parse --short HEAD)"
    rm -rf "$root/srv/chatelaine"
    git clone --quiet --no-local . "$root/srv/chatelaine"
fi

unshare --mount --propagation private --pid --fork --kill-child scripts/chroot-test.sh --inside "$root" \
    "${CHATELAINE_CHROOT_COMMANDS:-$'make demo\nmake test'}" "$toolchain" "${bound[@]}" 2>&1 | tee "$folder/log"
