# The scripts that try a whole system source this file. A check is a sentence about the system and a command that shows it;
# checks are counted. The script has made a folder, `$folder`, which keeps the output of the last command
# (docs/decisions/0073).
# shellcheck shell=bash disable=SC2154

passed=0
skipped=0
failed=0

said_so() {
    passed=$((passed + 1))
    printf 'ok      %s\n' "$1"
}

# What comes before each check, in its shell.
before_check() { :; }

# A sentence, and a command that has to succeed. The command may be a function: an error at any line of it ends it. It runs
# in a shell of its own, and the script goes on after a failure.
check() {
    local sentence=$1 status=0
    shift
    # Not `if (…)`, under which errors inside would not end it.
    set +e
    (
        set -e
        before_check
        "$@"
    ) >"$folder/output" 2>&1 </dev/null
    status=$?
    set -e
    if [ $status -eq 77 ] && [ "${CHATELAINE_MAY_SKIP_CHECKS:-0}" != 1 ]; then status=1; fi
    case $status in
        0) said_so "$sentence" ;;
        77)
            skipped=$((skipped + 1))
            cat "$folder/output"
            ;;
        *)
            failed=$((failed + 1))
            printf 'FAILED  %s\n' "$sentence"
            sed 's/^/        /' "$folder/output"
            ;;
    esac
}

# --- What the rest depends on ------------------------------------------------------------------------------------------

# These run a command in the script's own shell, and end the script where the sentence is not so. A function must be one
# command: the shell does not end it at an error in the middle.

has_printed() { [ -z "$1" ] || grep -qF -- "$1" "$folder/output"; }

# The sentence is not so.
untrue() {
    cat "$folder/output" >&2
    die "not so: $1"
}

# The command has to succeed.
holds() {
    local sentence=$1
    shift
    "$@" >"$folder/output" 2>&1 </dev/null || untrue "$sentence"
    said_so "$sentence"
}

# The command has to fail, and to print a text, if that is not empty.
fails() {
    local sentence=$1 text=$2
    shift 2
    if "$@" >"$folder/output" 2>&1 </dev/null || ! has_printed "$text"; then untrue "$sentence"; fi
    said_so "$sentence"
}

# The command has to end with a status, and to print a text, if that is not empty.
ends() {
    local sentence=$1 expected=$2 text=$3 status=0
    shift 3
    "$@" >"$folder/output" 2>&1 </dev/null || status=$?
    if [ $status -ne "$expected" ] || ! has_printed "$text"; then
        printf 'status %s\n' $status >>"$folder/output"
        untrue "$sentence"
    fi
    said_so "$sentence"
}

# --- Commands for checks ---------------------------------------------------------------------------------------------

# Succeeds where a command fails: `!` alone ends nothing.
not() {
    if "$@"; then return 1; fi
}

# Compares text, and shows both where they differ.
same() {
    [ "$1" = "$2" ] || {
        printf 'is:     %s\nwanted: %s\n' "$1" "$2"
        return 1
    }
}

# Says whether a client, which prints what it found, found all well.
is_well() {
    local said status=0
    said=$("$@") || status=$?
    printf '%s\n' "$said"
    [ $status -eq 0 ] && grep -qx 'all is well' <<<"$said"
}

# Runs a command that reads a file: its name, and the command.
from() {
    local input=$1
    shift
    "$@" <"$input"
}

# The last line of the script.
finish_checks() {
    section "$1: $passed passed, $failed failed, $skipped not checked"
    [ $failed -eq 0 ]
}
