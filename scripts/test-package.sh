#!/usr/bin/env bash
# Installs the Debian package as administrators do, and looks what becomes of the service: first in folders without a
# running systemd, then in a container with one. As root:
#
#   scripts/test-package.sh             builds the package first
#   scripts/test-package.sh PACKAGE     tests this one
#
# Needs mmdebstrap and systemd-nspawn (systemd-container), and a mirror of Debian's (CHATELAINE_DEBIAN_MIRROR). The system
# that it is installed in is kept in .build/package-test; the package's versions are it with another number.
set -euo pipefail
source "$(dirname "$0")/common.sh"
source scripts/checks.sh

readonly mirror=${CHATELAINE_DEBIAN_MIRROR:-http://deb.debian.org/debian}
readonly systems=$PWD/.build/package-test
readonly units="chatelaine-identify.socket chatelaine-enclave.socket chatelaine-enclave-service.socket chatelained.socket \
chatelaine-passkey-device.socket chatelaine-prompt.service"
readonly sockets=${units% *}
readonly headers="tss2/tss2_esys.h tss2/tss2_mu.h security/pam_modules.h sqlite3.h libxml2/libxml/parser.h"

if [ "$(id -u)" -ne 0 ]; then
    cannot_check "what the package does to a system, which needs root" || exit $?
    exit 0
fi
scripts/setup.sh --containers

folder=$(mktemp -d)
container=
leader=
finish() {
    # The container outlives who started it: all of it ends with its first process.
    if [ -n "$leader" ]; then kill -KILL "$leader" 2>/dev/null || true; fi
    if [ -n "$container" ]; then
        kill -KILL "$container" 2>/dev/null || true
        wait "$container" 2>/dev/null || true
    fi
    rm -rf --one-file-system "$folder"
}
trap finish EXIT

section "Building without a header"
# The same name without anything in it: what a machine without the -dev package has, but for the failing include.
stops_without() {
    local path status=0
    path=$(find /usr/include -path "*/$1" | head -1)
    test -n "$path"
    unshare --mount --propagation private sh -c 'mount --bind /dev/null "$1" && timeout 60 scripts/deb.sh "$2"' sh \
        "$path" "$folder" >"$folder/answer" 2>&1 || status=$?
    cat "$folder/answer"
    [ $status -eq 1 ]
    grep -q 'apt-get install lib.*-dev' "$folder/answer"
    not grep -q Building "$folder/answer"
}
for header in $headers; do check "no package is built without $header" stops_without "$header"; done

package=${1:-}
if [ -z "$package" ]; then package=$(scripts/deb.sh "$folder"); fi
package=$(readlink -f "$package")

section "What it depends on"
# Ubuntu 24.04 and Debian 13 have the same names of packages for the new time_t.
installs_in() {
    local suite=$1 state=$folder/apt-$1
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
    : >"$state/status"
    printf 'deb [trusted=yes] %s %s main\n' "$mirror" "$suite" >"$state/sources"
    local apt=(apt-get -o "Dir::State=$state" -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache"
        -o "Dir::Etc::SourceList=$state/sources" -o Dir::Etc::SourceParts=/dev/null -o APT::Install-Recommends=true)
    "${apt[@]}" update
    "${apt[@]}" --simulate install "$package" >"$state/plan"
    grep '^Inst lib' "$state/plan" | cut -d ' ' -f 2 | sort -u | paste -sd ' '
    for library in esys mu; do grep -q "^Inst libtss2-$library" "$state/plan"; done
    for library in curl4 gcrypt20 ssl3 systemd0 sqlite3-0 xml2 pam0g; do grep -q "^Inst lib$library" "$state/plan"; done
}
check "on Debian 12 an installation brings all that a machine with a TPM needs" installs_in bookworm
check "so it does where the packages have the names of Ubuntu 24.04" installs_in trixie

section "Preparing a system"
mkdir -p "$systems"
if [ ! -f "$systems/bookworm.tar" ]; then
    mmdebstrap --quiet --format=tar --variant=minbase \
        --include=systemd,systemd-sysv,dbus,libpam-runtime,libpam-systemd,procps,passwd \
        --include=libsqlite3-0,libstdc++6,libxml2,libpam0g bookworm "$systems/bookworm.tar.new" "$mirror"
    mv "$systems/bookworm.tar.new" "$systems/bookworm.tar"
fi
fresh() {
    rm -rf --one-file-system "${folder:?}/$1"
    mkdir "$folder/$1"
    tar -x -f "$systems/bookworm.tar" -C "$folder/$1"
    # Nothing here has to outlive a loss of power.
    echo force-unsafe-io >"$folder/$1/etc/dpkg/dpkg.cfg.d/test"
    mkdir "$folder/$1/packages"
    ln "$folder"/packages/*.deb "$folder/$1/packages/"
}
# Older and newer ones, which differ in their numbers. Where nothing runs, programs may be empty.
mkdir "$folder/packages"
dpkg-deb --raw-extract "$package" "$folder/contents"
make_versions() {
    local version
    for version in 0.1~1 0.1~2 0.1~3; do
        sed -i "s/^Version: .*/Version: $version/" "$folder/contents/DEBIAN/control"
        dpkg-deb --root-owner-group -Znone --build "$folder/contents" "$folder/packages/$1$version.deb" >/dev/null
    done
    older=/packages/${1}0.1~1.deb
    newer=/packages/${1}0.1~2.deb
    newest=/packages/${1}0.1~3.deb
}
make_versions whole-
find "$folder/contents" -type f -size +1M -exec truncate --size 0 {} +
make_versions empty-
rm -r "$folder/contents"

section "Without a running systemd"
system=$folder/system
in_folder() { chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }
state_of() { in_folder dpkg-query --show --showformat '${db:Status-Abbrev}' chatelaine 2>/dev/null | tr -d ' '; }
# All that happens to a package, one after the other.
life() {
    local user unit
    in_folder dpkg --install $older
    for user in chatelaine chatelaine-identify chatelaine-enclave chatelaine-prompt; do in_folder getent passwd $user; done
    in_folder getent group chatelaine-app
    in_folder id -nG chatelaine-enclave | grep -w tss
    same "$(in_folder stat -c '%a %U' /var/lib/chatelaine /var/lib/chatelaine-enclave | paste -sd ' ')" \
        "700 chatelaine 700 chatelaine-enclave"
    for unit in $sockets; do test -L "$system/etc/systemd/system/sockets.target.wants/$unit"; done
    test -L "$system/etc/systemd/system/multi-user.target.wants/chatelaine-prompt.service"
    grep -q pam_chatelaine "$system/etc/pam.d/common-auth"
    touch "$system/var/lib/chatelaine/keychain"

    in_folder dpkg --install $newer
    in_folder dpkg --install $newer
    # The older one, on purpose.
    in_folder dpkg --install $older
    same "$(state_of)" ii

    # A disabled unit is disabled by a removed link, and stays so; what a person wrote into PAM's file stays too.
    rm "$system/etc/systemd/system/sockets.target.wants/chatelained.socket"
    echo '# mine' >>"$system/etc/pam.d/chatelaine"
    in_folder dpkg --force-confdef --force-confold --install $newest
    not test -e "$system/etc/systemd/system/sockets.target.wants/chatelained.socket"
    tail -1 "$system/etc/pam.d/chatelaine" | grep '# mine'

    in_folder dpkg --remove chatelaine
    same "$(state_of)" rc
    not grep pam_chatelaine "$system/etc/pam.d/common-auth"
    tail -1 "$system/etc/pam.d/chatelaine" | grep '# mine'
    in_folder dpkg --install $newest
    not test -e "$system/etc/systemd/system/sockets.target.wants/chatelained.socket"
    in_folder dpkg --remove chatelaine
    in_folder dpkg --purge chatelaine
    same "$(state_of)" ""
    test -f "$system/var/lib/chatelaine/keychain"
    same "$(find "$system/etc" "$system/var/lib/systemd" -name '*chatelain*')" ""
    # Nobody remembers what was disabled.
    in_folder dpkg --install $newest
    test -L "$system/etc/systemd/system/sockets.target.wants/chatelained.socket"
}
fresh system
check "it is installed, updated, replaced by an older one, removed and purged" life
fresh system
rm "$system"/{usr/,}bin/systemctl 2>/dev/null || true
check "so it is where systemctl is missing" life
fresh system
rm "$system"/{usr/,}bin/systemd-sysusers 2>/dev/null || true
check "so it is where systemd-sysusers is missing" life
rm -rf --one-file-system "$system"

# Each script as dpkg calls it when something has gone wrong, twice.
calls() {
    local call script arguments
    in_folder dpkg --install $newer
    while read -r script arguments; do
        for call in 1 2; do
            echo "$script $arguments, time $call"
            # shellcheck disable=SC2086 # arguments are words
            in_folder "/var/lib/dpkg/info/chatelaine.$script" $arguments
        done
    done <<'LIST'
prerm upgrade 0.1~3
prerm failed-upgrade 0.1~1
prerm deconfigure in-favour other 1 removing another 1
prerm remove in-favour other 1
postinst abort-upgrade 0.1~3
postinst abort-remove
postinst abort-remove in-favour other 1
postinst abort-deconfigure in-favour other 1 removing another 1
postinst triggered something
preinst install
preinst install 0.1~1
preinst upgrade 0.1~1
preinst abort-upgrade 0.1~3
postrm upgrade 0.1~3
postrm failed-upgrade 0.1~1
postrm abort-install
postrm abort-install 0.1~1
postrm abort-upgrade 0.1~1
postrm disappear other 1
postinst configure 0.1~1
LIST
    grep -q pam_chatelaine "$system/etc/pam.d/common-auth"
}
fresh system
check "each of its scripts takes each of its calls, also twice" calls
rm -rf --one-file-system "$system"

section "With a running systemd"
machine=$folder/machine
older=${older/empty/whole}
newer=${newer/empty/whole}
newest=${newest/empty/whole}
boot() {
    fresh machine
    systemd-nspawn --quiet --directory="$machine" --machine="chatelaine-$$" --register=no --keep-unit --boot \
        --console=pipe </dev/null >"$folder/console" 2>&1 &
    container=$!
    for _ in $(seq 240); do
        leader=$(pgrep -P "$container" | head -1) || true
        case $(inside systemctl is-system-running 2>/dev/null) in running | degraded) return ;; esac
        kill -0 "$container" 2>/dev/null || break
        sleep 0.5
    done
    cat "$folder/console"
    die "the container has not started within two minutes"
}
inside() {
    [ -n "$leader" ] || return 1
    nsenter --target "$leader" --all -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
        DEBIAN_FRONTEND=noninteractive "$@"
}
as_alice() { inside setpriv --reuid alice --regid alice --clear-groups env HOME=/home/alice "$@"; }
# What systemd has said about our units since a cursor of the journal.
cursor() { inside journalctl --show-cursor --lines 0 --quiet | sed -n 's/^-- cursor: //p'; }
said() {
    inside journalctl --sync
    inside journalctl --after-cursor "$1" --output cat --no-pager _PID=1 | grep -E 'chatelain' || true
}
# How often units were started and stopped since then: "chatelained.service 1 1".
starts_and_stops() {
    local text unit
    text=$(said "$1")
    for unit in chatelained chatelaine-identify chatelaine-enclave chatelaine-prompt; do
        printf '%s %s %s\n' $unit "$(grep -c "^Started $unit.service" <<<"$text")" \
            "$(grep -c "^Stopped $unit.service" <<<"$text")"
    done
}
nothing_failed() { same "$(inside systemctl --failed --no-legend --plain 'chatelain*')" ""; }
state() { inside systemctl is-"$1" "$2" 2>/dev/null || true; }

boot
inside useradd --create-home alice

fresh_installation() {
    local since unit
    since=$(cursor)
    inside dpkg --install $older
    for unit in $units; do same "$(state active "$unit") $(state enabled "$unit")" "active enabled"; done
    # The prompter asks the enclave what to read, and so starts it.
    for _ in $(seq 50); do if [ "$(state active chatelaine-enclave.service)" = active ]; then break; fi; sleep 0.1; done
    same "$(starts_and_stops "$since" | paste -sd ' ')" \
        "chatelained 0 0 chatelaine-identify 0 0 chatelaine-enclave 1 0 chatelaine-prompt 1 0"
    nothing_failed
}
check "an installation starts each thing once, and stops nothing" fresh_installation

a_password() {
    inside install -m 755 /usr/bin/security /opt/client
    as_alice /opt/client add-generic-password -s mail -a alice -w secret
    same "$(as_alice /opt/client find-generic-password -s mail -w)" secret
}
check "the service keeps a password" a_password

cat >"$machine/opt/calls" <<'CALLS'
#!/bin/sh
# Asks for the password until somebody says stop; its number is in the name of its outcome.
count=0
refused=0
while [ ! -e /opt/stop ]; do
    count=$((count + 1))
    answer=$(setpriv --reuid alice --regid alice --clear-groups env HOME=/home/alice timeout 30 \
        /opt/client find-generic-password -s mail -w 2>&1)
    if [ "$answer" != secret ]; then refused=$((refused + 1)) && echo "$answer"; fi
done
echo "$count calls, $refused refused" >"/opt/outcome.$1"
CALLS
chmod 755 "$machine/opt/calls"

# An update, or a return, while four programs ask all the time.
update() {
    local since order number asking=()
    rm -f "$machine/opt/stop" "$machine"/opt/outcome.*
    as_alice /opt/client find-generic-password -s mail -w >/dev/null
    for number in 1 2 3 4; do
        inside /opt/calls $number &
        asking+=($!)
    done
    sleep 1
    since=$(cursor)
    inside dpkg --install "$1"
    sleep 2
    touch "$machine/opt/stop"
    wait "${asking[@]}"
    cat "$machine"/opt/outcome.*
    said "$since"
    same "$(cat "$machine"/opt/outcome.* | grep -c ', 0 refused')" 4
    # What a caller did not notice, since it asked again, is a fault as well.
    inside journalctl --quiet --after-cursor "$since" -u chatelained.service -o cat | tee "$machine/opt/journal"
    not grep 'a connection was refused' "$machine/opt/journal"
    same "$(starts_and_stops "$since" | paste -sd ' ')" \
        "chatelained 1 1 chatelaine-identify 1 1 chatelaine-enclave 1 1 chatelaine-prompt 1 1"
    order=$(said "$since" | sed -nE 's/^(Started|Stopped) (chatelaine[a-z-]*)\.service.*/\1 \2/p' | grep -v prompt |
        paste -sd ,)
    same "$order" "Stopped chatelained,Stopped chatelaine-identify,Stopped chatelaine-enclave,Started chatelaine-enclave,\
Started chatelaine-identify,Started chatelained"
    not grep -E '^(Closed|Stopping) .*\.socket' <<<"$(said "$since")"
    nothing_failed
}
check "an update restarts each process once, the daemon last, and refuses no call" update $newer
check "so does the return to an older version" update $older

disabled() {
    inside systemctl disable --now chatelaine-prompt.service
    inside dpkg --install $newer
    same "$(state enabled chatelaine-prompt.service) $(state active chatelaine-prompt.service)" "disabled inactive"
    inside systemctl mask --now chatelaine-prompt.service
    inside dpkg --install $newest
    same "$(state enabled chatelaine-prompt.service) $(state active chatelaine-prompt.service)" "masked inactive"
    inside systemctl unmask chatelaine-prompt.service
    inside dpkg --install $newer
    same "$(state enabled chatelaine-prompt.service) $(state active chatelaine-prompt.service)" "disabled inactive"
    inside systemctl enable --now chatelaine-prompt.service
    nothing_failed
}
check "what an administrator has disabled or masked stays so" disabled

# Versions before 0.1.0 was released enabled their units without deb-systemd-helper.
disabled_before() {
    inside rm -rf /var/lib/systemd/deb-systemd-helper-enabled
    inside systemctl disable --now chatelaine-prompt.service
    inside dpkg --install $newest
    same "$(state enabled chatelaine-prompt.service) $(state enabled chatelained.socket)" "disabled enabled"
    inside systemctl enable --now chatelaine-prompt.service
}
check "so does what was disabled under a version that kept no account of it" disabled_before

masked_and_running() {
    inside systemctl start chatelaine-prompt.service
    inside systemctl mask chatelaine-prompt.service
    as_alice /opt/client find-generic-password -s mail -w >/dev/null
    local since
    since=$(cursor)
    inside dpkg --install $newest
    starts_and_stops "$since" | grep -x "chatelained 1 1"
    inside systemctl unmask chatelaine-prompt.service
    inside systemctl restart chatelaine-prompt.service
}
check "a masked unit that still runs does not keep the others from their restart" masked_and_running

policy() {
    local since
    as_alice /opt/client find-generic-password -s mail -w >/dev/null
    printf '#!/bin/sh\nexit 101\n' >"$machine/usr/sbin/policy-rc.d"
    chmod 755 "$machine/usr/sbin/policy-rc.d"
    since=$(cursor)
    inside dpkg --install $newer
    rm "$machine/usr/sbin/policy-rc.d"
    same "$(starts_and_stops "$since" | paste -sd ' ')" \
        "chatelained 0 0 chatelaine-identify 0 0 chatelaine-enclave 0 0 chatelaine-prompt 0 0"
    inside dpkg --install $newest
}
check "nothing is started or stopped that policy-rc.d forbids" policy

removal() {
    as_alice /opt/client find-generic-password -s mail -w >/dev/null
    same "$(state active chatelained.service)" active
    inside dpkg --remove chatelaine
    same "$(inside systemctl list-units --all --no-legend --plain 'chatelain*' | grep -v not-found)" ""
    nothing_failed
    not inside test -e /run/chatelaine/keychain.sock
}
check "a removal ends everything, and nothing has failed" removal

removal_after_a_failure() {
    inside dpkg --install $newest
    inside systemctl start chatelaine-enclave.service
    inside systemctl kill --signal KILL chatelained.service 2>/dev/null || true
    as_alice /opt/client find-generic-password -s mail -w >/dev/null
    # It fails for good: systemd gives up to start it.
    inside mkdir -p /run/systemd/system/chatelained.service.d
    printf '[Service]\nExecStart=\nExecStart=/bin/false\nRestart=no\n' >"$folder/failing.conf"
    inside sh -c 'cat >/run/systemd/system/chatelained.service.d/failing.conf' <"$folder/failing.conf"
    inside systemctl daemon-reload
    not inside systemctl restart chatelained.service
    same "$(state failed chatelained.service)" failed
    inside dpkg --remove chatelaine
    inside rm -r /run/systemd/system/chatelained.service.d
    nothing_failed
}
check "nor does a service that had failed before stay in the list of those that failed" removal_after_a_failure

keychains_stay() {
    inside dpkg --purge chatelaine
    nothing_failed
    inside dpkg --install $newest
    same "$(as_alice /opt/client find-generic-password -s mail -w)" secret
}
check "a keychain is there again after remove, purge and another installation" keychains_stay

finish_checks Package
