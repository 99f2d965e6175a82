#!/usr/bin/env bash
# Builds and installs the `security` command and its shell completions. Reads PREFIX (/usr/local) and DESTDIR (empty).
set -euo pipefail
source "$(dirname "$0")/common.sh"

prefix=${PREFIX:-/usr/local}
case $prefix in /*) ;; *) die "PREFIX must be an absolute path, and is: $prefix" ;; esac
target=${DESTDIR:-}$prefix

scripts/setup.sh

# The Swift libraries go into the program, for the machine that runs it may have no toolchain. A build folder of its
# own keeps these flags from undoing other builds.
section "Building"
build=(swift build --configuration release --product security --static-swift-stdlib --scratch-path .build/install)
"${build[@]}" "${strict_imports[@]}"
program=$("${build[@]}" --show-bin-path)/security

section "Installing under $target"
# Without symbols: two thirds of the size, and nothing of ours reads them.
install -D -s -m 755 "$program" "$target/bin/security"
install_completion() {
    local file=$target/share/$2
    mkdir -p "$(dirname "$file")"
    "$program" --generate-completion-script "$1" >"$file"
    chmod 644 "$file"
}
install_completion bash bash-completion/completions/security
install_completion zsh zsh/site-functions/_security
install_completion fish fish/vendor_completions.d/security.fish
install -D -m 644 LICENSE "$target/share/doc/chatelaine/LICENSE"
printf '%s\n' "$target/bin/security"
