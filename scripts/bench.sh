#!/usr/bin/env bash
# Runs the benchmarks, which are a package of their own: scripts/bench.sh [arguments for the benchmark command…]
set -euo pipefail
source "$(dirname "$0")/common.sh"

[ -f Benchmarks/Package.swift ] || die "there is no Benchmarks package yet"
scripts/setup.sh --tests

# Benchmarks depends on this package by path, so warnings as errors would hit its dependencies too. Counting
# allocations would need jemalloc; time is what our targets are about.
export CHATELAINE_WARNINGS_AS_ERRORS=0 BENCHMARK_DISABLE_JEMALLOC=1
swift package --package-path Benchmarks --allow-writing-to-package-directory benchmark "$@"
