#!/usr/bin/env bash
# Makes an image of a server that finds its secret in a keychain, without an engine of containers, and tries it: what
# docs/server.md promises. The image is a folder (mmdebstrap, with what the programs are linked to and nothing else). A
# container is a process in namespaces (bubblewrap, as engines without root do it; unshare, as those with root do it).
# As root, since each container has a user of its own.
#
#   scripts/container.sh [release|debug]  builds, makes the image in .build/container/image, and tries it
#   scripts/container.sh --built DIR      with the programs in a folder, which have Swift's libraries inside
#   CHATELAINE_MIRROR=URL                 where Debian's packages come from
set -euo pipefail
source "$(dirname "$0")/common.sh"

# Numbers that no user of the machine has.
readonly server=64131 stranger=64132

[ "$(id -u)" = 0 ] || die "run this as root: it makes a system in a folder, and containers of several users"

# Says a line to a server's socket and prints what it says.
ask() {
    python3 - "$1" "$2" <<'PY'
import socket, sys
client = socket.socket(socket.AF_UNIX)
client.settimeout(30)
client.connect(sys.argv[1])
client.sendall(sys.argv[2].encode() + b"\n")
print(client.makefile().readline().strip())
PY
}

# Waits until a server listens: its log, and its process or that of its engine.
await_server() {
    for _ in $(seq 600); do
        if grep -qF 'secret-server: listening' "$1"; then return; fi
        kill -0 "$2" 2>/dev/null || return 1
        sleep 0.05
    done
    return 1
}

# In the namespaces of a container whose engine has root: mounts, and starts the server as a user of the machine's.
if [ "${1:-}" = --engine ]; then
    image=$2 folder=$3 credential=$4 variable=$5
    root=$folder/engine
    mkdir -p "$root"
    mount --bind "$image" "$root"
    mount --options remount,bind,ro "$root"
    mount -t tmpfs -o mode=755 tmpfs "$root/run"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    # What is unlocked is kept there.
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    mount --bind "$folder/data" "$root/var/lib/secret-server"
    install -d -m 755 "$root/run/secrets"
    install -d -m 700 -o $server -g $server "$root/run/secret-server"
    place=$root/run/secrets/passcode
    if [ -d "$folder/$credential" ]; then mkdir "$place"; else touch "$place"; fi
    mount --bind "$folder/$credential" "$place"
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin CHATELAINE_PASSCODE_FILE="$variable" \
        CHATELAINE_KEYCHAIN=embedded:/var/lib/secret-server/keychain \
        setpriv --no-new-privs chroot --groups= --userspec=$server:$server "$root" \
        /usr/bin/secret-server /run/secret-server/socket 2>"$folder/engine.log" &
    status=0
    if await_server "$folder/engine.log" $!; then
        ask "$root/run/secret-server/socket" "$6" || status=$?
        kill $!
    fi
    wait $! || status=$?
    cat "$folder/engine.log"
    exit $status
fi

readonly work=$PWD/.build/container
programs=$work/programs image=$work/image
case ${1:-release} in
    release) ;;
    debug) programs_build=(swift build "${debug_options[@]}") ;;
    --built) programs=${2:?which folder?} ;;
    *) die "release or debug?" ;;
esac
scripts/setup.sh --containers
source scripts/checks.sh

if [ "${1:-}" != --built ]; then
    section "Building the server and the commands (a first build takes some minutes)"
    mkdir -p "$programs"
    libraries=("${static_foundation[@]}" -lstdc++ -lsqlite3)
    link_program "$programs" secret-server SecretServer "${libraries[@]}"
    link_program "$programs" security SecurityTool "${libraries[@]}"
    link_program "$programs" chatelaine ChatelaineTool -l_CFXMLInterface -lxml2 "${libraries[@]}"
fi

# --- The images ------------------------------------------------------------------------------------------------------

# A folder with packages that are unpacked, and not installed: no shell, and no package manager.
unpack() {
    local folder=$1 packages=$2
    rm -rf "$folder"
    mmdebstrap --quiet --variant=extract --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --include="$packages" \
        bookworm "$folder" "${CHATELAINE_MIRROR:-http://deb.debian.org/debian}"
    # What apt and dpkg have left, and what nobody reads in there.
    rm -rf "$folder"/{boot,home,media,mnt,opt,srv,root,dev,run,tmp,var,usr/games,usr/include,usr/src,usr/share/doc} \
        "$folder"/usr/share/{bug,lintian,man,locale} "$folder"/etc/{apt,dpkg,machine-id}
    # Where a container mounts something, or an engine expects a place.
    mkdir -p "$folder"/{dev,proc,sys,run,tmp,etc,backups,var/lib/secret-server}
    printf 'root:x:0:0::/:/nologin\nserver:x:%s:%s::/:/nologin\n' $server $server >"$folder/etc/passwd"
}

# Unpacked once: what is in them changes with Debian alone.
readonly base=libc6,libgcc-s1,libstdc++6,libsqlite3-0
if [ ! -e "$work/unpacked" ]; then
    section "Debian's packages"
    unpack "$work/base" $base
    # `chatelaine` reads XML. It is in an image of its own, which prepares a volume and ends.
    unpack "$work/base-init" $base,libxml2
    touch "$work/unpacked"
fi
rm -rf "$image" "$image-init"
cp -a "$work/base" "$image"
cp -a "$work/base-init" "$image-init"
install -D -m 755 -t "$image/usr/bin" "$programs/secret-server" "$programs/security"
install -D -m 755 -t "$image-init/usr/bin" "$programs/security" "$programs/chatelaine"

section "The image"
du -sh --apparent-size "$image" "$image-init" | sed "s|$work/||"
(cd "$image" && find . -type f -perm /111 ! -name '*.so*' | sort)

# --- Containers ------------------------------------------------------------------------------------------------------

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
chmod 711 "$folder"

readonly passcode='correct horse battery staple' secret='TheKeyThatSignsEverything'
readonly in_container=/run/secrets/passcode

# A volume for a user: its name, the user. And a file with a secret: its name, the user, the mode, the contents.
volume() { install -d -m 700 -o "$2" -g "$2" "$folder/$1"; }
secret_file() {
    printf '%s' "$4" >"$folder/$1"
    chown "$2:$2" "$folder/$1"
    chmod "$3" "$folder/$1"
}

# What a container is made of; `with NAME=VALUE…` changes it for one command.
user=$server data=data access=bind credential=passcode variable=$in_container backups=
with() {
    local image=$image user=$user data=$data access=$access credential=$credential variable=$variable backups=$backups
    while [[ ${1:-} == *=* ]]; do
        local "$1"
        shift
    done
    "$@"
}

# Runs a program of the image in a container. It replaces the calling shell.
contained() {
    local options=(
        --unshare-all --as-pid-1 --die-with-parent --new-session --clearenv --chdir /
        --ro-bind "$image" / --proc /proc --dev /dev --tmpfs /tmp --tmpfs /run
        "--$access" "$folder/$data" /var/lib/secret-server --bind "$folder/sockets" /run/secret-server
        --setenv CHATELAINE_KEYCHAIN embedded:/var/lib/secret-server/keychain
    )
    if [ -n "$credential" ]; then options+=(--ro-bind "$folder/$credential" "$in_container"); fi
    if [ -n "$backups" ]; then options+=("--$backups" "$folder/backups" /backups); fi
    if [ -n "$variable" ]; then options+=(--setenv CHATELAINE_PASSCODE_FILE "$variable"); fi
    exec setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs \
        bwrap "${options[@]}" --remount-ro /run --remount-ro / "$@"
}
run() { (contained "$@"); }

# The same, as an engine with root does it: with the users that the machine has, and no namespace of users. The server
# answers one line, and is ended.
engine() {
    unshare --mount --propagation private --pid --ipc --net --uts --fork --kill-child \
        scripts/container.sh --engine "$image" "$folder" "$credential" "$variable" "$1"
}

# --- What is looked at -----------------------------------------------------------------------------------------------

signed() { printf '%s %s\n' "$1" "$(printf '%s' "$1" | openssl dgst -sha256 -hmac "$secret" | awk '{ print $NF }')"; }
answers() { [ "$(ask "$folder/sockets/$1" "$2")" = "$(signed "$2")" ]; }

# Starts a server, and waits until it listens: the name of its socket, and what its container is made of. `started` is the
# process of the engine, whose only child is the server.
start() {
    (with "${@:2}" contained secret-server "/run/secret-server/$1") >"$folder/$1.log" 2>&1 </dev/null &
    started=$!
    processes+=($started)
    if ! await_server "$folder/$1.log" $started; then
        cp "$folder/$1.log" "$folder/output"
        untrue "the server $1 listens"
    fi
}
server_process() { tr -d ' ' <"/proc/$started/task/$started/children"; }
# Ends a server, and says with which status.
stop() {
    local status=0
    kill -TERM "$(server_process)"
    for _ in $(seq 100); do
        if ! kill -0 $started 2>/dev/null; then break; fi
        sleep 0.05
    done
    wait $started || status=$?
    return $status
}
install -d -m 700 -o $server -g $server "$folder/sockets"
volume data $server
secret_file passcode $server 400 "$passcode"$'\n'

# --- The image -------------------------------------------------------------------------------------------------------

section "What is in the image"
holds "no shell, no compiler, no package manager, no message bus, no systemd" \
    test -z "$(find "$image" "(" -name "*sh" -path "*bin/*" -o -name "*gcc*" -path "*bin/*" -o -name "swift*" \
        -o -name "ld" -o -name "dpkg*" -o -name "apt*" -o -name "libdbus*" -o -name "systemd*" ")" -print)"
holds "no program with rights of its own" test -z "$(find "$image" -type f -perm /6000)"
ends "the server starts, and says what it takes" 64 'usage: secret-server SOCKET' run secret-server

# --- Without the credential ------------------------------------------------------------------------------------------

section "Without the credential"
readonly none=(run secret-server /run/secret-server/none)
ends "the server ends where the file is missing, and says which" 1 "passcode's file $in_container is missing" \
    with credential= "${none[@]}"
grep -qF 'the keychain gives no signing key: -25291' "$folder/output" || untrue "with errSecNotAvailable"
ends "so does the command that would add the secret" 53 "passcode's file $in_container is missing" \
    with credential= image=$image-init run security add-generic-password -s secret-server -a signing-key -w "$secret"
# A sentence, its text, the user whose the file is, its mode, and what is in it.
refused() {
    secret_file tried "$3" "$4" "$5"
    ends "$1" 1 "$2" with credential=tried "${none[@]}"
}
refused "an empty file is no passcode" 'is empty' $server 400 ''
refused "one that others can write is refused" 'can be written by others' $server 620 "$passcode"
refused "one of the server's own that others can read is refused" 'can be read by others' $server 444 "$passcode"
refused "one whose owner the container does not know is refused" 'belongs to the user 65534' 0 444 "$passcode"
refused "one of another user's is refused" 'belongs to the user 65534' $stranger 444 "$passcode"
refused "two lines are no passcode" 'has no passcode' $server 400 "$passcode"$'\n'"$passcode"
rm "$folder/tried" && mkfifo --mode 600 "$folder/tried" && chown $server "$folder/tried"
ends "a pipe that nobody writes to is refused, and not waited for" 1 'is not a file' with credential=tried "${none[@]}"
rm "$folder/tried"
holds "nothing was made" test -z "$(ls -A "$folder/data")"

# --- Preparing the volume --------------------------------------------------------------------------------------------

section "Preparing the volume, in a container that ends"
add=(security add-generic-password --group secret-server -s secret-server -w -a)
printf '%s\n' "$secret" >"$folder/secret"
holds "security adds the secret, which it reads from its input" from "$folder/secret" \
    with image=$image-init run "${add[@]}" signing-key
ends "the keychain is locked without the passcode" 36 'User interaction is not allowed' \
    with image=$image-init credential= variable= run security find-generic-password -s secret-server -w

# --- The server ------------------------------------------------------------------------------------------------------

section "The server"
start one
holds "it answers with its secret" answers one 'pay alice 5'
tr '\0' '\n' <"/proc/$(server_process)/environ" >"$folder/environment"
holds "its environment names the file" grep -qx "CHATELAINE_PASSCODE_FILE=$in_container" "$folder/environment"
ends "and has no passcode" 1 "" grep -qF "$passcode" "$folder/environment"
began=$SECONDS
holds "SIGTERM ends it, as the first process of its container" stop
holds "at once" test $((SECONDS - began)) -le 3
holds "its socket goes" test ! -e "$folder/sockets/one"

start two
first=$started
holds "another start finds the secret again" answers two 'pay bob 5'
start three
second=$started
holds "two replicas on one volume answer" answers three 'pay carol 5'
holds "both" answers two 'pay carol 6'
holds "a third container adds meanwhile" from "$folder/secret" with image=$image-init run "${add[@]}" another
started=$first
holds "one ends" stop
started=$second
holds "the other answers on" answers three 'pay dora 5'
holds "and ends" stop

start four
kill -KILL "$(server_process)"
wait $started 2>/dev/null || true
start five
holds "after a server was killed, the next start finds the secret" answers five 'pay erna 5'
stop

# --- With another credential -----------------------------------------------------------------------------------------

section "With a wrong passcode, or as somebody else"
secret_file wrong $server 400 'wrong horse'
for attempt in 1 2 3 4 5 6; do
    ends "a wrong passcode is refused ($attempt)" 1 'does not open its keychain' with credential=wrong "${none[@]}"
done
grep -qF 'the keychain gives no signing key: -25293' "$folder/output" || untrue "with errSecAuthFailed"
start six
holds "the right one opens at once afterwards" answers six 'pay fritz 5'
stop
ends "without one nothing is read" 1 'the keychain gives no signing key: -25308' \
    with credential= variable= "${none[@]}"
secret_file strangers $stranger 400 "$passcode"
secret_file strangers-wrong $stranger 400 'wrong horse'
ends "another user reads nothing, not even with the passcode" 1 'the keychain gives no signing key: ' \
    with user=$stranger credential=strangers "${none[@]}"
cp -a "$folder/data" "$folder/stolen"
chown -R $stranger:$stranger "$folder/stolen"
ends "a copy of the volume gives nothing without the passcode" 1 'the keychain gives no signing key: -25308' \
    with user=$stranger data=stolen credential= variable= "${none[@]}"
ends "and nothing with a wrong one" 1 'the keychain gives no signing key: -25293' \
    with user=$stranger data=stolen credential=strangers-wrong "${none[@]}"

# --- Other volumes ---------------------------------------------------------------------------------------------------

section "Two that start at once on an empty volume"
for round in 1 2 3; do
    volume "fresh-$round" $server
    both=()
    for name in alice bob; do
        (data=fresh-$round image=$image-init && contained "${add[@]}" $name) \
            >"$folder/$name.log" 2>&1 <"$folder/secret" &
        both+=($!)
    done
    for process in "${both[@]}"; do
        wait "$process" || { cat "$folder"/{alice,bob}.log >"$folder/output" && untrue "both make one keychain"; }
    done
    for name in alice bob; do
        ends "the secret of $name is in it ($round)" 0 "$secret" \
            with data=fresh-$round image=$image-init run security find-generic-password -s secret-server -a $name -w
    done
done

section "A volume that cannot be written"
ends "a server cannot read there either, and says why" 1 'keybag.lock cannot be opened: Read-only file system' \
    with access=ro-bind "${none[@]}"
grep -qF 'the keychain gives no signing key: -25292' "$folder/output" || untrue "with errSecReadOnly"
volume empty $server
ends "a keychain cannot be made there" 52 'Read-only file system' \
    with data=empty access=ro-bind image=$image-init run security add-generic-password -s x -a x -w x

section "A volume from a backup"
volume restored $server
install -d -m 700 -o $server -g $server "$folder/backups"
printf '%s\n' "$passcode" 'a passphrase for backups' >"$folder/words"
printf '%s\n' 'a passphrase for backups' >"$folder/words-restore"
holds "chatelaine makes a backup of the first volume" from "$folder/words" \
    with image=$image-init backups=bind run chatelaine backup create --stdin /backups/server.backup
holds "and restores it into an empty one" from "$folder/words" \
    with image=$image-init data=restored backups=ro-bind run \
    chatelaine backup restore --accept-origin --stdin /backups/server.backup
start eight data=restored
holds "the server finds its secret there" answers eight 'pay hans 5'
stop

# --- As engines with root do it --------------------------------------------------------------------------------------

section "As an engine with root starts it"
secret_file docker 0 444 "$passcode"
ends "root's file that everybody can read is taken" 0 "$(signed 'pay ida 5')" with credential=docker engine 'pay ida 5'
holds "with a warning" grep -qF 'can be read by every user' "$folder/engine.log"
install -d -m 755 "$folder/kubernetes/..1"
ln -s ..1 "$folder/kubernetes/..data"
ln -s ..data/passcode "$folder/kubernetes/passcode"
secret_file kubernetes/..1/passcode 0 440 "$passcode"
chgrp $server "$folder/kubernetes/..1/passcode"
ends "a link to root's file is followed, which the group can read" 0 "$(signed 'pay jan 5')" \
    with credential=kubernetes variable=$in_container/passcode engine 'pay jan 5'
ends "without a warning" 1 "" grep -qF 'can be read by' "$folder/engine.log"
chmod 646 "$folder/docker"
ends "root's file that everybody can write is refused" 1 'can be written by others' with credential=docker engine x

# --- What is left ----------------------------------------------------------------------------------------------------

section "Where the secrets are"
holds "a search finds the passcode where it is" grep -rqaF -- "$passcode" "$folder/passcode"
for text in "$passcode" "$secret"; do
    ends "“$text” is in no file of an image or a volume" 1 "" \
        grep -rqaF -- "$text" "$image" "$image-init" "$folder"/{data,stolen,fresh-1,restored,empty,backups}
done

finish_checks Containers
