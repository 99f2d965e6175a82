#!/usr/bin/env bash
# Measures how long git waits for its helper, from the start of the process to its end, in turns with `security`, with
# secret-tool and a gnome-keyring of its own, and with a process that does nothing:
# Benchmarks/credentials.sh [FOLDER [ROUNDS]], with the programs that scripts/release.sh has put into FOLDER. Without one
# it makes them.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

scripts/setup.sh --benchmarks
programs=${1:-}
rounds=${2:-200}
if [ -z "$programs" ]; then
    programs=$PWD/.build/release-products
    scripts/release.sh "$programs"
fi
programs=$(realpath "$programs")

folder=$(mktemp -d)
"$programs/chatelained" --session --directory "$folder/keychain" --socket "$folder/keychain.sock" 2>"$folder/log" &
daemon=$!
trap 'kill $daemon; rm -rf "$folder"' EXIT
for _ in {1..200}; do
    if grep -q 'serving keychains' "$folder/log"; then break; fi
    sleep 0.05
done
export CHATELAINE_KEYCHAIN=unix:$folder/keychain.sock
ln -s "$programs/chatelaine-credential" "$folder/git-credential-chatelaine"
for number in {0..9}; do
    printf 'protocol=https\nhost=host-%s.example.com\nusername=alice\npassword=secret-%s\n\n' "$number" "$number" |
        "$folder/git-credential-chatelaine" store
done
"$programs/security" add-internet-password -s host-3.example.com -a bob -r htps -w secret-3

cat >"$folder/measure.py" <<'PYTHON'
import statistics, subprocess, sys, time

folder, programs, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
request = b"protocol=https\nhost=host-3.example.com\n\n"
commands = {
    "true": (["/bin/true"], None),
    "git-credential-chatelaine get": ([folder + "/git-credential-chatelaine", "get"], b"secret-3"),
    "secret-tool lookup": (["secret-tool", "lookup", "service", "service-3", "account", "account-3"], b"secret-3"),
    "security find-internet-password": (
        [programs + "/security", "find-internet-password", "-s", "host-3.example.com", "-w"], b"secret-3"),
}
times = {name: [] for name in commands}
for _ in range(rounds):
    for name, (command, expected) in commands.items():
        start = time.perf_counter()
        outcome = subprocess.run(command, input=request, stdout=subprocess.PIPE)
        times[name].append((time.perf_counter() - start) * 1000)
        if expected and expected not in outcome.stdout:
            sys.exit(f"{name} did not find the password")
base = statistics.median(times["secret-tool lookup"])
print(f"{'':34} p50 ms  p90 ms  of secret-tool's")
for name, values in times.items():
    values.sort()
    middle = statistics.median(values)
    print(f"{name:34} {middle:6.2f}  {values[len(values) * 9 // 10]:6.2f}  {middle / base:.2f}")
PYTHON
Benchmarks/Peers/gnome-keyring.sh 10 python3 "$folder/measure.py" "$folder" "$programs" "$rounds"
