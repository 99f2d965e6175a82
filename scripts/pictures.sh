#!/usr/bin/env bash
# Takes the pictures of the keychain in the browser that the documentation shows: scripts/pictures.sh [FOLDER [WIDTH]]
# The folder is docs/pictures unless one is named. The keychain is made for them, and goes with them.
set -euo pipefail
source "$(dirname "$0")/common.sh"

scripts/setup.sh --tests
folder=${1:-docs/pictures}
width=${2:-1280}
mkdir -p "$folder"
swift build "${debug_options[@]}" --product security
swift build "${debug_options[@]}" --product chatelaine-access
swift build "${debug_options[@]}" --product access-pictures
programs=$(swift build "${debug_options[@]}" --show-bin-path)

work=$(mktemp -d)
server=
finish() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
    rm -rf "$work"
}
trap finish EXIT
export CHATELAINE_KEYCHAIN=embedded:$work/keychain
security() { "$programs/security" "$@" >/dev/null; }

security add-internet-password -s mail.example.com -a ann@example.com -r imps -l 'Mail' -w 'k7#Vq-tulip-29' -j 'The account for work.'
security add-internet-password -s shop.example.net -a ann -r htps -l 'Garden shop' -w 'Rx9!velvet-harbour'
security add-internet-password -s git.example.org -a ann -r htps -l 'git.example.org' -w 'token-5b1f0a'
security add-internet-password -s forum.example.org -a ann1987 -r htps -l 'Forum' -w 'summer2019'
security add-internet-password -s bank.example.com -a 41188730 -r htps -l 'Bank' -w 'mP4$kettle-orbit-61'
security add-internet-password -s films.example.com -a ann@example.com -r htps -l 'Films' -w 'summer2019'
security add-generic-password -s org.example.backup -a laptop -l 'Backup disk' -w 'fern-Quartz-81-lantern'
security add-generic-password -s org.example.wifi -a Attic -l 'Wireless network Attic' -w 'seven-otters-sing' --group org.example.network
security add-generic-password -s org.example.chat -a ann -l 'Chat session' -w '9f27c81ad0' --group ABCDE12345.org.example.chat
security add-generic-password -s docker-registry -a ci -l 'Registry' -w 'd8a1' --group program./usr/bin/docker-credential-chatelaine
security add-generic-password -s secret-service.collections -a login -l 'Login' -w ''
security add-generic-password -s secret-service.items/login -a 1 -l 'Evolution: ann@example.com' -w token
security add-generic-password -s chatelaine-ssh-agent -a 'SHA256:3i1jKx7dH0pWk5r1l0mGx4c2nq8wq6qv9b0m3z7y8tE' -l 'laptop' -w key
"$programs/security" create-keypair -a ec -s 256 'Signing key' >/dev/null
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$work/key.pem" -out "$work/certificate.pem" \
    -days 400 -subj '/CN=ann@example.com/O=Example Ltd' 2>/dev/null
security import "$work/certificate.pem"
security import "$work/key.pem"

# A display has a clipboard, so that there are buttons to copy with. Nobody presses them.
DISPLAY=:0 "$programs/chatelaine-access" --no-browser >"$work/address" &
server=$!
for _ in $(seq 100); do
    if [ -s "$work/address" ]; then break; fi
    sleep 0.1
done
"$programs/access-pictures" "$(cat "$work/address")" "$folder" "$width"
printf 'The pictures are in %s.\n' "$folder"
