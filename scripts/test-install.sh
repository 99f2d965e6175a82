#!/usr/bin/env bash
# Installs into a folder and builds clients against what is there and nothing else: in Swift 5 and 6, C and C++, by
# pkg-config, by CMake, and by SwiftPM for a package that has never heard of us.
set -euo pipefail
source "$(dirname "$0")/common.sh"
source scripts/checks.sh

scripts/setup.sh --tests

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
modules=$prefix/lib/chatelaine/swift
toolset=$prefix/share/chatelaine/chatelaine.json
export CHATELAINE_KEYCHAIN=embedded:$folder/keychain
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig

# Each has an empty folder.
before_check() {
    rm -rf "$folder/here"
    mkdir "$folder/here"
    cd "$folder/here"
}

root=$PWD
packages=$root/Tests/Packages

# As somebody does who makes a package for a distribution: installed in one place, used in another.
section "Installing"
DESTDIR=$folder/stage PREFIX=$prefix scripts/install.sh >"$folder/install.log" 2>&1 || {
    tail -40 "$folder/install.log"
    die "installing failed"
}
find "$folder/stage" -type f -o -type l | sort >"$folder/staged"

section "Checking"

no_trace_of_the_stage() {
    not grep -rl "$folder/stage" "$folder/stage"
}
check "nothing that is installed names the folder that it was staged in" no_trace_of_the_stage
mv "$folder/stage$prefix" "$prefix"

relative_prefix() {
    not env PREFIX=usr "$root/scripts/install.sh"
    not test -e usr
}
check "a relative prefix is refused" relative_prefix

the_command() {
    "$prefix/bin/security" add-generic-password -s mail -a alice -w secret
    [ "$("$prefix/bin/security" find-generic-password -s mail -w)" = secret ]
    "$prefix/bin/security" list | grep alice
    "$prefix/bin/security" dump-keychain -d | grep secret
    "$prefix/bin/security" verify-keychain
    ldd "$prefix/bin/security" >libraries
    not grep -i swift libraries
}
check "the command works, and without Swift's libraries" the_command

for_debugging() {
    not grep -rl CHATELAINE_DEBUG_ "$prefix"
}
check "nothing that is installed takes what tests say to builds for debugging" for_debugging

manual() {
    local page=$prefix/share/man/man1/$1.1
    man --local-file "$page" >/dev/null
    manual_is_whole "$prefix/bin/$1" "$page"
}
check "the manual has every command and option of security" manual security
check "the manual has every command and option of chatelaine" manual chatelaine

# A daemon of the session, by hand, and both commands against it.
the_service() {
    local daemon ok=0
    "$prefix/bin/chatelained" --session --directory "$PWD/keychain" --socket "$PWD/socket" 2>log &
    daemon=$!
    for _ in $(seq 500); do if [ -S socket ]; then break; fi; sleep 0.02; done
    export CHATELAINE_KEYCHAIN=unix:$PWD/socket
    {
        "$prefix/bin/security" add-generic-password -s mail -a alice -w secret &&
            [ "$("$prefix/bin/security" find-generic-password -s mail -w)" = secret ] &&
            "$prefix/bin/chatelaine" status && "$prefix/bin/chatelaine" doctor &&
            echo 'a passcode' | "$prefix/bin/chatelaine" passcode set --stdin &&
            "$prefix/bin/chatelaine" lock && not "$prefix/bin/security" find-generic-password -s mail -w &&
            not "$prefix/bin/chatelaine" unlock --stdin <<<'another one' &&
            echo 'a passcode' | "$prefix/bin/chatelaine" unlock --stdin &&
            [ "$("$prefix/bin/security" find-generic-password -s mail -w)" = secret ]
    } || ok=1
    kill "$daemon"
    wait "$daemon" || ok=1
    cat log
    ldd "$prefix/libexec/chatelaine/chatelained" "$prefix"/libexec/chatelaine/chatelaine-{identify,enclave,prompt,credential,sync} >libraries
    not grep -i swift libraries
    return $ok
}
check "the service keeps a password for the command, locks it, and ends when it is told to" the_service

# Whoever holds keys is linked with as little as can be; whoever needs Foundation has no more of ICU's data than English.
what_is_inside() {
    local process
    for process in enclave prompt identify credential sync; do
        not grep -qaE 'icudt[0-9]+l' "$prefix/libexec/chatelaine/chatelaine-$process"
    done
    for process in bin/security bin/chatelaine libexec/chatelaine/chatelained; do
        grep -qaE 'icudt[0-9]+l/en\.res' "$prefix/$process"
        not grep -qaE 'icudt[0-9]+l/(de|zh)\.res' "$prefix/$process"
    done
    # What zeroes freed memory does so for libraries, too, only if it is found before the C library's.
    for process in chatelained chatelaine-enclave chatelaine-identify chatelaine-prompt; do
        nm -D --defined-only "$prefix/libexec/chatelaine/$process" | awk '{ print $3 }' >exported
        for name in malloc calloc realloc free posix_memalign aligned_alloc memalign; do grep -qx $name exported; done
    done
}
check "the processes with keys are without Foundation, zero what is freed, and no program speaks other languages" what_is_inside

# The same program with all of ICU's data and with ours.
dates_and_numbers() {
    local data=$root/.build/release-products/icu-data.o
    test -s "$data"
    swiftc -static-stdlib -use-ld=lld "$packages/FoundationInEnglish.swift" -o all
    swiftc -static-stdlib -use-ld=lld "$packages/FoundationInEnglish.swift" "$data" -o ours
    for language in C en_US.UTF-8 de_DE.UTF-8; do
        LC_ALL=C ./all >wanted
        LC_ALL=$language ./ours >given
        diff wanted given
    done
    [ "$(wc -l <wanted)" -gt 12 ]
}
check "Foundation does in English what it did with all of ICU's data" dates_and_numbers

units() {
    mkdir units
    cp "$prefix"/lib/systemd/system/* units
    grep -h '^ExecStart=' units/*.service | cut -d = -f 2 | cut -d ' ' -f 1 | while read -r program; do
        test -x "$program"
    done
}
check "the units start what is installed" units

# A log-in in which nothing but our module has a say is one that nobody passes; it has to be loaded for that.
pam_module() {
    if ! command -v pamtester >/dev/null || [ "$(id -u)" -ne 0 ]; then
        cannot_check "that a log-in passes with the module for it, which needs root and pamtester"
        return
    fi
    cp -a /etc etc
    printf 'auth required pam_permit.so\nauth required %s debug\nsession required %s\n' \
        "$prefix/lib/security/pam_chatelaine.so" "$prefix/lib/security/pam_chatelaine.so" >etc/pam.d/chatelaine-test
    unshare --mount --propagation private sh -c 'mount --bind etc /etc && pamtester chatelaine-test root authenticate setcred'
}
check "a log-in passes with the module for it" pam_module

# What authenticates owners: the actions name the program where it is installed, and the program refuses whoever is nobody.
authorization() {
    local program=$prefix/libexec/chatelaine/chatelaine-authorize action=$prefix/share/polkit-1/actions/org.chatelaine.policy
    local name
    test -f "$prefix/share/chatelaine/pam.d/chatelaine"
    test -f "$prefix/share/chatelaine/environment.d/60-chatelaine-ssh-agent.conf"
    test "$(stat -c %a "$program")" = 755
    for name in $(sed -n 's/.*exec.argv1">\(.*\)<.*/\1/p' "$action"); do
        grep -q "<action id=\"org.chatelaine.$name\">" "$action"
        not "$program" "$name" >token 2>answer
        grep -qE 'root needs no authorization|set-user-ID' answer
        not test -s token
    done
    [ "$(grep -c "exec.path\">$program<" "$action")" = 9 ]
    [ "$(grep -c '>auth_self<' "$action")" = 27 ]
    man --local-file "$prefix/share/man/man8/chatelaine-authorize.8" >/dev/null
    ldd "$program" >libraries
    not grep -iE 'swift|stdc' libraries
}
check "owners are authenticated by what is installed, and root has no need of it" authorization

swift_flags() { pkg-config --cflags --libs chatelaine-swift; }
swift_client() {
    local client=$root/Tests/Clients/Swift$1Client
    # shellcheck disable=SC2046 # flags are words
    swiftc -swift-version "$1" $(swift_flags) "$client"/*.swift -o client
    CHATELAINE_KEYCHAIN=memory: is_well ./client
}
check "a Swift 5 program builds and runs" swift_client 5
check "a Swift 6 program builds and runs" swift_client 6

other_compiler() {
    cp -R "$modules" interfaces
    find interfaces -type f -name '*.swiftmodule' -delete
    swiftc -swift-version 6 -I interfaces -module-cache-path cache -L "$prefix/lib" -lChatelaine \
        -Xlinker "-rpath=$prefix/lib" "$root"/Tests/Clients/Swift6Client/*.swift -o client
    CHATELAINE_KEYCHAIN=memory: is_well ./client
}
check "a compiler that cannot read our modules builds them from their interfaces" other_compiler

swift_exports() {
    nm -D --defined-only "$prefix/lib/libChatelaine.so" | awk '{ print $3 }' | swift demangle --compact >names
    wc -l <names
    not grep -vE '\b(CoreFoundationAliases|SecurityObjects|Security|LocalAuthentication)\b' names
    not grep -E '\b(Keychain[A-Z][a-z]+|GRDB|Crypto|X509|SwiftASN1|Logging)\.' names
}
check "the Swift library shows the façades and nothing else" swift_exports

clang=$(dirname "$(command -v swiftc)")/clang
c_client() {
    # shellcheck disable=SC2046 # flags are words
    "$clang" -std=c99 -Wall -Wextra -Werror "$packages/CMake/client.c" -o client $(pkg-config --cflags --libs chatelaine)
    CHATELAINE_KEYCHAIN=memory: is_well ./client
}
check "a C program builds by pkg-config and runs" c_client

cxx_client() {
    # shellcheck disable=SC2046 # flags are words
    "$clang++" -std=c++17 -Wall -Wextra -Werror "$packages/CMake/client.cpp" -o client \
        $(pkg-config --cflags --libs chatelaine)
    CHATELAINE_KEYCHAIN=memory: is_well ./client
}
check "a C++ program builds by pkg-config and runs" cxx_client

cmake_client() {
    local language
    cmake -G Ninja -S "$packages/CMake" -B build -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$clang" -DCMAKE_CXX_COMPILER="$clang++"
    cmake --build build
    for language in c cxx swift; do CHATELAINE_KEYCHAIN=memory: is_well "build/$language-client"; done
}
check "a CMake project of C, C++ and Swift builds and runs" cmake_client

cmake_with_gcc() {
    not cmake -S "$packages/CMake" -B build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER=gcc \
        -DCMAKE_CXX_COMPILER=g++ 2>answer
    grep -q "Only the clang of a Swift toolchain" answer
}
check "CMake says so of a compiler that cannot read the headers" cmake_with_gcc

unaware_package() {
    cp -R "$packages/Wrapper" package
    CHATELAINE_KEYCHAIN=memory: swift test --package-path package --toolset "$toolset" | tee output
    grep -q 'Executed 4 tests, with 0 failures' output
}
# Its folder stays: the next check runs what was built.
check "a package that does not know us passes its tests by the toolset" unaware_package
mv "$folder/here/package" "$folder/package" 2>/dev/null || true

# Copies a package of ours, without what somebody may have built in it: our modules would lie there.
copy_of() {
    mkdir "$2"
    find "$packages/$1" -mindepth 1 -maxdepth 1 ! -name '.*' -exec cp -R {} "$2" ';'
}

# Three wrappers, each with tests of its own, built as the code for Apple's platforms that it is.
wrapper() {
    copy_of "$1" package
    CHATELAINE_KEYCHAIN=memory: swift test --package-path package --toolset "$toolset" 2>&1 | tee output
    not grep -E 'warning: |error: ' output
    grep -E "$2" output
}
check "a wrapper with chained options passes its tests by the toolset" \
    wrapper ChainedKeychain 'Executed 8 tests, with 0 failures'
check "a wrapper with boxes passes its tests by the toolset" wrapper Strongbox 'Test run with 8 tests .* passed'
check "a wrapper like the program's defaults passes its tests by the toolset" \
    wrapper DefaultsKeychain 'Executed 6 tests, with 0 failures'

# What somebody sees first. How long it takes depends on the machine, so that is printed and no more.
first_build() {
    local TIMEFORMAT='%R s, %U + %S s of a processor'
    mkdir -p package/Sources/client
    cat >package/Package.swift <<'SWIFT'
// swift-tools-version:5.9
import PackageDescription
let package = Package(name: "client", targets: [.executableTarget(name: "client")])
SWIFT
    cat >package/Sources/client/main.swift <<'SWIFT'
import Foundation

let item: [CFString: Any] = [
    kSecClass: kSecClassGenericPassword, kSecAttrAccount: "alice", kSecValueData: Data("secret".utf8),
]
print(SecItemAdd(item as CFDictionary, nil) == errSecSuccess ? "all is well" : "NOT OK")
SWIFT
    { time swift build --package-path package --toolset "$toolset" >output 2>&1; } 2>"$folder/first-build" || { cat output && false; }
    not grep -E 'warning|error' output
    CHATELAINE_KEYCHAIN=memory: is_well package/.build/debug/client
    stat -c ', %s bytes' package/.build/debug/client >>"$folder/first-build"
}
check "the first build of a small program by the toolset has no warning" first_build
if [ -f "$folder/first-build" ]; then printf '        it took %s\n' "$(tr -d '\n' <"$folder/first-build")"; fi

cryptokit_package() {
    mkdir -p package/Sources/client
    cat >package/Package.swift <<'SWIFT'
// swift-tools-version:5.9
import PackageDescription
let package = Package(name: "client", targets: [.executableTarget(name: "client")])
SWIFT
    cp "$packages/CryptoKitClient.swift" package/Sources/client/main.swift
    # By this toolset alone: what CryptoKit's own declarations need comes with it.
    swift build --package-path package --toolset "$prefix/share/chatelaine/chatelaine-cryptokit.json" 2>&1 | tee output
    not grep -E 'warning|error' output
    CHATELAINE_KEYCHAIN=memory: is_well package/.build/debug/client
    ldd package/.build/debug/client | grep -F "$prefix/lib/libChatelaineCryptoKit.so.0"
}
check "a package that imports CryptoKit builds by its toolset and runs" cryptokit_package

cryptokit_interfaces() {
    cp -R "$modules" "$prefix/lib/chatelaine/cryptokit" .
    find . -type f -name '*.swiftmodule' -delete
    swiftc -swift-version 5 -I swift -I cryptokit -module-cache-path cache -L "$prefix/lib" -lChatelaineCryptoKit \
        -lChatelaine -Xlinker "-rpath=$prefix/lib" "$packages/CryptoKitClient.swift" -o client
    CHATELAINE_KEYCHAIN=memory: is_well ./client
}
check "a compiler that cannot read the modules of CryptoKit builds them from their interfaces" cryptokit_interfaces

cryptokit_exports() {
    not test -e "$prefix/lib/chatelaine/cryptokit/Crypto.swiftmodule"
    nm -D --defined-only "$prefix/lib/libChatelaineCryptoKit.so" | awk '{ print $3 }' | swift demangle --compact >names
    [ "$(wc -l <names)" -gt 1000 ]
    not grep -vE '\b(ChatelaineCrypto|CryptoSecureEnclave|CryptoKit)\b' names
    not grep -E 'BoringSSL|XKCP' names
}
check "the library of CryptoKit shows CryptoKit and nothing else" cryptokit_exports

# A program with swift-crypto of its own, here as the release build has it, beside the installed CryptoKit.
two_cryptos() {
    local objects
    objects=$(cd "$root" && "${release_build[@]}" --show-bin-path)
    cat >ours.swift <<'SWIFT'
import CryptoKit
import Foundation

func digest(_ data: Data) -> Data { Data(SHA256.hash(data: data)) }
func publicKey(_ key: Data) throws -> Data { try P256.Signing.PrivateKey(rawRepresentation: key).publicKey.rawRepresentation }
SWIFT
    cat >main.swift <<'SWIFT'
import Crypto
import Foundation

let data = Data("message".utf8)
let key = P256.Signing.PrivateKey()
let isSame = try publicKey(key.rawRepresentation) == key.publicKey.rawRepresentation
print(isSame && digest(data) == Data(SHA256.hash(data: data)) ? "all is well" : "NOT OK")
SWIFT
    # shellcheck disable=SC2046 # each is a word
    swiftc -I "$objects/Modules" -I "$modules" -I "$prefix/lib/chatelaine/cryptokit" main.swift ours.swift \
        $(find "$objects"/{Crypto,CryptoBoringWrapper,CCryptoBoringSSL,CCryptoBoringSSLShims,CXKCP,CXKCPShims}.build \
            -name '*.o' ! -name '* *') -L "$prefix/lib" -lChatelaineCryptoKit -lChatelaine -Xlinker "-rpath=$prefix/lib" \
        -lstdc++ -use-ld=lld -o client
    is_well ./client
}
check "a program with swift-crypto of its own imports both" two_cryptos

# Somebody else's library whose code about servers' certificates comes to life where there is a Security. An evaluator that
# refuses every server is in the program, and nobody asks it: what docs/porting.md warns of.
pinning() {
    local server port status=0
    copy_of Pinning Pinning
    copy_of PinningClient PinningClient
    swift build --package-path PinningClient --toolset "$toolset"
    if [ "$(id -u)" -ne 0 ] || [ ! -e /etc/ssl/certs/ca-certificates.crt ]; then
        PinningClient/.build/debug/PinningClient | grep -x 'pinning compiled'
        cannot_check "that Linux does not call pinning, which needs root and Debian's file of anchors"
        return
    fi
    openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost 2>/dev/null
    port=$((20000 + RANDOM % 20000))
    openssl s_server -accept "$port" -cert certificate.pem -key key.pem -www -quiet >server.log 2>&1 &
    server=$!
    for _ in $(seq 100); do if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi; sleep 0.05; done
    PinningClient/.build/debug/PinningClient "https://localhost:$port/" >untrusted || status=1
    # Where libcurl looks for the system's anchors: this one in their place.
    unshare --mount --propagation private sh -c 'mount --bind certificate.pem /etc/ssl/certs/ca-certificates.crt && exec "$@"' \
        sh PinningClient/.build/debug/PinningClient "https://localhost:$port/" >trusted || status=1
    kill $server
    cat trusted untrusted server.log
    [ "$status" = 0 ]
    printf '%s\n' 'pinning compiled' 'answer received' 'challenges 0' | diff - trusted
    grep -q '^error -' untrusted
    grep -x 'challenges 0' untrusted
}
check "a library with pinning builds by the toolset, and Linux never calls it" pinning

# Nothing but what imports it is linked with Foundation's networking, and so with libcurl.
no_networking() {
    cat >client.swift <<'SWIFT'
import Foundation
import Security

print(NSURLAuthenticationMethodServerTrust.isEmpty ? "NOT OK" : "all is well")
SWIFT
    # shellcheck disable=SC2046 # flags are words
    swiftc $(swift_flags) client.swift -o client
    is_well ./client
    readelf -d client "$prefix"/lib/libChatelaine*.so.0 >needed
    not grep -i networking needed
}
check "programs without networking are not linked with it" no_networking

# A package that has never heard of us, copied and changed by the command, and built by its manifest: in the folder of the
# release build, which has compiled our modules already.
port_and_build() {
    local build=("${release_build[@]}" --package-path "$PWD/new" --product app)
    mkdir -p old/Sources/app old/Model old/Tests/appTests
    cat >old/Package.swift <<'SWIFT'
// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "app",
    targets: [
        .executableTarget(name: "app", dependencies: ["Model"]),
        .target(name: "Model", path: "Model"),
        .testTarget(name: "appTests", dependencies: ["Model"]),
    ]
)
SWIFT
    cat >old/Model/Key.swift <<'SWIFT'
import CryptoKit
import Foundation

public func fingerprint(_ data: Data) -> String { SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined() }
SWIFT
    cat >old/Sources/app/main.swift <<'SWIFT'
import Foundation
import Model

let item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: fingerprint(Data("abc".utf8))]
print(SecItemAdd(item as CFDictionary, nil) == errSecSuccess ? "all is well" : "NOT OK")
SWIFT
    cp "$packages/Wrapper/Tests/WrapperTests/KeychainTests.swift" old/Tests/appTests/
    cp -R old before
    "$prefix/bin/chatelaine" port --write new --chatelaine "$root" old | tee output
    diff -r before old
    grep -x '  app: Security, and the plugin ImportSecurity' output
    grep -x '  Model: CryptoKit' output
    (cd "$root" && "${build[@]}") 2>&1 | tail -20
    CHATELAINE_KEYCHAIN=memory: is_well "$(cd "$root" && "${build[@]}" --show-bin-path)/app"
}
check "a package that chatelaine port has copied and changed builds by its manifest and runs" port_and_build

own_stubs() {
    mkdir -p package/Sources/client
    cat >package/Package.swift <<'SWIFT'
// swift-tools-version:5.9
import PackageDescription
let package = Package(name: "client", targets: [.executableTarget(name: "client")])
SWIFT
    cat >package/Sources/client/Stubs.swift <<'SWIFT'
import Foundation

/// What this package says where there is no Security.
struct SecAccessControl { var name = "all is well" }
SWIFT
    cat >package/Sources/client/main.swift <<'SWIFT'
import Foundation

print(SecAccessControl().name)
SWIFT
    cat >package/Sources/client/Random.swift <<'SWIFT'
import Foundation
import Security

func random(_ bytes: inout [UInt8]) -> Bool { SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == 0 }
SWIFT
    is_well swift run --package-path package --toolset "$prefix/share/chatelaine/chatelaine-explicit.json"
}
check "a package with stubs of its own builds by the toolset that imports nothing" own_stubs

core_foundation() {
    mkdir -p package/Sources/client
    cat >package/Package.swift <<'SWIFT'
// swift-tools-version:5.9
import PackageDescription
let package = Package(name: "client", targets: [.executableTarget(name: "client")])
SWIFT
    cat >package/Sources/client/main.swift <<'SWIFT'
import CoreFoundation
import Foundation

let query: CFDictionary = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a" as CFString] as CFDictionary
print(SecItemAdd(query, nil) == errSecSuccess ? "all is well" : "NOT OK")
SWIFT
    CHATELAINE_KEYCHAIN=memory: is_well swift run --package-path package \
        --toolset "$prefix/share/chatelaine/chatelaine-corefoundation.json"
}
check "a program that imports CoreFoundation builds by the other toolset" core_foundation

# Prints, as files in the present folder, the Swift examples of a document: those that begin with the name of the manifest
# under packages, the others as programs.
examples() {
    awk '
        /^```swift$/ { number++; file = sprintf("example-%d.swift", number); first = 1; next }
        /^```$/ { file = ""; next }
        file && first && /^\/\/ Package.swift/ { folder = "package-" number; system("mkdir " folder)
            file = folder "/Package.swift"; print "// swift-tools-version:5.9" >file }
        file { print >file; first = 0 }
    ' "$1"
}
# Checks the examples that lie in the present folder: programs compile, manifests name the product for Linux.
check_examples() {
    local file
    for file in example-*.swift; do
        swiftc -typecheck -swift-version 6 -I "$modules" -Xfrontend -import-module -Xfrontend Security "$file"
    done
    for file in package-*; do
        swift package --package-path "$file" dump-package >"$file/dump.json"
        tr -d ' \n' <"$file/dump.json" | grep -F '"Security","chatelaine",null,{"platformNames":["linux"]}'
    done
}
documented_examples() {
    examples "$root/docs/porting.md"
    ls
    [ -f example-1.swift ] || [ -d package-1 ]
    check_examples
}
check "the examples of docs/porting.md compile" documented_examples

# README's three: a program that stores and finds, a key that never leaves, and the lines of a manifest.
readme_examples() {
    examples "$root/README.md"
    ls
    echo 'print(item as? Data == Data("correct horse battery staple".utf8) ? "all is well" : "NOT OK")' >>example-1.swift
    # shellcheck disable=SC2046 # flags are words
    swiftc -swift-version 6 $(swift_flags) example-1.swift -o program
    CHATELAINE_KEYCHAIN=memory: is_well ./program
    { printf 'import Foundation\nlet message = Data("message".utf8)\n' && cat example-2.swift; } >key.swift
    mv key.swift example-2.swift
    # What follows the line about the target's dependencies belongs to the target.
    mkdir package-3
    {
        printf '// swift-tools-version:5.9\nimport PackageDescription\nlet package = Package(name: "my-app", dependencies: [\n'
        sed '/^\/\/ and in the target/,$d' example-3.swift
        printf '], targets: [.executableTarget(name: "my-app", dependencies: [\n'
        sed '1,/^\/\/ and in the target/d' example-3.swift
        printf '])])\n'
    } >package-3/Package.swift
    rm example-3.swift
    check_examples
}
check "the examples of README.md compile, and the first stores and finds" readme_examples

common_crypto() {
    local exported
    mkdir -p package/Sources/client package/Sources/digest/include
    cat >package/Package.swift <<'SWIFT'
// swift-tools-version:5.9
import PackageDescription
let package = Package(
    name: "client", targets: [.target(name: "digest"), .executableTarget(name: "client", dependencies: ["digest"])])
SWIFT
    echo 'int first_byte(void);' >package/Sources/digest/include/digest.h
    cat >package/Sources/digest/digest.c <<'C'
#include "digest.h"
#include <CommonCrypto/CommonCrypto.h>
int first_byte(void) {
    unsigned char md[CC_SHA256_DIGEST_LENGTH];
    return CC_SHA256("abc", 3, md) == md ? md[0] : -1;
}
C
    cat >package/Sources/client/main.swift <<'SWIFT'
import CommonCrypto
import digest

var md = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
print(CC_SHA256("abc", 3, &md) != nil && md[0] == 0xba && first_byte() == 0xba ? "all is well" : "NOT OK")
SWIFT
    is_well swift run --package-path package --toolset "$prefix/share/chatelaine/chatelaine-commoncrypto.json"
    exported=$(nm -D --defined-only "$prefix/lib/libChatelaineCommonCrypto.so" | awk '$2 != "A" { print $3 }')
    not grep -vE '^CC' <<<"$exported"
}
check "a package that imports CommonCrypto builds by its toolset, in Swift and in C" common_crypto

information_beside_the_program() {
    local program
    program=$(swift build --package-path "$folder/package" --toolset "$toolset" --show-bin-path)/wrapper-demo
    # Without one, the service is the wrapper's default and the group the program's name.
    "$program" | tee output && grep -qx 'wrapper nothing' output
    "$prefix/bin/security" list | grep -E 'generic +wrapper-demo +wrapper '
    cat >"$(dirname "$program")/Info.plist" <<'PLIST'
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.demo</string></dict></plist>
PLIST
    "$program" | tee output && grep -qx 'com.example.demo nothing' output
    "$program" | tee output && grep -qx 'com.example.demo 1' output
    "$prefix/bin/security" list | grep -E 'generic +com.example.demo +com.example.demo '
    cat >"$program.entitlements" <<'PLIST'
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>application-identifier</key><string>TEAM.demo</string></dict></plist>
PLIST
    "$program" | tee output && grep -qx 'com.example.demo nothing' output
    "$prefix/bin/security" list | grep -E 'generic +TEAM.demo +com.example.demo '
}
check "an Info.plist and entitlements beside a program say who it is" information_beside_the_program

removal() {
    mkdir -p "$(dirname "$folder/stage$prefix")"
    cp -R "$prefix" "$folder/stage$prefix"
    touch "$folder/stage$prefix/lib/somebody-elses"
    DESTDIR=$folder/stage PREFIX=$prefix "$root/scripts/install.sh" --uninstall
    find "$folder/stage" -type f -o -type l | tee left
    [ "$(cat left)" = "$folder/stage$prefix/lib/somebody-elses" ]
}
check "uninstalling removes what was installed, and nothing else" removal

finish_checks Installation
