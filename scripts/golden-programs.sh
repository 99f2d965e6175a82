#!/usr/bin/env bash
# Makes keychains of the programs that serve others (Tests/ToolTests/Keychains), which every later version has to read: items
# of the Secret Service, keys of the ssh agent, credentials. It is run once for each version of what these programs store, and
# what it made is never made anew.
#
#   scripts/golden-programs.sh FOLDER    such as Tests/ToolTests/Keychains/programs-2
set -euo pipefail
source "$(dirname "$0")/common.sh"

folder=$(realpath -m "${1:?which folder?}")
[ ! -e "$folder" ] || die "$folder is there already"
built=$(swift build --show-bin-path)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$built:$PATH HOME=$work/home LC_ALL=C.UTF-8
mkdir -p "$HOME" "$folder"

# Does the rest in a keychain of a name.
in_keychain() { CHATELAINE_KEYCHAIN=embedded:$work/keychains/$1 "${@:2}"; }

cat >"$work/secrets.sh" <<'END'
set -euo pipefail
chatelaine-secrets serve & server=$!
trap 'kill $server; wait $server || true' EXIT
until gdbus call --session --dest org.freedesktop.DBus --object-path / \
    --method org.freedesktop.DBus.NameHasOwner org.freedesktop.secrets | grep -q true; do sleep 0.1; done
printf 'golden secret' | secret-tool store --label='Mail' server example.org user alice
printf 'Gölden\n' | secret-tool store --label='Zwei Zeilen' server example.org user bob
call() { gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets "$@"; }
call --method org.freedesktop.Secret.Service.CreateCollection \
    "{'org.freedesktop.Secret.Collection.Label': <'Work'>}" work >/dev/null
printf 'at work' | secret-tool store --collection=work --label='VPN' net office
/usr/bin/python3 "$1" org.example.Golden >"$2"
END
in_keychain secret-service dbus-run-session -- bash "$work/secrets.sh" "$PWD/scripts/portal-secret.py" "$work/portal.secret"

cat >"$work/agent.sh" <<'END'
set -euo pipefail
export SSH_AUTH_SOCK=$1/agent.sock
chatelaine-ssh-agent serve --socket "$SSH_AUTH_SOCK" & server=$!
trap 'kill $server; wait $server || true' EXIT
until [ -S "$SSH_AUTH_SOCK" ]; do sleep 0.1; done
cd "$1"
ssh-keygen -q -t ed25519 -N '' -C 'golden ed25519' -f ed25519
ssh-keygen -q -t rsa -b 2048 -N '' -C 'golden rsa' -f rsa
ssh-keygen -q -t ecdsa -b 384 -N '' -C 'golden ecdsa' -f ecdsa
for key in ed25519 rsa ecdsa; do chatelaine-ssh-agent import "$key"; done
chatelaine-ssh-agent create --comment 'golden enclave' --no-presence >enclave.pub
END
in_keychain ssh-agent bash "$work/agent.sh" "$work"

# As the helper that is installed runs the command: its path is its access group's, and not that of this build.
credential() { chatelaine credential-helper /usr/local/libexec/chatelaine/chatelaine-credential "$@"; }
printf '%s\n' protocol=https host=example.org username=alice password=golden password_expiry_utc=4102444800 \
    oauth_refresh_token=refresh '' | in_keychain credentials credential git-credential-chatelaine store
printf '{"ServerURL":"https://registry.example.org","Username":"bob","Secret":"docker secret"}' |
    in_keychain credentials credential docker-credential-chatelaine store
printf 'AKIAGOLDEN\naws secret\n' | in_keychain credentials credential chatelaine-credential aws set work

for keychain in "$work"/keychains/*; do
    name=$(basename "$keychain")
    # What is deleted has the journal written back: then the database is all that there is.
    in_keychain "$name" security add-generic-password -s away -a away -w away
    in_keychain "$name" security delete-generic-password -s away >/dev/null
    [ ! -s "$keychain/keychain.db-wal" ] || die "$name has a journal"
    install -D -m 644 -t "$folder/$name" "$keychain"/{device.key,keybag,keychain.db}
done
install -m 644 -t "$folder/secret-service" "$work/portal.secret"
install -m 644 -t "$folder/ssh-agent" "$work"/{ed25519,rsa,ecdsa,enclave}.pub
section "Made $folder"
