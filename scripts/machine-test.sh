#!/usr/bin/env bash
# Boots a whole machine in an emulator, installs the package there, and does with it what people do: they log in, lock
# their screens, pull the plug, upgrade. As root.
#
#   scripts/machine-test.sh              all scenarios on Debian 12, and the most important ones on Ubuntu 24.04
#   scripts/machine-test.sh --short      one story: install, log in, store, restart, attack, power cut
#   scripts/machine-test.sh --image NAME all scenarios on this one (debian12, ubuntu24.04)
#   scripts/machine-test.sh --package F  with a package that was built before
#   scripts/machine-test.sh … -- --filter WORDS    for `swift test`
#
# Images are kept in CHATELAINE_MACHINE_CACHE (~/.cache/chatelaine-machine). What was typed and what came back is in
# .build/machine/transcripts.
set -euo pipefail
source "$(dirname "$0")/common.sh"

short=no
images=()
package=
options=()
while [ $# -gt 0 ]; do
    case $1 in
        --short) short=yes ;;
        --image) images+=("${2:?which image?}") && shift ;;
        --package) package=${2:?which package?} && shift ;;
        --) shift && options=("$@") && break ;;
        *) die "unknown argument $1 (--short, --image, --package)" ;;
    esac
    shift
done
[ "$(id -u)" = 0 ] || die "run this as root: it makes another system's disk"
if [ ${#images[@]} = 0 ]; then
    images=(debian12)
    if [ $short = no ] && [ ${#options[@]} = 0 ]; then images+=(ubuntu24.04); fi
fi

scripts/setup.sh --machine
readonly folder=$PWD/.build/machine
readonly cache=${CHATELAINE_MACHINE_CACHE:-${HOME:-/root}/.cache/chatelaine-machine}
mkdir -p "$folder" "$cache"
ln -sfn "$cache" "$folder/images"

# Makes an image while programs are built.
makers=()
for image in "${images[@]}"; do
    scripts/machine-image.sh "$image" "$cache/$image" >"$folder/image-$image.log" 2>&1 &
    makers+=($!)
done

if [ -z "$package" ]; then
    section "Building the package"
    # What is installed once need not be small.
    package=$(CHATELAINE_DEB_LEVEL=1 scripts/deb.sh "$folder/package")
fi

section "Building what tests the machine"
cd Tests/Machine
swift build -c release --static-swift-stdlib --product machine-agent --scratch-path "$folder/agent"
swift build --build-tests --scratch-path "$folder/build"
cd ../..

section "What the machine is given"
content=$folder/content
rm -rf "$content"
mkdir -p "$content"
install -m 755 "$folder/agent/release/machine-agent" "$content/"
cp "$package" "$content/chatelaine.deb"
if [ $short = no ]; then
    cp "$(scripts/machine-previous.sh "$folder/previous")" "$content/previous.deb"
fi
cp scripts/virtual-finger.py "$content/"
mkdir "$content/attacks"
programs=Tests/AttackPrograms
gcc -std=gnu17 -O1 -w -static -o "$content/attacks/attacker" "$programs"/{attacker,namespaces,filters,tracing,sha256}.c
gcc -std=gnu17 -O1 -w -static -o "$content/attacks/victim" "$programs"/{victim,sha256}.c
gcc -std=gnu17 -O1 -w -shared -fPIC -o "$content/attacks/loot.so" "$programs"/{loot,sha256}.c
cp Tests/Machine/Fixtures/* "$content/"
if [ $short = no ]; then
    # A C program, linked with the library that the package brings, and with Swift's runtime, which a toolchain would bring.
    unpacked=$folder/unpacked
    rm -rf "$unpacked"
    dpkg-deb --extract "$package" "$unpacked"
    { read -r swift_resources && read -r swift_runtime && read -r _; } < <(swift_paths)
    clang -std=gnu17 -O1 -Wall -Werror -fblocks -fcf-runtime-abi=swift -I "$unpacked/usr/include" \
        -isystem "$swift_resources" -o "$content/guarded" Tests/Machine/Programs/guarded.c -L "$unpacked/usr/lib" -lSecurity \
        -L "$swift_runtime" -lFoundation -Wl,--allow-shlib-undefined
    install -d "$content/lib"
    LD_LIBRARY_PATH=$unpacked/usr/lib:$swift_runtime ldd "$content/guarded" |
        awk -v runtime="$swift_runtime/" 'index($3, runtime) == 1 { print $3 }' | xargs cp -t "$content/lib"
    rm -rf "$unpacked"
fi
size=$(($(du -sk "$content" | cut -f 1) + 65536))
rm -f "$folder/tests.raw"
truncate -s "${size}K" "$folder/tests.raw"
mkfs.ext4 -q -F -O ^has_journal -d "$content" "$folder/tests.raw"

for maker in "${makers[@]}"; do
    wait "$maker" || { cat "$folder"/image-*.log && die "an image could not be made"; }
done

# An emulator does not outlive this.
trap 'pkill -KILL -f -- "$folder/run/" || true' EXIT
export CHATELAINE_MACHINE_FOLDER=$folder
status=0
for image in "${images[@]}"; do
    section "A machine with $image"
    if [ ${#options[@]} = 0 ]; then
        if [ $short = yes ]; then
            options=(--filter ShortStory)
        else
            options=(--skip ShortStory)
        fi
    fi
    (cd Tests/Machine && CHATELAINE_MACHINE_IMAGE=$image swift test --skip-build --no-parallel \
        --scratch-path "$folder/build" "${options[@]}") || status=$?
done
exit $status
