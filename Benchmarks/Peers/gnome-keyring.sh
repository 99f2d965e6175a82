#!/usr/bin/env bash
# Starts a gnome-keyring of its own, on a bus of its own, whose default keyring has the given number of items, and runs
# the given command beside it: gnome-keyring.sh ITEMS COMMAND…
#
# The keyring has no password, since only such a file can be written by hand, and storing 15,000 items one by one would
# take hours. The command gives it one.
set -euo pipefail

items=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/data/keyrings" "$folder/runtime" "$folder/config" "$folder/cache"
chmod 700 "$folder/runtime"
printf benchmark >"$folder/data/keyrings/default"
awk -v items="$items" 'BEGIN {
    print "[keyring]\ndisplay-name=benchmark\nctime=0\nmtime=0\nlock-on-idle=false\nlock-after=false"
    for (i = 0; i < items; i++) {
        printf "\n[%d]\nitem-type=0\ndisplay-name=a password\nsecret=secret-%d\nmtime=1\nctime=1\n", i + 1, i
        printf "\n[%d:attribute0]\nname=service\ntype=string\nvalue=service-%d\n", i + 1, i
        printf "\n[%d:attribute1]\nname=account\ntype=string\nvalue=account-%d\n", i + 1, i
        # As libsecret adds it: without, it replaces none of these items.
        printf "\n[%d:attribute2]\nname=xdg:schema\ntype=string\nvalue=org.chatelaine.Benchmark\n", i + 1
    }
}' >"$folder/data/keyrings/benchmark.keyring"
chmod 600 "$folder/data/keyrings/benchmark.keyring"

export XDG_DATA_HOME=$folder/data XDG_RUNTIME_DIR=$folder/runtime XDG_CONFIG_HOME=$folder/config
export XDG_CACHE_HOME=$folder/cache
unset DISPLAY WAYLAND_DISPLAY GNOME_KEYRING_CONTROL DBUS_SESSION_BUS_ADDRESS
dbus-run-session -- bash -c '
    gnome-keyring-daemon --unlock --components=secrets --foreground <<<"" >/dev/null 2>&1 &
    daemon=$!
    status=0
    for attempt in {1..600}; do
        if dbus-send --session --print-reply --dest=org.freedesktop.DBus / \
            org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets 2>/dev/null | grep -q true; then break; fi
        sleep 0.1
    done
    "$@" || status=$?
    kill "$daemon" 2>/dev/null || true
    exit $status
' run "$@"
