#!/usr/bin/env bash
# A cluster of three nodes on this machine: what 1,000 circles do to it, beside etcd's own benchmark (etcdctl check perf); and how
# long a change takes from one device's keychain to another one's, beside the cluster's own way from a write to the news of it.
#
#   Benchmarks/etcd.sh [CIRCLES [SECONDS]]
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/common.sh

scripts/setup.sh --tests
section "Building"
options=(--package-path Etcd --scratch-path Etcd/.build --configuration release)
swift build "${options[@]}"
etcd=$(swift build "${options[@]}" --show-bin-path)
for product in circle-speed chatelained chatelaine-sync; do swift build "${release_options[@]}" --product "$product"; done
programs=$(swift build "${release_options[@]}" --show-bin-path)
install -m 755 "$etcd/chatelaine-etcd" "$programs/chatelaine-etcd"

folder=$(mktemp -d)
nodes=()
end() {
    kill "${nodes[@]}" 2>/dev/null || true
    wait "${nodes[@]}" 2>/dev/null || true
    rm -rf "$folder"
}
trap end EXIT
operate() { (cd "$folder" && "$etcd/chatelaine-etcd" operator "$@"); }
operate cluster n1=127.0.0.1:23790 n2=127.0.0.1:23792 n3=127.0.0.1:23794
ulimit -n "$(ulimit -H -n)"
for node in n1 n2 n3; do
    (cd "$folder/chatelaine-etcd/$node" && exec etcd --config-file etcd.yml) >/dev/null 2>&1 &
    nodes+=($!)
done
operate enable

own=$folder/chatelaine-etcd
section "Changes from keychain to keychain"
operate circle speed >/dev/null
addresses=()
for device in one two observer; do
    operate device speed "$device" | sed -n "/create/s|.*'\(etcd://.*\)'.*|\1|p" >"$folder/address"
    addresses+=("$(cat "$folder/address")&credentials=$folder/speed-$device.pem")
done
"$programs/circle-speed" "$programs" "${addresses[@]}"

section "Many circles"
"$etcd/etcd-load" --folder "$own" --circles "${1:-1000}" --seconds "${2:-10}"

# Last, since it leaves much behind.
section "etcd's own benchmark"
for load in s m; do
    ETCDCTL_API=3 etcdctl --endpoints https://127.0.0.1:23790,https://127.0.0.1:23792,https://127.0.0.1:23794 \
        --cacert "$own/authority.pem" --cert "$own/operator.pem" --key "$own/operator.pem" check perf --load $load 2>&1 |
        tr '\r' '\n' | grep -E 'PASS|FAIL' || true
done
