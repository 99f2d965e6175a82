#!/usr/bin/env bash
# Counts the instructions of one call in a keychain of 100 items, embedded and through a service in the same process (both
# sides), and compares them with those of Benchmarks/instructions.txt: more than 3 % more is a failure. Callgrind counts, so it
# does not matter what else the machine does; the same program takes 0.3 % more or less from run to run, since keys and
# identifiers are random.
#
#   scripts/instructions.sh             of the debug build, which make test has made
#   scripts/instructions.sh --release   of a release build
#   scripts/instructions.sh … --record  and puts what it has counted into the file
set -euo pipefail
source "$(dirname "$0")/common.sh"

build=debug
record=no
for argument in "$@"; do
    case $argument in
        --release) build=release ;;
        --record) record=yes ;;
        *) die "unknown argument $argument (--release, --record)" ;;
    esac
done
readonly build record figures=Benchmarks/instructions.txt
# Percent.
readonly allowed=3

scripts/setup.sh --tests

section "Building"
if [ $build = debug ]; then
    options=("${debug_options[@]}")
else
    export CHATELAINE_WARNINGS_AS_ERRORS=0
    options=(--package-path Benchmarks --configuration release)
fi
swift build "${options[@]}" --product call-count
built=$(swift build "${options[@]}" --show-bin-path)/call-count
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Valgrind gives up at Swift's debug information.
strip --strip-debug -o "$folder/call-count" "$built"
mkdir -m 700 "$folder/served"
cd "$folder"

# What the figures depend on besides the program.
machine() {
    local vectors=
    if grep -qw avx2 /proc/cpuinfo; then vectors=", AVX2"; fi
    printf '%s%s, Swift %s, glibc %s, SQLite %s, Valgrind %s\n' "$(uname -m)" "$vectors" \
        "$(swiftc --version 2>/dev/null | sed -n 's/.*Swift version \([^ ]*\).*/\1/p')" "$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" \
        "$(sqlite3 --version | cut -d ' ' -f 1)" "$(valgrind --version | cut -d - -f 2)"
}

# Counts the calls of a row of kinds, each as NAME=KIND:CALLS:PARTS, and prints the instructions of one of the parts that each
# call is made of.
count() {
    local out=count-$1 number=0 kind calls parts name
    shift
    local options=()
    while [[ $1 != *=* ]]; do options+=("$1") && shift; done
    for kind; do kind=${kind#*=} && options+=("${kind%:*}"); done
    # Swift seeds its hashes anew in each process, otherwise.
    SWIFT_BACKTRACE=enable=no SWIFT_DETERMINISTIC_HASHING=1 timeout 300 valgrind --tool=callgrind --dump-before=call_count_mark \
        --callgrind-out-file="$out" ./call-count "${options[@]}" >"$out.log" 2>&1 || { cat "$out.log" >&2 && return 1; }
    # A part is dumped at each mark: what comes before the calls of a kind, and those calls.
    for kind; do
        number=$((number + 2))
        IFS='=:' read -r name _ calls parts <<<"$kind"
        awk -v name="$name" -v calls="$((calls * parts))" '
            /^totals: / { total = $2 }
            END { if (!total) exit 1; printf "%s %d\n", name, total / calls }' "$out.$number" || return
    done
}

section "Counting"
CHATELAINE_KEYCHAIN=embedded:$folder/keychain ./call-count fill:0
CHATELAINE_KEYCHAIN=embedded:$folder/keychain count embedded list-of-an-item=list:2:100 find=find:50:1 find-by-label=search:20:1 \
    add=add:20:1 update=update:10:1 delete=delete:10:1 >embedded.txt &
embedded=$! failed=no
# The same program has to add what it finds: to a service, one under Valgrind is another than one without.
count served --serve "$folder/served" filled=fill:0:1 service-list-of-an-item=list:2:100 service-find=find:50:1 \
    service-add=add:10:1 >served.txt || failed=yes
wait $embedded || failed=yes
[ $failed = no ] || die "the calls could not be counted"
sed "s/^/$build /" embedded.txt served.txt | grep -v filled >counted.txt
cd - >/dev/null

on=$(machine)
if [ $record = yes ]; then
    {
        printf '# The instructions of one call, as scripts/instructions.sh counts them, and what they depend on besides the program.\n'
        printf '# %s\n' "$on"
        { grep -v "^#\|^$build " "$figures" 2>/dev/null || true; cat "$folder/counted.txt"; } | sort
    } >"$folder/figures" && cp "$folder/figures" "$figures"
fi

section "Instructions of the $build build"
awk -v allowed=$allowed -v build=$build '
    NR == FNR { if ($1 == build) stored[$2] = $3; next }
    {
        if (!($2 in stored)) { printf "%-26s %12d, and none is recorded\n", $2, $3; bad = 1; next }
        change = ($3 / stored[$2] - 1) * 100
        printf "%-26s %12d %+6.1f %%\n", $2, $3, change
        if (change > allowed) { printf "%s takes more than %d %% more than recorded\n", $2, allowed; bad = 1 }
        if (change < -allowed) printf "%s takes less: scripts/instructions.sh --record says so from now on\n", $2
    }
    END { exit bad }
' "$figures" "$folder/counted.txt" && exit
if [ "$on" != "$(sed -n '2s/^# //p' "$figures")" ]; then
    printf 'Not checked: instructions, which are recorded of another machine (%s).\n' "$on"
    exit
fi
die "calls take more instructions than before: find out where they go (callgrind_annotate), or say why and record them"
