# Sourced by the scripts that try whole systems: says sentences about one, and counts those that are so. Such a script has
# made a folder, `$folder`, where the output of the last command is kept (docs/decisions/0073).
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

# A sentence, and a command that is to succeed: a function too, which an error anywhere inside ends. It changes nothing of
# the script's own shell. The script goes on whatever comes out.
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

# --- What the rest depends on: a sentence, and one command, after which the script goes on only if it is so ------------

# The sentence is not so.
untrue() {
    cat "$folder/output" >&2
    die "not so: $1"
}

# The command is to succeed.
holds() {
    local sentence=$1
    shift
    "$@" >"$folder/output" 2>&1 </dev/null || untrue "$sentence"
    said_so "$sentence"
}

# The command is to fail, and to print a text; with none, where that is empty.
fails() {
    local sentence=$1 text=$2
    shift 2
    if "$@" >"$folder/output" 2>&1 </dev/null || ! grep -qF -- "$text" <(cat "$folder/output" && echo); then
        untrue "$sentence"
    fi
    said_so "$sentence"
}

# The command is to end with a status, and to print a text.
ends() {
    local sentence=$1 expected=$2 text=$3 status=0
    shift 3
    "$@" >"$folder/output" 2>&1 </dev/null || status=$?
    if [ $status -ne "$expected" ] || ! grep -qF -- "$text" "$folder/output"; then
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
