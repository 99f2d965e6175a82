#!/usr/bin/env bash
# Makes the disk of a machine for tests: scripts/machine-image.sh NAME FOLDER, where NAME is debian12 or ubuntu24.04. Into
# FOLDER go disk.raw, vmlinuz and initrd. Needs root, and the distribution's mirror (CHATELAINE_DEBIAN_MIRROR,
# CHATELAINE_UBUNTU_MIRROR). What is in FOLDER already is kept if this script has not changed since.
set -euo pipefail
source "$(dirname "$0")/common.sh"

[ $# -eq 2 ] || die "usage: machine-image.sh NAME FOLDER"
name=$1
folder=$2
[ "$(id -u)" = 0 ] || die "run this as root: it makes another system's folders"

# A kernel with drivers for real hardware: the one for clouds knows no TPM.
case $name in
    debian12)
        suite=bookworm kernel=linux-image-amd64 components=main
        sources="deb ${CHATELAINE_DEBIAN_MIRROR:-http://deb.debian.org/debian} $suite main"
        # Where the tests' fingers come from, and what asks on a terminal.
        extra=polkitd,pkexec,policykit-1
        ;;
    ubuntu24.04)
        suite=noble kernel=linux-image-generic components=main,universe
        sources="deb ${CHATELAINE_UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu} $suite main universe"
        extra=polkitd,pkexec
        ;;
    *) die "no such image: $name (debian12, ubuntu24.04)" ;;
esac

stamp=$(sha256sum "$0" | cut -d ' ' -f 1)
if [ "$(cat "$folder/stamp" 2>/dev/null)" = "$stamp" ] && [ -f "$folder/disk.raw" ]; then
    printf '%s is there already.\n' "$folder/disk.raw"
    exit
fi

section "Making a disk with $name"
rm -rf "$folder"
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

options=()
if [ "$name" != debian12 ]; then
    # Debian has no package with Ubuntu's key. What is made of it tests our package and goes nowhere else.
    sources=${sources/deb /deb [trusted=yes] }
fi
# What a machine has before our package: a person's shell, log-ins by PAM, a message bus, polkit, a fingerprint daemon.
packages=systemd,systemd-sysv,systemd-resolved,dbus,dbus-user-session,libpam-systemd,login,passwd,util-linux,kmod,udev
packages+=,iproute2,procps,sudo,less,ca-certificates,libpam-runtime,initramfs-tools,e2fsprogs,apt,zstd
packages+=,fprintd,libpam-fprintd,pinentry-curses,pinentry-tty,tpm2-tools,strace,pamtester,python3-dbus,python3-gi,gdb
packages+=,libsecret-tools,openssh-client,fido2-tools,$extra,$kernel
mmdebstrap --variant=minbase --components="$components" --include="$packages" "${options[@]}" \
    --aptopt='Apt::Install-Recommends "false"' \
    --customize-hook='printf "machine\n" >"$1/etc/hostname"; printf "127.0.0.1 localhost machine\n" >"$1/etc/hosts"' \
    --customize-hook='printf "/dev/vda / ext4 errors=remount-ro 0 1\n/dev/vdb /mnt/test ext4 ro,nofail 0 0\n" >"$1/etc/fstab"; mkdir "$1/mnt/test"' \
    --customize-hook='for user in alice bob mallory; do chroot "$1" useradd --create-home --shell /bin/bash "$user"; done' \
    --customize-hook='printf "alice:correct horse\nbob:battery staple\nmallory:let me in\n" | chroot "$1" chpasswd' \
    --customize-hook='mkdir -p "$1/var/log/journal"' \
    "$suite" "$work/root" "$sources" >&2

root=$work/root
# People log in at these; what is printed while the machine starts is elsewhere.
for console in hvc0 hvc1; do
    ln -sf /lib/systemd/system/serial-getty@.service "$root/etc/systemd/system/getty.target.wants/serial-getty@$console.service"
done
ln -sf /dev/null "$root/etc/systemd/system/serial-getty@ttyS0.service"
ln -sf /dev/null "$root/etc/systemd/system/getty@tty1.service"
# The network that the emulator offers.
printf '[Match]\nType=ether\n\n[Network]\nDHCP=yes\n' >"$root/etc/systemd/network/wired.network"
systemctl --root "$root" --quiet enable systemd-networkd systemd-resolved
systemctl --root "$root" --quiet disable systemd-networkd-wait-online
ln -sf ../run/systemd/resolve/stub-resolv.conf "$root/etc/resolv.conf"
# Nothing that wakes up in the middle of a scenario.
systemctl --root "$root" --quiet mask apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer
cat >"$root/etc/systemd/system/machine-agent.service" <<'END'
[Unit]
Description=Runs what the tests ask for
RequiresMountsFor=/mnt/test
ConditionPathExists=/dev/virtio-ports/org.chatelaine.agent

[Service]
ExecStart=/mnt/test/machine-agent /dev/virtio-ports/org.chatelaine.agent
Restart=always
# What it has started outlives nothing but itself.
KillMode=process

[Install]
WantedBy=multi-user.target
END
systemctl --root "$root" --quiet enable machine-agent
# By the distribution's own address from now on, where the mirror was another one.
rm -rf "$root"/var/cache/apt/archives/*.deb
cp "$root"/boot/vmlinuz-* "$folder/vmlinuz"
cp "$root"/boot/initrd.img-* "$folder/initrd"
truncate -s 6G "$folder/disk.raw"
mkfs.ext4 -q -F -d "$root" "$folder/disk.raw"
printf '%s\n' "$stamp" >"$folder/stamp"
