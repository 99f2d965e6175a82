#!/usr/bin/env bash
# Shows what signatures are for, with the real service: two apps of one team share a password; an app of another team, one
# with forged entitlements and an unsigned copy get nothing. As root, since it installs programs. It runs in namespaces of
# its own, like a container, so that the machine's own service and folders are left alone.
#
#   scripts/two-apps.sh             builds first
#   scripts/two-apps.sh --built DIR with what lies in a folder
#
# Ends with another status than 0 where one of them gets something else.
set -euo pipefail
# A newer compiler may warn.
export CHATELAINE_WARNINGS_AS_ERRORS="${CHATELAINE_WARNINGS_AS_ERRORS:-0}"
source "$(dirname "$0")/common.sh"

# Numbers that no user and no group of the machine has.
readonly daemon=64121 identify=64122 person=64123 marker=64124 enclave=64125

[ "$(id -u)" = 0 ] || die "run this as root: it installs programs and starts the system's service"

if [ "${1:-}" != --inside ]; then
    if [ "${1:-}" = --built ]; then
        built=${2:?which folder?}
    else
        scripts/setup.sh
        section "Building the service and the apps (a first build takes some minutes)"
        for product in chatelaine chatelained chatelaine-identify chatelaine-enclave two-apps-mail two-apps-calendar; do
            swift build --product "$product" "${debug_options[@]}"
        done
        built=$(swift build --show-bin-path)
    fi
    # The service compares its callers with process 1, which is this script's in there.
    exec unshare --mount --pid --fork --mount-proc scripts/two-apps.sh --inside "$built"
fi

built=${2:?which folder?}
readonly socket=/run/chatelaine/keychain.sock
mount -t tmpfs -o mode=755 tmpfs /run
install -d -m 755 /run/chatelaine
# Programs can be installed only where nobody but root writes.
folder=/run/two-apps
install -d -m 755 "$folder"
service=
stop_service() {
    if [ -n "$service" ]; then
        kill "$service" 2>/dev/null || true
        wait "$service" 2>/dev/null || true
    fi
}
trap stop_service EXIT

readonly teams=$folder/teams
chatelaine() { "$built/chatelaine" "$@"; }

# Prints who types what, and runs it. Whatever its status, it has to print a text: the line, the text, the command.
show() {
    local line=$1 expected=$2 output
    shift 2
    printf '%s\n' "$line"
    output=$("$@" 2>&1 | sed "s|$folder/||g") || true
    printf '%s\n' "$output"
    case $output in
        *"$expected"*) ;;
        *) die "it should have said: $expected" ;;
    esac
}
# What an app says to whom the service gives nothing: errSecMissingEntitlement.
readonly nothing='no password: -34018'

# Starts an app as an ordinary person does.
start() { setpriv --reuid $person --regid $person --clear-groups env -i HOME=/ "$folder/$1"; }

section "Two teams, of which both are trusted"
chatelaine team new EXAMPLE001 --out "$folder/example.pem" >/dev/null
chatelaine team new STRANGER02 --out "$folder/stranger.pem" >/dev/null
chatelaine team trust --teams "$teams" "$folder/example.pem" | sed -n 1p
chatelaine team trust --teams "$teams" "$folder/stranger.pem" | sed -n 1p

section "The system's keychain service"
install -d -m 700 -o $daemon -g $daemon "$folder/keychains"
"$built/chatelained" --system --directory "$folder/keychains" --socket "$socket" --teams "$teams" \
    --user $daemon --identify-user $identify --marker-group $marker \
    --enclave-user $enclave --enclave-directory "$folder/enclave" 2>"$folder/log" &
service=$!
for _ in $(seq 200); do
    if [ -S "$socket" ] || ! kill -0 "$service" 2>/dev/null; then break; fi
    sleep 0.05
done
if [ ! -S "$socket" ]; then
    cat "$folder/log" >&2
    die "the service did not start"
fi
printf 'It listens on %s.\n' "$socket"

# Signs a program and installs it: place, source, key.
install_app() {
    install -m 755 "$built/$2" "$folder/$1"
    chatelaine sign --team "$folder/$3" --entitlements Examples/TwoApps/app.entitlements "$folder/$1" | sed "s|$folder/||g"
    chatelaine install-app --marker-group $marker --teams "$teams" "$folder/$1" | sed "s|$folder/||g"
}

section "Two apps of one team"
install_app mail two-apps-mail example.pem
install_app calendar two-apps-calendar example.pem
show "person\$ mail" "stored alice's password" start mail
show "person\$ calendar" "found alice's password: correct horse battery staple" start calendar

section "The calendar's program, signed by the other team"
install_app stranger two-apps-calendar stranger.pem
show "person\$ stranger" "$nothing" start stranger

section "The same, with entitlements that name the first team's group"
sed 's/\$(AppIdentifierPrefix)/EXAMPLE001./' Examples/TwoApps/app.entitlements >"$folder/forged.entitlements"
show "root# chatelaine sign --team stranger.pem --entitlements forged.entitlements stranger" 'has to begin with STRANGER02.' \
    chatelaine sign --team "$folder/stranger.pem" --entitlements "$folder/forged.entitlements" "$folder/stranger"
cp -p "$folder/stranger" "$folder/forged"
LC_ALL=C sed -i 's/STRANGER02\.shared/EXAMPLE001.shared/' "$folder/forged"
show "root# chatelaine install-app forged" 'is not accepted' \
    chatelaine install-app --marker-group $marker --teams "$teams" "$folder/forged"
# As if an administrator had been talked into it.
chown root:$marker "$folder/forged"
chmod 2755 "$folder/forged"
show "person\$ forged" "$nothing" start forged

section "The same, signed by somebody who calls himself the first team"
chatelaine team new EXAMPLE001 --out "$folder/impostor.pem" >/dev/null
install -m 755 "$built/two-apps-calendar" "$folder/impostor"
chatelaine sign --team "$folder/impostor.pem" --entitlements Examples/TwoApps/app.entitlements "$folder/impostor" |
    sed "s|$folder/||g"
chown root:$marker "$folder/impostor"
chmod 2755 "$folder/impostor"
show "person\$ impostor" "$nothing" start impostor

section "An unsigned copy of the calendar, and a signed one that nobody has installed"
install -m 755 "$built/two-apps-calendar" "$folder/unsigned"
show "person\$ unsigned" "$nothing" start unsigned
install -m 755 "$folder/calendar" "$folder/copy"
show "person\$ copy" "$nothing" start copy

section "The first team is revoked"
chatelaine team revoke --teams "$teams" EXAMPLE001
show "person\$ calendar" "$nothing" start calendar
