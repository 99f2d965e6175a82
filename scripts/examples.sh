#!/usr/bin/env bash
# Builds the examples that need a network (Examples/Network), and tries them: with keychains of their own in a temporary
# folder, with a person who is a script, with OpenSSL at the other end, and with requests that mean no good.
#
#   scripts/examples.sh [debug|release]
set -euo pipefail
source "$(dirname "$0")/common.sh"
source scripts/checks.sh

# Warnings would stop a package that depends by path.
export CHATELAINE_WARNINGS_AS_ERRORS=0
case ${1:-debug} in
    debug) build=(swift build "${debug_options[@]}") ;;
    # In the folder and with the options of what is installed, so that nothing is compiled twice.
    release) build=("${release_build[@]}") ;;
    *) die "debug or release?" ;;
esac
build+=(--package-path Examples/Network)

scripts/setup.sh --tests

section "Building (a first build takes some minutes)"
for product in finger-login enclave-tls chatelained chatelaine; do "${build[@]}" --product "$product"; done
built=$("${build[@]}" --show-bin-path)

folder=$(mktemp -d)
processes=()
clean_up() {
    if [ ${#processes[@]} -gt 0 ]; then
        kill "${processes[@]}" 2>/dev/null || true
        wait "${processes[@]}" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap clean_up EXIT

finger-login() { "$built/finger-login" "$@"; }
enclave-tls() { "$built/enclave-tls" "$@"; }
chatelaine() { "$built/chatelaine" "$@"; }

# --- What is looked at -----------------------------------------------------------------------------------------------

# Waits until a file has a line, and prints what stands behind that text: file, text.
await_line() {
    for _ in $(seq 600); do
        if grep -qF -- "$2" "$1" 2>/dev/null; then
            sed -n "s|.*$2||p" "$1" | head -n 1
            return
        fi
        sleep 0.05
    done
    cat "$1" >&2
    die "waited in vain for “$2”"
}

# Starts a command, whose output goes to a file: the file's name, and the command.
start() {
    local name=$1
    shift
    "$@" >"$folder/$name" 2>&1 </dev/null &
    processes+=($!)
}

# --- The person ------------------------------------------------------------------------------------------------------

readonly passcode='open sesame'
export CHATELAINE_PINENTRY=$folder/pinentry
cat >"$CHATELAINE_PINENTRY" <<'SH'
#!/bin/sh
# Speaks pinentry's protocol, and answers with the lines of a file, one for each dialog; without a line it waits.
folder=${0%/*}
echo 'OK Pleased to meet you'
while IFS= read -r line; do
    printf '%s\n' "$line" >>"$folder/asked"
    case $line in
        BYE*) echo 'OK closing connection'; exit 0 ;;
        GETPIN* | CONFIRM* | MESSAGE*)
            while [ ! -s "$folder/answers" ]; do sleep 0.02; done
            head -n 1 "$folder/answers"
            case $(head -n 1 "$folder/answers") in 'D '*) echo OK ;; esac
            sed -i 1d "$folder/answers"
            ;;
        *) echo OK ;;
    esac
done
SH
chmod 755 "$CHATELAINE_PINENTRY"
: >"$folder/answers"
person_types() { printf 'D %s\n' "${1:-$passcode}" >>"$folder/answers"; }
person_cancels() { printf 'ERR 83886179 Operation cancelled <Pinentry>\n' >>"$folder/answers"; }
set_passcode() { printf '%s\n' "$passcode" | chatelaine passcode set --stdin >/dev/null; }

# Has a session's service of its own keep the keychain from now on: its name.
start_service() {
    mkdir -m 700 "$folder/$1"
    start "$1/log" "$built/chatelained" --session --directory "$folder/$1/keychain" --socket "$folder/$1/keychain.sock" \
        --pinentry "$CHATELAINE_PINENTRY"
    await_line "$folder/$1/log" 'serving keychains' >/dev/null
    export CHATELAINE_KEYCHAIN=unix:$folder/$1/keychain.sock
    set_passcode
}

# --- Requests --------------------------------------------------------------------------------------------------------

# Prints the status of a reply, and leaves its body in a file: path, and curl's arguments.
request() {
    local path=$1
    shift
    curl --silent --max-time 30 --output "$folder/reply" --write-out '%{http_code}' "$@" "$server$path" || true
}

# A sentence, a status, a text of the body, a path, and curl's arguments.
answers() {
    local sentence=$1 expected=$2 text=$3 status
    shift 3
    : >"$folder/reply"
    status=$(request "$@")
    if [ "$status" != "$expected" ] || ! grep -qF -- "$text" "$folder/reply"; then
        printf '%s: %s\n' "$status" "$(head -c 500 "$folder/reply")" >&2
        die "not so: $sentence"
    fi
    said_so "$sentence"
}

readonly refused='{"error":"This is refused."}'
is_refused() { answers "$1" 401 "$refused" /login --data-binary "@$2"; }

# Changes a message: a file, and an expression of Python in which it is `m`.
changed() { python3 -c 'import json, sys; m = json.load(open(sys.argv[1])); print(json.dumps(eval(sys.argv[2])))' "$@"; }

start_login_server() {
    local name=$1
    shift
    start "$name" "$built/finger-login" serve --port 0 --users "$folder/users.json" "$@"
    await_line "$folder/$name" 'Serving '
}

# --- finger-login ----------------------------------------------------------------------------------------------------

section "finger-login: all of it, with an embedded keychain and the passcode"
export CHATELAINE_KEYCHAIN=embedded:$folder/embedded
set_passcode
person_types
person_types
finger-login demo --passcode-only

section "finger-login: with a session's service"
start_service session
server=$(start_login_server login)
alice=(--server "$server" --user alice)
bob=(--server "$server" --user bob)

for user in alice bob; do
    invitation=$(finger-login invite --users "$folder/users.json" --user $user)
    fails "without the invitation nobody enrols as $user" 'This is refused' \
        finger-login enrol --server "$server" --user $user --invitation guessed
    holds "$user enrols" finger-login enrol --server "$server" --user $user --invitation "$invitation" --passcode-only
    holds "$user forgets the key" finger-login forget --server "$server" --user $user
    fails "$user's invitation was good for one key" 'This is refused' \
        finger-login enrol --server "$server" --user $user --invitation "$invitation"
    # Those who have lost their key are invited anew once it is taken out of the file.
    changed "$folder/users.json" "{k: v for k, v in m.items() if k != '$user'}" >"$folder/rest"
    mv "$folder/rest" "$folder/users.json"
    invitation=$(finger-login invite --users "$folder/users.json" --user $user)
    holds "$user enrols anew" finger-login enrol --server "$server" --user $user --invitation "$invitation" --passcode-only
done
fails "there is one key for a name" 'already' finger-login enrol "${alice[@]}" --invitation "$invitation"

person_types
token=$(finger-login login "${alice[@]}")
grep -qF "Log in as alice at $server" "$folder/asked" || die "the person was not told what for"
said_so "alice logs in, and the dialog says where and as whom"
answers "the token is alice's session" 200 '{"user":"alice"}' /session -H "Authorization: Bearer $token"
answers "another token is nobody's" 401 "$refused" /session -H "Authorization: Bearer ${token}x"
person_cancels
fails "the person cancels" '(-128)' finger-login login "${alice[@]}"
for _ in 1 2 3; do person_types wrong; done
fails "three wrong passcodes" '(-25293)' finger-login login "${alice[@]}"
fails "somebody without a key" 'there is no key for carol' finger-login login --server "$server" --user carol

# What logs alice in, once.
sign() {
    person_types
    finger-login login --dry-run "${alice[@]}" >"$folder/signed"
}

sign
answers "what alice has signed lets in" 200 '{"token":' /login --data-binary "@$folder/signed"
is_refused "the same once more is refused" "$folder/signed"
sign
changed "$folder/signed" "{**m, 'user': 'bob'}" >"$folder/other"
is_refused "what alice has signed is refused for bob" "$folder/other"
is_refused "and afterwards for alice: the challenge was good for one attempt" "$folder/signed"
sign
changed "$folder/signed" "{**m, 'user': 'nobody'}" >"$folder/other"
is_refused "an unknown user is refused alike" "$folder/other"
sign
request /challenge -d '{"user":"alice"}' >/dev/null
changed "$folder/signed" "{**m, 'challenge': json.load(open('$folder/reply'))['challenge']}" >"$folder/other"
is_refused "a signature of another challenge is refused" "$folder/other"
changed "$folder/signed" "{**m, 'challenge': 'A' * 43 + '='}" >"$folder/other"
is_refused "a challenge that the server never made is refused" "$folder/other"
holds "and none of it has cost alice's own" test "$(request /login --data-binary "@$folder/signed")" = 200

sign
cp "$folder/users.json" "$folder/kept"
changed "$folder/kept" "{**m, 'alice': m['bob'], 'bob': m['alice']}" >"$folder/users.json"
is_refused "another's key is refused" "$folder/signed"
cp "$folder/kept" "$folder/users.json"

alias=${server/127.0.0.1/localhost}
changed "$folder/users.json" "{k: v for k, v in m.items() if k != 'bob'}" >"$folder/rest"
cp "$folder/rest" "$folder/users.json"
invitation=$(finger-login invite --users "$folder/users.json" --user bob)
finger-login enrol --server "$alias" --user bob --invitation "$invitation" --passcode-only >/dev/null
person_types
fails "a statement for another origin is refused" 'This is refused' finger-login login --server "$alias" --user bob
holds "bob's first key goes" finger-login forget "${bob[@]}"

real=$server
server=$(start_login_server short --lifetime 1)
alice=(--server "$server" --user alice)
changed "$folder/users.json" "{k: v for k, v in m.items() if k != 'alice'}" >"$folder/rest"
cp "$folder/rest" "$folder/users.json"
invitation=$(finger-login invite --users "$folder/users.json" --user alice)
finger-login enrol "${alice[@]}" --invitation "$invitation" --passcode-only >/dev/null
sign
sleep 1.2
is_refused "an expired challenge is refused" "$folder/signed"
server=$real

section "finger-login: requests that are none"
is_bad() { answers "$1" 400 '{"error":"' /login --data-binary "@$folder/bad"; }
printf '{"user":' >"$folder/bad"
is_bad "half of a message"
: >"$folder/bad"
is_bad "nothing"
printf '[]' >"$folder/bad"
is_bad "another kind of JSON"
printf '\xff\xfe\x00' >"$folder/bad"
is_bad "bytes that are no text"
changed "$folder/signed" "{**m, 'signature': '*' + m['signature'][1:]}" >"$folder/bad"
is_bad "a signature that is not base64"
changed "$folder/signed" "{**m, 'signature': m['signature'][:-8]}" >"$folder/bad"
is_bad "a signature that is too short"
changed "$folder/signed" "{**m, 'challenge': ''}" >"$folder/bad"
is_bad "an empty challenge"
changed "$folder/signed" "{**m, 'user': 'a' * 5000}" >"$folder/bad"
is_bad "a name of 5,000 letters"
changed "$folder/signed" "{**m, 'user': '../alice'}" >"$folder/bad"
is_bad "a name with a slash"
changed "$folder/signed" "{**m, 'user': 7}" >"$folder/bad"
is_bad "a number as a name"
changed "$folder/signed" "{'user': 'alice'}" >"$folder/bad"
is_bad "half of the fields"
python3 -c 'print("[" * 4000)' >"$folder/bad"
is_bad "4,000 brackets"
python3 -c 'print("{\"user\":\"" + "a" * 9000 + "\"}")' >"$folder/bad"
is_bad "9,000 bytes"
python3 -c 'print(" " * 900000)' >"$folder/bad"
is_bad "900,000 bytes"
printf '{"user":"bob","invitation":"x","publicKey":"BAAA"}' >"$folder/bad"
answers "a key that is none" 400 'is no point on P-256' /enrol --data-binary "@$folder/bad"
answers "another path" 404 'There is nothing here' /elsewhere
answers "another method" 404 'There is nothing here' /login
holds "a header of 200,000 bytes is not answered with a session" \
    test "$(request /session -H "Authorization: Bearer $(head -c 100000 /dev/zero | tr '\0' x)" -H "X: $(head -c 100000 /dev/zero | tr '\0' x)")" != 200
timeout 5 bash -c 'head -c 100000 /dev/urandom >"/dev/tcp/127.0.0.1/$1"' bash "${server##*:}" 2>/dev/null || true
holds "the server serves on" test "$(request /session -H "Authorization: Bearer $token")" = 200

# --- The same with a finger ------------------------------------------------------------------------------------------

fprintd=
for place in /usr/libexec/fprintd /usr/lib/fprintd/fprintd; do
    if [ -x $place ]; then fprintd=$place; fi
done
if [ "$(id -u)" = 0 ] && [ -n "$fprintd" ] && command -v dbus-daemon >/dev/null &&
    /usr/bin/python3 -c 'import gi, dbusmock' 2>/dev/null; then
    section "finger-login: with a finger, read by fprintd from a virtual reader"
    reader=$folder/reader
    export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$folder/bus
    cat >"$folder/bus.conf" <<XML
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=$folder/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
<allow send_destination="*" eavesdrop="true"/><allow receive_sender="*"/></policy></busconfig>
XML
    start bus.log dbus-daemon --config-file="$folder/bus.conf" --nofork --nopidfile
    for _ in $(seq 200); do
        if [ -S "$folder/bus" ]; then break; fi
        sleep 0.05
    done
    virtual_finger() { /usr/bin/python3 scripts/virtual-finger.py "$@"; }
    start polkit.log /usr/bin/python3 -m dbusmock --system --template polkitd
    virtual_finger wait org.freedesktop.PolicyKit1
    dbus-send --system --print-reply --dest=org.freedesktop.PolicyKit1 /org/freedesktop/PolicyKit1/Authority \
        org.freedesktop.DBus.Mock.SetAllowed \
        array:string:net.reactivated.fprint.device.verify,net.reactivated.fprint.device.enroll >/dev/null
    mkdir "$folder/templates"
    drivers=virtual_device:virtual_device_storage:virtual_image
    start fprintd.log env STATE_DIRECTORY="$folder/templates" G_MESSAGES_DEBUG=all FP_VIRTUAL_DEVICE="$reader" \
        FP_DRIVERS_WHITELIST=$drivers FP_DRIVERS_ALLOWLIST=$drivers "$fprintd" -t
    virtual_finger wait net.reactivated.Fprint
    virtual_finger enrol "$reader" mine
    start_service fingers
    # Puts a finger on the reader when fprintd next waits for one.
    touch_reader() {
        local waited
        waited=$(grep -c 'start verification device' "$folder/fprintd.log" || true)
        (
            for _ in $(seq 1200); do
                if [ "$(grep -c 'start verification device' "$folder/fprintd.log")" -gt "$waited" ]; then
                    virtual_finger scan "$reader" "$1"
                    exit
                fi
                sleep 0.05
            done
        ) &
        processes+=($!)
    }
    for demand in --finger-only --finger-or-passcode; do
        server=$(start_login_server "login$demand")
        carol=(--server "$server" --user "carol$demand")
        invitation=$(finger-login invite --users "$folder/users.json" --user "carol$demand")
        finger-login enrol "${carol[@]}" --invitation "$invitation" $demand >/dev/null
        touch_reader mine
        holds "a finger logs in ($demand)" finger-login login "${carol[@]}"
    done
    person_types
    holds "and so does the passcode where either does" finger-login login "${carol[@]}"
    unset DBUS_SYSTEM_BUS_ADDRESS
else
    section "finger-login: with a finger"
    cannot_check "log-ins with a finger, which need root, dbus-daemon, fprintd, and the modules gi and dbusmock of Python" ||
        [ $? -eq 77 ]
    skipped=$((skipped + 1))
fi

# --- enclave-tls -----------------------------------------------------------------------------------------------------

section "enclave-tls: both ends in one process, with an embedded keychain"
export CHATELAINE_KEYCHAIN=embedded:$folder/embedded
enclave-tls demo | tee "$folder/output"
grep -qF 'tlsv13' "$folder/output" || die "it was not TLS 1.3"
holds "it leaves nothing behind" test "$(enclave-tls connect --server-certificate /dev/null 2>&1)" != ""

section "enclave-tls: with a session's service, and OpenSSL at the other end"
start_service tls
enclave-tls certificate >"$folder/client.pem"
holds "the certificate stays" test "$(enclave-tls certificate)" = "$(cat "$folder/client.pem")"
holds "OpenSSL verifies that it is signed by its own key" \
    openssl verify -check_ss_sig -CAfile "$folder/client.pem" "$folder/client.pem"
start tls.log "$built/enclave-tls" serve --port 0 --client-certificate "$folder/client.pem" \
    --server-certificate "$folder/server.pem"
port=$(await_line "$folder/tls.log" 'listening on port ')
holds "our client and our server" enclave-tls connect --port "$port" --server-certificate "$folder/server.pem" 'Good day'
grep -qF 'You said “Good day”' "$folder/output" || die "the reply is another"
fails "a server with another certificate is refused" 'handshakeFailed' \
    enclave-tls connect --port "$port" --server-certificate "$folder/client.pem"

for name in other server; do
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=enclave-tls client" \
        -keyout "$folder/openssl-$name.key" -out "$folder/openssl-$name.pem" 2>/dev/null
done
# Says a line to our server with OpenSSL: its arguments.
openssl_says() {
    # It must not go before the answer is there.
    { printf 'Good day\n' && sleep 2; } | timeout 20 openssl s_client -connect "127.0.0.1:$port" "$@" 2>&1 | grep -F 'You said'
}
fails "OpenSSL without a certificate is refused" '' openssl_says -tls1_3
fails "OpenSSL with a certificate of the same name is refused" '' \
    openssl_says -tls1_3 -cert "$folder/openssl-other.pem" -key "$folder/openssl-other.key"
fails "TLS 1.2 is refused" '' openssl_says -tls1_2
start tls-other.log "$built/enclave-tls" serve --port 0 --client-certificate "$folder/openssl-other.pem" \
    --server-certificate "$folder/other.pem"
port=$(await_line "$folder/tls-other.log" 'listening on port ')
holds "OpenSSL is let in where its certificate is the pinned one" \
    openssl_says -tls1_3 -cert "$folder/openssl-other.pem" -key "$folder/openssl-other.key"
fails "and our client is not" '' enclave-tls connect --port "$port" --server-certificate "$folder/other.pem"

start s_server.log openssl s_server -accept 127.0.0.1:0 -tls1_3 -cert "$folder/openssl-server.pem" \
    -key "$folder/openssl-server.key" -CAfile "$folder/client.pem" -Verify 1 -verify_return_error -rev
port=$(await_line "$folder/s_server.log" 'ACCEPT 127.0.0.1:')
holds "OpenSSL's server lets the key of the Secure Enclave in" \
    enclave-tls connect --port "$port" --server-certificate "$folder/openssl-server.pem" stressed
grep -qF '“desserts”' "$folder/output" || die "the reply is another"

holds "key and certificate go" enclave-tls certificate --delete
enclave-tls certificate >"$folder/another.pem"
fails "a new key is somebody else" '' enclave-tls connect --port "$port" --server-certificate "$folder/openssl-server.pem"
holds "it goes too" enclave-tls certificate --delete
# Once for the certificate, once for the handshake.
person_types
person_types
holds "a key that asks for the person at each signature" enclave-tls demo --ask
grep -qF 'Connect to the server' "$folder/asked" || die "the person was not told what for"

finish_checks Examples
