#!/usr/bin/env bash
# Lists what the modules that people import declare: docs/api/*.txt, one line a symbol, and docs/symbols.md, what each
# does. The modules have to be built.
#
#   scripts/api.sh              writes the lists
#   scripts/api.sh --compare    says where the lists are not what is declared, and ends with 1
set -euo pipefail
source "$(dirname "$0")/common.sh"

compare=no
case ${1:-} in
    "") ;;
    --compare) compare=yes ;;
    *) die "unknown argument $1 (only --compare is known)" ;;
esac

# What a program sees that imports Security, then the module beside it.
readonly modules=(CoreFoundationAliases SecurityObjects Security LocalAuthentication CryptoSecureEnclave)

built=$(swift build --show-bin-path)/Modules
target=$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/graphs" "$work/api"

for module in "${modules[@]}"; do
    [ -e "$built/$module.swiftmodule" ] || die "$module is not built: run make build"
    swift symbolgraph-extract -module-name "$module" -target "$target" -I "$built" -output-dir "$work/graphs" \
        -minimum-access-level public -skip-inherited-docs -skip-synthesized-members
done
swift scripts/api.swift "$work/graphs" docs/api/missing.txt "$work" "${modules[@]}"

if [ $compare = no ]; then
    cp "$work"/api/*.txt docs/api/
    cp "$work/symbols.md" docs/symbols.md
    exit 0
fi
status=0
for module in "${modules[@]}"; do
    diff -u "docs/api/$module.txt" "$work/api/$module.txt" || status=1
done
diff -u docs/symbols.md "$work/symbols.md" || status=1
if [ $status -ne 0 ]; then
    printf 'What the modules declare is not what docs/api lists. If it is meant, run make api and say so in CHANGELOG.md.\n'
fi
exit $status
