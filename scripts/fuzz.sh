#!/usr/bin/env bash
# Feeds the decoders and the four calls with inputs that coverage guides (libFuzzer). The fuzzers are a package of their
# own, Fuzz; each is named by what it attacks: queries, metadata, secrets, access-control, rows, sealed-rows, keybag, backup, import,
# entitlements, certificates, keys, trust, revocation-responses, revocation-lists, exchange, frames, enclave-messages,
# signatures, credentials, ssh-agent, passkeys, sync-blobs, sync-circle.
#
#   scripts/fuzz.sh replay                 all inputs that are under version control, once
#   scripts/fuzz.sh run SECONDS [fuzzer]   new inputs, from each fuzzer for so long, as many at once as there are cores
#   scripts/fuzz.sh input FILE fuzzer      one input, such as the one that a crash left
#   scripts/fuzz.sh seeds [fuzzer]         writes the inputs to begin with anew
#
# A fault ends with a status other than 0, and names the file that has the input.
set -euo pipefail
source "$(dirname "$0")/common.sh"

readonly fuzzers=(queries metadata secrets access-control rows sealed-rows keybag backup import entitlements certificates keys trust revocation-responses revocation-lists exchange frames enclave-messages signatures credentials ssh-agent passkeys sync-blobs sync-circle)
# What runs leave: inputs that reached something new, inputs that broke something, logs. `make clean` takes them away.
readonly left=Fuzz/.build/fuzzing

# Our inner modules are offered, and instrumented, to nobody else; and warnings would stop a package that depends by path.
export CHATELAINE_FUZZING=1 CHATELAINE_WARNINGS_AS_ERRORS=0
# Swift's own reporter of crashes would end the program before libFuzzer has written the input. What is still
# reachable at the end is no leak; Foundation keeps much.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0

# The executable of a fuzzer: FuzzSealedRows for sealed-rows.
program() { printf '%s/Fuzz%s' "$folder" "$(sed -E 's/(^|-)(.)/\U\2/g' <<<"$1")"; }

# Builds all fuzzers and says where they are.
build() {
    scripts/setup.sh
    section "Building the fuzzers"
    swift build --package-path Fuzz --configuration release
    folder=$(swift build --package-path Fuzz --configuration release --show-bin-path)
}

is_known() {
    local fuzzer
    for fuzzer in "${fuzzers[@]}"; do
        if [ "$fuzzer" = "$1" ]; then return 0; fi
    done
    return 1
}

# The fuzzers that the arguments name: one, or all.
selected() {
    if [ $# -eq 0 ]; then
        printf '%s\n' "${fuzzers[@]}"
    else
        is_known "$1" || die "there is no fuzzer $1, only: ${fuzzers[*]}"
        printf '%s\n' "$1"
    fi
}

# Runs one fuzzer with libFuzzer's options and the inputs under version control; its output goes to a log.
run_one() {
    local fuzzer=$1 log=$left/$1.log dictionary=Fuzz/Dictionaries/$1.dict status=0
    shift
    local options=(-artifact_prefix="$left/$fuzzer-" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1)
    if [ -e "$dictionary" ]; then options+=(-dict="$dictionary"); fi
    mkdir -p "$left/$fuzzer"
    "$(program "$fuzzer")" "${options[@]}" "$@" >"$log" 2>&1 || status=$?
    if [ $status -ne 0 ]; then
        printf '%s: FAILED\n' "$fuzzer"
        grep -aE 'Fatal error|ERROR:|SUMMARY|Test unit written' "$log" || tail -n 20 "$log"
        return 1
    fi
    printf '%s: %s\n' "$fuzzer" "$(grep -a 'cov: ' "$log" | tail -n 1)"
}

# Runs fuzzers side by side and waits for all of them.
run_all() {
    local status=0 running=0 fuzzer
    local names=() arguments=()
    while [ "$1" != -- ]; do
        names+=("$1")
        shift
    done
    shift
    arguments=("$@")
    for fuzzer in "${names[@]}"; do
        if [ $running -ge "$(nproc)" ]; then
            wait -n || status=1
            running=$((running - 1))
        fi
        run_one "$fuzzer" "${arguments[@]//FUZZER/$fuzzer}" &
        running=$((running + 1))
    done
    while [ $running -gt 0 ]; do
        wait -n || status=1
        running=$((running - 1))
    done
    return $status
}

command=${1:-}
case $command in
    replay)
        build
        section "Replaying the corpora"
        run_all "${fuzzers[@]}" -- -runs=0 Fuzz/Corpus/FUZZER
        ;;
    run)
        [[ ${2:-} =~ ^[0-9]+$ ]] || die "for how many seconds?"
        mapfile -t names < <(selected "${@:3}")
        [ ${#names[@]} -gt 0 ] || exit 1
        build
        section "Fuzzing for $2 seconds each: ${names[*]}"
        # New inputs go to the first folder.
        run_all "${names[@]}" -- -max_total_time="$2" -max_len=8192 "$left/FUZZER" Fuzz/Corpus/FUZZER
        ;;
    input)
        [ -e "${2:-}" ] || die "which file?"
        mapfile -t names < <(selected "${3:?which fuzzer?}")
        [ ${#names[@]} -gt 0 ] || exit 1
        build
        "$(program "${names[0]}")" "$2"
        ;;
    seeds)
        mapfile -t names < <(selected "${@:2}")
        [ ${#names[@]} -gt 0 ] || exit 1
        build
        for fuzzer in "${names[@]}"; do "$(program "$fuzzer")" --make-seeds "Fuzz/Corpus/$fuzzer"; done
        ;;
    *) die "say replay, run SECONDS, input FILE or seeds; the first lines of this script explain them" ;;
esac
