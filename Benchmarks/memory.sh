#!/usr/bin/env bash
# memory.sh PROGRAMS [CONNECTIONS]: the most memory that chatelained has while four users send it the largest requests, each
# over so many connections (16). PROGRAMS is the folder of chatelained and its helpers. Only root can do that.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=$1
connections=${2:-16}
users=(64130 64131 64132 64133)
folder=$(mktemp -d /tmp/memory.XXXXXX)
chmod 755 "$folder"
mkdir "$folder/teams"
python3 "$here/memory-frames.py" "$folder"
gcc -O1 -static -o "$folder/hog" "$here/../Tests/AttackPrograms/hog.c" "$here/../Tests/AttackPrograms/sha256.c"
"$programs/chatelained" --system --directory "$folder/data" --socket "$folder/keychain.sock" --teams "$folder/teams" \
    --user 64121 --identify-user 64122 --marker-group 64124 --enclave-user 64123 --enclave-directory "$folder/enclave" \
    --tpm none 2>"$folder/log" &
service=$!
trap 'kill "$service"; rm -rf "$folder"' EXIT
until grep -q "serving keychains" "$folder/log"; do sleep 0.1; done

# hog COUNT PAUSE FILE…, as each of the users at the same time
hog() {
    local jobs=() user
    for user in "${users[@]}"; do
        setpriv --reuid "$user" --regid "$user" --clear-groups env -i "SOCKET=$folder/keychain.sock" \
            "AUTH=$folder/auth.frame" "$folder/hog" "$@" >"$folder/output.$user" &
        jobs+=("$!")
    done
    wait "${jobs[@]}"
}

# measure NAME COUNT PAUSE FRAME…
measure() {
    local name=$1 frames=() frame
    for frame in "${@:4}"; do frames+=("$folder/$frame.frame"); done
    echo 5 >"/proc/$service/clear_refs"
    hog "$2" "$3" "${frames[@]}"
    awk -v name="$name" '/VmHWM/ { most = $2 } /VmRSS/ { now = $2 }
        END { printf "%-24s %5d MiB at most, %5d after\n", name, most / 1024, now / 1024 }' "/proc/$service/status"
}

measure "store" 1 0 large many
measure "200,000 fields, 24 MiB" "$connections" 0 fields
measure "batches of 23 MiB" "$connections" 0 many
measure "find 16 MiB" "$connections" 200 find-large
measure "find 1,000 items" "$connections" 200 find-many
measure "1,000 such searches" "$connections" 200 find-batch
measure "change all items" "$connections" 0 rewrite
