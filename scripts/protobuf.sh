#!/usr/bin/env bash
# Makes Swift code of the keychain service's messages (chatelaine.proto), and compares the two.
#
#   scripts/protobuf.sh            makes the code anew, and records both files' checksums
#   scripts/protobuf.sh --check    whether both are as they were when the code was made
#   scripts/protobuf.sh --generator    builds what makes the code, and nothing else
#
# Building the generator takes more than a minute, so that checks compare checksums: whoever changes one of the files and
# not the other is told. Only making the code anew shows that it is what the generator makes; `git diff` then has nothing.
set -euo pipefail
source "$(dirname "$0")/common.sh"

readonly folder=Sources/Service/KeychainMessages
readonly sums=generated.sha256

case ${1:-} in
    --check)
        cd "$folder"
        if sha256sum --check --strict --quiet "$sums"; then exit 0; fi
        printf '%s\n' "$folder: the messages and the code made of them are not of one time; run make protobuf"
        exit 1
        ;;
    "" | --generator) ;;
    *) die "unknown argument $1 (only --check and --generator are known)" ;;
esac

command -v protoc >/dev/null || die "protoc is missing; on Debian and Ubuntu: apt-get install protobuf-compiler"
scripts/setup.sh
section "Building the generator"
# In a folder of its own: the package's build has the library in it with other settings.
swift package resolve
swift build --package-path .build/checkouts/swift-protobuf --scratch-path .build/protobuf \
    --configuration release --product protoc-gen-swift
generator=$(swift build --package-path .build/checkouts/swift-protobuf --scratch-path .build/protobuf \
    --configuration release --show-bin-path)/protoc-gen-swift
if [ "${1:-}" = --generator ]; then exit 0; fi

section "Generating"
cd "$folder"
protoc --plugin="$generator" --proto_path=. \
    --swift_opt=Visibility=Package --swift_opt=UseAccessLevelOnImports=true --swift_out=. chatelaine.proto
sha256sum chatelaine.proto chatelaine.pb.swift >"$sums"
