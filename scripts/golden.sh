#!/usr/bin/env bash
# Makes the keychains that every later version has to open (Tests/ToolTests/Keychains), by the commands of this version. It is
# run once for each version of a file's format, and what it made is never made anew.
#
#   scripts/golden.sh FOLDER    such as Tests/ToolTests/Keychains/database-2
set -euo pipefail
source "$(dirname "$0")/common.sh"

folder=$(realpath -m "${1:?which folder?}")
[ ! -e "$folder" ] || die "$folder is there already"
built=$(swift build --show-bin-path)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$built:$PATH
readonly passcode='golden passcode'

# Does the rest in a keychain of a name.
in_keychain() { CHATELAINE_KEYCHAIN=embedded:$work/$1 "${@:2}"; }

# A keychain with one item of each class, and three that are found by their attributes.
passwords() {
    in_keychain "$1" security add-generic-password -s mail -a alice -l 'Mail' -j 'a comment' -w 'golden password'
    in_keychain "$1" security add-generic-password -s mail -a bob --synchronizable -w 'Gölden'
    in_keychain "$1" security add-generic-password -s 'all of it' -a '' -w ''
    in_keychain "$1" security add-internet-password -s example.org -a alice -r htps -P 8443 -p /path -w 'internet password'
}

passwords passwords

passwords passcode
# An item that its owner alone opens, and a passcode that asks for it.
printf '%s\n%s\n' "$passcode" "$passcode" | in_keychain passcode chatelaine passcode set --stdin
printf '%s\n' "$passcode" | in_keychain passcode chatelaine unlock --stdin
in_keychain passcode guarded-note write 'golden note'

in_keychain enclave-key security create-keypair --enclave 'golden key'

# One that belongs to a circle of devices, with an earlier version of an item, and a change that was not sent.
passwords circle
shared=$(mktemp -d)
trap 'rm -rf "$work" "$shared"' EXIT
in_keychain circle chatelaine sync create "$shared" >/dev/null
in_keychain circle security add-generic-password -U -s mail -a bob --synchronizable -w changed
in_keychain circle chatelaine sync now >/dev/null
in_keychain circle security add-generic-password -s mail -a carol --synchronizable -w unsent

in_keychain certificates security create-keypair -a ec -s 256 'golden identity'
in_keychain certificates security create-certificate --days 36500 --purpose clientAuth -o /dev/null 'golden identity'

for number in $(seq 1000); do
    printf 'add-generic-password -s service-%d -a account-%d -w value-%d\n' "$number" "$number" "$number"
done | in_keychain thousand security -i

for keychain in "$work"/*; do
    name=$(basename "$keychain")
    # What is deleted has the journal written back: then the database is all that there is.
    in_keychain "$name" security add-generic-password -s away -a away -w away
    in_keychain "$name" security delete-generic-password -s away >/dev/null
    [ ! -s "$keychain/keychain.db-wal" ] || die "$name has a journal"
    install -D -m 644 -t "$folder/$name" "$keychain"/{device.key,keybag,keychain.db}
    [ ! -e "$keychain/sync.keys" ] || install -m 644 -t "$folder/$name" "$keychain/sync.keys"
done
section "Made $folder"
