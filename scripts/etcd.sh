#!/usr/bin/env bash
# The transport over etcd, a package of its own (Etcd/), since gRPC brings many others.
#
#   scripts/etcd.sh build               builds chatelaine-etcd, and puts it beside the other programs of a debug build
#   scripts/etcd.sh tests               the same, with its tests
#   scripts/etcd.sh release FOLDER      makes it as it is installed
#   scripts/etcd.sh protobuf [--check]  makes the code of etcd's messages anew, or says whether it is of the same time
set -euo pipefail
source "$(dirname "$0")/common.sh"

readonly package=(--package-path Etcd --scratch-path Etcd/.build)
readonly messages=Etcd/Sources/EtcdMessages

build() {
    local folder
    section "Building chatelaine-etcd"
    swift build "${package[@]}" "${debug_options[@]}" "$@"
    folder=$(swift build --show-bin-path "${debug_options[@]}")
    mkdir -p "$folder"
    # The tests' programs, and what is installed from a debug build, look for it beside the others.
    install -m 755 "$(swift build "${package[@]}" --show-bin-path "${debug_options[@]}")/chatelaine-etcd" "$folder/chatelaine-etcd"
}

case ${1:-} in
    build) build --product chatelaine-etcd ;;
    tests) build --build-tests ;;
    release)
        [ $# -eq 2 ] || die "usage: etcd.sh release FOLDER"
        options=("${package[@]}" --configuration release --static-swift-stdlib -Xswiftc -use-ld=lld)
        swift build "${options[@]}" --product chatelaine-etcd -Xlinker --gc-sections -Xlinker --strip-all
        install -m 755 "$(swift build "${options[@]}" --show-bin-path)/chatelaine-etcd" "$2/chatelaine-etcd"
        ;;
    protobuf)
        if [ "${2:-}" = --check ]; then
            cd $messages
            if sha256sum --check --strict --quiet generated.sha256; then exit 0; fi
            die "$messages: the messages and the code made of them are not of one time; run scripts/etcd.sh protobuf"
        fi
        scripts/protobuf.sh --generator
        cd $messages
        protoc --plugin="$OLDPWD/.build/protobuf/release/protoc-gen-swift" --proto_path=. \
            --swift_opt=Visibility=Package --swift_opt=UseAccessLevelOnImports=true --swift_out=. etcd.proto
        sha256sum etcd.proto etcd.pb.swift >generated.sha256
        ;;
    *) die "what is it to do: build, tests, release or protobuf?" ;;
esac
