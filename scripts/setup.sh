#!/usr/bin/env bash
# Gets this machine ready to build the package: installs what is missing and checks the Swift toolchain.
#
#   scripts/setup.sh            what a build needs
#   scripts/setup.sh --tests    and what the tests and checks need
#   scripts/setup.sh --clients  and large programs that tests keep secrets of: Go, KWallet (120 MB to fetch)
#   scripts/setup.sh --benchmarks    and what the keychain service is measured against
#   scripts/setup.sh --machine  what a whole machine is made and run with
#   scripts/setup.sh --containers    what containers are made and run with
#
# It looks for the things themselves (a header, a command) and not for packages, so it is quick when all is there and
# has nothing to do on a system that got them in another way.
set -euo pipefail
source "$(dirname "$0")/common.sh"

readonly swift_major=6 swift_minor=3
readonly swift_page=https://www.swift.org/install/linux/

for_tests=no
for_clients=no
for_benchmarks=no
for_machine=no
for_containers=no
for argument in "$@"; do
    case $argument in
        --tests) for_tests=yes ;;
        --clients) for_tests=yes for_clients=yes ;;
        --benchmarks) for_benchmarks=yes ;;
        --machine) for_machine=yes ;;
        --containers) for_containers=yes ;;
        *)
            die "unknown argument $argument (only --tests, --clients, --benchmarks, --machine and --containers are known)"
            ;;
    esac
done

# What is missing: the thing, for the reader, and beside it the Debian package that brings it.
missing=()
packages=()
lacks() {
    missing+=("$1")
    packages+=("$2")
}

has_command() { command -v "$1" >/dev/null 2>&1; }

# Says whether any of the given paths, patterns expanded by the caller, is there.
any_exists() {
    local path
    for path in "$@"; do
        if [ -e "$path" ]; then return 0; fi
    done
    return 1
}

has_header() {
    local folder folders
    IFS=: read -r -a folders <<<"${CPATH:-}:/usr/include:/usr/local/include"
    for folder in "${folders[@]}" /usr/include/*-linux-gnu*; do
        if [ -e "$folder/$1" ]; then return 0; fi
    done
    return 1
}

look_for_what_a_build_needs() {
    has_command git || lacks "git, with which SwiftPM fetches dependencies" git
    any_exists /etc/ssl/certs/ca-certificates.crt /etc/ssl/cert.pem /etc/pki/tls/certs/ca-bundle.crt ||
        lacks "certificates, to fetch over https" ca-certificates
    has_command ld || lacks "a linker" binutils
    has_header stdio.h || lacks "the C library's headers" libc6-dev
    # Swift asks for gold, which newer releases of Debian and Ubuntu keep in a package of its own.
    if has_command ld && ! has_command ld.gold; then lacks "the linker ld.gold" binutils-gold; fi
    any_exists /usr/lib/gcc/*/*/libstdc++.* /usr/lib/libstdc++.* /usr/lib64/libstdc++.so ||
        lacks "the C++ library to link with" g++
    # Swift's package builds without these two; what is installed lacks something then, or cannot be linked.
    has_header libxml2/libxml/parser.h || lacks "libxml2, by which a command reads XML" libxml2-dev
    has_header security/pam_modules.h || lacks "PAM's headers, for what has to do with log-ins" libpam0g-dev
    has_header xcb/xcb.h || lacks "X11's header, for the clipboard" libxcb1-dev
    has_header wayland-client-core.h || lacks "Wayland's, for the same" libwayland-dev
    # Loaded when a message bus is used: the service hears of sessions there, and serves secrets.
    any_exists /usr/lib/*/libsystemd.so.0 /usr/lib/libsystemd.so.0 /usr/lib64/libsystemd.so.0 ||
        lacks "libsystemd, by which message buses are used" libsystemd0
    # Loaded when a file needs an old cipher.
    any_exists /usr/lib/*/libgcrypt.so.20 /usr/lib/libgcrypt.so.20 /usr/lib64/libgcrypt.so.20 ||
        lacks "libgcrypt, which old PKCS #12 files are read with" libgcrypt20
    # Loaded when a key does what swift-crypto has no call for.
    any_exists /usr/lib/*/libcrypto.so.3 /usr/lib/libcrypto.so.3 /usr/lib64/libcrypto.so.3 ||
        lacks "OpenSSL's libcrypto, which some algorithms of keys need" libssl3
    has_header zlib.h || lacks "zlib, which the transport over etcd links" zlib1g-dev
    has_header sqlite3.h || lacks "SQLite's header and library" libsqlite3-dev
}

look_for_what_tests_need() {
    has_command sqlite3 || lacks "the sqlite3 command, with which tests look into a keychain" sqlite3
    has_command valgrind || lacks "valgrind, which counts instructions" valgrind
    has_command strace || lacks "strace, with which tests watch what reaches the disk" strace
    has_command openssl || lacks "openssl, which makes certificates for tests" openssl
    # Loaded when a program lets servers be asked about revocation.
    any_exists /usr/lib/*/libcurl.so.4 /usr/lib/libcurl.so.4 /usr/lib64/libcurl.so.4 ||
        lacks "libcurl, by which answers about revocation are fetched" libcurl4
    has_command certtool || lacks "certtool, which exchanges keys with tests" gnutls-bin
    has_command pk12util || lacks "pk12util, which does so in BER" libnss3-tools
    has_command cmake || lacks "cmake, which builds a client against what is installed" cmake
    has_command ninja || lacks "ninja, without which CMake builds no Swift" ninja-build
    has_command pkg-config || lacks "pkg-config, which says how to build against what is installed" pkg-config
    has_command man || lacks "man, which shows the manual" man-db
    has_command mandoc || lacks "mandoc, which checks the manual" mandoc
    has_command systemd-analyze || lacks "systemd-analyze, which checks the service's units" systemd
    has_command pinentry-tty || lacks "pinentry-tty, by which tests ask on a terminal" pinentry-tty
    has_command pinentry-curses || lacks "pinentry-curses, which does so on a whole screen" pinentry-curses
    has_command pamtester || lacks "pamtester, which logs in for tests" pamtester
    any_exists /usr/lib/polkit-1/polkitd /usr/libexec/polkitd || lacks "polkitd, which authenticates owners for tests" polkitd
    has_command pkexec || lacks "pkexec, by which it does so" pkexec
    has_command dbus-daemon || lacks "a message bus of the tests' own" dbus
    has_command gnome-keyring-daemon || lacks "gnome-keyring, which secrets are imported from" gnome-keyring
    has_command dex || lacks "dex, which says what a log-in starts" dex
    has_command secret-tool || lacks "secret-tool, which puts some into it" libsecret-tools
    any_exists /usr/lib/python3/dist-packages/secretstorage ||
        lacks "SecretStorage, by which Python's programs keep secrets" python3-secretstorage
    any_exists /usr/lib/python3/dist-packages/keyring || lacks "keyring, which is built on it" python3-keyring
    # With its source, which Debian's git brings: /usr/share/doc/git/contrib/credential/libsecret.
    has_header libsecret-1/libsecret/secret.h || lacks "libsecret's header, for git's helper" libsecret-1-dev
    has_command make || lacks "make, which builds it" make
    has_command gcc || lacks "gcc, with which it does" gcc
    has_command docker-credential-secretservice ||
        lacks "docker's helper for the Secret Service" golang-docker-credential-helpers
    has_command bwrap || lacks "bubblewrap, by which tests forge a sandbox" bubblewrap
    any_exists /usr/libexec/xdg-desktop-portal ||
        lacks "xdg-desktop-portal, by which applications in it get secrets" xdg-desktop-portal
    has_command gdbus || lacks "gdbus, which speaks on it" libglib2.0-bin
    any_exists /usr/lib/python3/dist-packages/dbusmock || lacks "dbusmock, which acts logind out" python3-dbusmock
    any_exists /usr/libexec/fprintd /usr/lib/fprintd/fprintd || lacks "fprintd, which reads fingers" fprintd
    any_exists /usr/lib/python3/dist-packages/gi || lacks "Python's GLib, with which tests act fprintd out" python3-gi
    has_command python3 || lacks "python3, which acts servers that want passwords" python3
    has_command aws || lacks "aws, which asks a helper for its credentials" awscli
    has_command setpriv || lacks "setpriv, with which tests give up privileges" util-linux
    has_header tss2/tss2_esys.h || lacks "tpm2-tss, without which a build knows no TPM" libtss2-dev
    has_command spin || lacks "spin, which searches a model of membership" spin
    has_command swtpm || lacks "swtpm, a TPM for tests" swtpm
    has_command syncthing || lacks "Syncthing, which carries a folder between devices in tests" syncthing
    any_exists /usr/sbin/sshd || lacks "sshd, to which tests log in" openssh-server
    has_command ssh-add || lacks "ssh, ssh-add and ssh-keygen, which use the ssh agent in tests" openssh-client
    has_command python3 || lacks "python3, which makes a crowd of connections in tests" python3
    has_command chromium || lacks "Chromium, in which tests use the keychain's pages" chromium
    has_command Xvfb || lacks "Xvfb, a display that nobody sees" xvfb
    has_command etcd || lacks "etcd, which carries blobs between devices in tests" etcd-server
    has_command etcdctl || lacks "etcdctl, by which tests set a cluster back" etcd-client
    has_command curl || lacks "curl, which speaks to a node without a certificate" curl
    has_command xclip || lacks "xclip, which reads its clipboard" xclip
    has_command sway || lacks "sway, a display of Wayland's that nobody sees" sway
    has_command wl-paste || lacks "wl-paste, which reads its clipboard" wl-clipboard
    has_command pip3 || lacks "pip, which fetches what looks for barriers in pages" python3-pip
    has_command unzip || lacks "unzip, which takes that out of its package" unzip
    has_command fido2-token || lacks "fido2-tools, which use passkeys as those of a security key" fido2-tools
    has_header fido.h || lacks "libfido2's header, with which tests bring programs to it" libfido2-dev
    any_exists /usr/lib/*/security/pam_u2f.so /usr/lib/security/pam_u2f.so /usr/lib64/security/pam_u2f.so ||
        lacks "pam_u2f, which lets somebody in by one" libpam-u2f
    has_command cryptsetup || lacks "cryptsetup, which opens a disk by one" cryptsetup-bin
    python3 -c 'import ensurepip' 2>/dev/null || lacks "venv, in which Python's FIDO2 client is kept" python3-venv
}

# Half a gigabyte each on the disk, for a test or two. Without them these are skipped.
look_for_what_clients_need() {
    has_command go || lacks "Go, in which a client of the tests' own is written" golang-go
    any_exists /usr/share/gocode/src/github.com/godbus/dbus || lacks "Go's D-Bus" golang-dbus-dev
    any_exists /usr/bin/kwalletd5 /usr/bin/kwalletd6 || lacks "KWallet, which secrets are imported from" libkf5wallet-bin
    # Clients of it use sessions with keys.
    any_exists /usr/lib/*/qca-qt5/crypto/libqca-ossl.so || lacks "what encrypts for KWallet" libqca-qt5-2-plugins
}

look_for_what_benchmarks_need() {
    has_command gnome-keyring-daemon || lacks "gnome-keyring, another keyring to measure" gnome-keyring
    has_header libsecret-1/libsecret/secret.h || lacks "libsecret, through which programs use it" libsecret-1-dev
    has_header systemd/sd-bus.h || lacks "sd-bus's header, for programs that use it through nothing else" libsystemd-dev
    has_command secret-tool || lacks "secret-tool, a process that does so" libsecret-tools
    has_command dbus-run-session || lacks "a message bus of one's own" dbus
    has_command cc || lacks "a C compiler" gcc
    has_command pkg-config || lacks "pkg-config" pkg-config
}

look_for_what_a_machine_needs() {
    has_command qemu-system-x86_64 || lacks "qemu, in which the machine runs" qemu-system-x86
    any_exists /usr/share/seabios/bios-256k.bin /usr/share/qemu/bios-256k.bin || lacks "the machine's firmware" seabios
    any_exists /usr/lib/ipxe/qemu/efi-virtio.rom /usr/share/qemu/efi-virtio.rom || lacks "that of its network card" ipxe-qemu
    has_command qemu-img || lacks "qemu-img, which makes its disk" qemu-utils
    has_command mmdebstrap || lacks "mmdebstrap, which makes what is on it" mmdebstrap
    has_command mkfs.ext4 || lacks "mkfs.ext4, which puts it there" e2fsprogs
    has_command systemctl || lacks "systemctl, which says what starts there" systemd
    has_command nbdkit || lacks "nbdkit, a disk that loses what was not flushed" nbdkit
    has_command swtpm || lacks "swtpm, its TPM" swtpm
    has_command gcc || lacks "gcc, for the programs that attack there" gcc
    has_header tss2/tss2_esys.h || lacks "tpm2-tss, without which a build knows no TPM" libtss2-dev
}

look_for_what_containers_need() {
    has_command mmdebstrap || lacks "mmdebstrap, which makes what is in them" mmdebstrap
    has_command systemd-nspawn || lacks "systemd-nspawn, which boots them" systemd-container
    has_command dpkg-deb || lacks "dpkg-deb, which makes packages" dpkg
    has_command nsenter || lacks "nsenter, which enters them" util-linux
    has_command bwrap || lacks "bubblewrap, in which servers run" bubblewrap
    has_command python3 || lacks "python3, which asks these servers" python3
    has_command openssl || lacks "openssl, which makes their certificates" openssl
}

# A toolchain from swift.org is linked against libraries that a minimal system does not have.
look_for_what_the_toolchain_needs() {
    local tools="swift swift-build clang lld" tool path library
    for tool in $tools; do
        path=$(command -v "$tool") || continue
        while read -r library; do
            case $library in
                libcurl.so.4) lacks "$library, for swift" libcurl4 ;;
                libedit.so.2) lacks "$library, for swift" libedit2 ;;
                libncurses.so.6 | libtinfo.so.6) lacks "$library, for swift" libncurses6 ;;
                libsqlite3.so.0) lacks "$library, for swift" libsqlite3-0 ;;
                libuuid.so.1) lacks "$library, for swift" libuuid1 ;;
                libxml2.so.2) lacks "$library, for swift" libxml2 ;;
                libz.so.1) lacks "$library, for swift" zlib1g ;;
                *) die "$path needs $library, which is not installed; see $swift_page" ;;
            esac
        done < <(ldd "$(readlink -f "$path")" 2>/dev/null | awk '/not found/ && /=>/ { print $1 }' | sort -u)
    done
}

install_what_is_missing() {
    if [ ${#missing[@]} -eq 0 ]; then return; fi
    # The same package may have been named for two reasons.
    mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
    local command=(apt-get install --yes --no-install-recommends "${packages[@]}")

    if ! has_command apt-get; then
        printf 'Missing:\n' >&2
        printf '  - %s\n' "${missing[@]}" >&2
        die "this script installs packages on Debian and Ubuntu only. There they are called: ${packages[*]}
Install what your system calls them (SQLite's is often sqlite-devel or sqlite), then run this again."
    fi

    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        has_command sudo || die "neither root nor sudo here. As root, run: ${command[*]}"
        as_root=(sudo)
    fi
    section "Installing: ${packages[*]}"
    # A broken third-party source fails the update, yet ours may be fine: let the installation decide.
    "${as_root[@]}" apt-get update -qq </dev/null || printf 'apt-get update failed; going on with what is known\n' >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${command[@]}" </dev/null ||
        die "apt-get could not install: ${packages[*]}"
}

# The engine that finds what keeps people from using a page; Debian has none. Without it that test is skipped.
readonly axe_package=pytest-playwright-axe axe_version=4.14.0
readonly axe_sum=20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878
fetch_axe() {
    local folder=.build/axe work
    if sha256sum --check --status <<<"$axe_sum  $folder/axe.min.js" 2>/dev/null; then return; fi
    section "Fetching axe"
    work=$(mktemp -d)
    mkdir -p "$folder"
    # It is one file of JavaScript: the Python that its package asks for does not matter.
    pip3 download --quiet --disable-pip-version-check --no-deps --only-binary :all: --python-version 3.12 --dest "$work" \
        "$axe_package==$axe_version" </dev/null &&
        unzip -qoj "$work"/*.whl '*/resources/axe.min.js' -d "$folder" &&
        sha256sum --check --quiet <<<"$axe_sum  $folder/axe.min.js" ||
        { rm -f "$folder/axe.min.js" && printf 'axe cannot be fetched: the test that needs it is skipped\n' >&2; }
    rm -rf "$work"
}

# A browser's half of FIDO2 and a web site's, which log in with passkeys. Without them these tests are skipped.
readonly passkey_client=Tests/PasskeyProcessTests/Client/requirements.txt
fetch_passkey_client() {
    local folder=.build/passkey-client
    if cmp --quiet $passkey_client $folder/requirements.txt; then return; fi
    section "Fetching Python's FIDO2 client"
    rm -rf $folder
    python3 -m venv $folder &&
        $folder/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
            --requirement $passkey_client </dev/null &&
        cp $passkey_client $folder/requirements.txt ||
        { rm -rf $folder && printf 'it cannot be fetched: the tests that need it are skipped\n' >&2; }
}

check_swift() {
    has_command swift || die "Swift is not installed, or not on PATH. This package needs Swift \
$swift_major.$swift_minor or newer: $swift_page"
    local answer
    answer=$(swift --version 2>&1) || die "\`swift --version\` fails:
$answer
On Debian 12 a toolchain from swift.org needs: binutils git libc6-dev libcurl4 libgcc-12-dev libncurses6 libsqlite3-0 \
libstdc++-12-dev libxml2"
    [[ $answer =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] || die "cannot read a version out of: $answer"
    local major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]}
    if [ "$major" -lt $swift_major ] || { [ "$major" -eq $swift_major ] && [ "$minor" -lt $swift_minor ]; }; then
        die "Swift $major.$minor is too old: this package needs $swift_major.$swift_minor or newer: $swift_page"
    fi
}

look_for_what_a_build_needs
if [ $for_tests = yes ]; then look_for_what_tests_need; fi
if [ $for_clients = yes ]; then look_for_what_clients_need; fi
if [ $for_benchmarks = yes ]; then look_for_what_benchmarks_need; fi
if [ $for_machine = yes ]; then look_for_what_a_machine_needs; fi
if [ $for_containers = yes ]; then look_for_what_containers_need; fi
look_for_what_the_toolchain_needs
install_what_is_missing
if [ $for_tests = yes ]; then
    fetch_axe
    fetch_passkey_client
fi
check_swift
