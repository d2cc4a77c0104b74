#!/usr/bin/env bash
# Packs the package as npm would publish it, and checks that others can use it: exports, types and commands.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm pack --pack-destination "$folder"
npx --yes publint@0.3.25 run "$folder"/form-relay-*.tgz --strict
# CommonJS must be able to import it, like any ES module.
npx --yes @arethetypeswrong/cli@0.18.5 "$folder"/form-relay-*.tgz --profile esm-only --format table-flipped
node scripts/try_package.mjs "$folder"/form-relay-*.tgz
