#!/usr/bin/env bash
# Packs the package as npm would publish it, and looks whether others can use it: its exports, its types, its commands.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm pack --pack-destination "$folder"
npx --yes publint@0.3.25 run "$folder"/form-relay-*.tgz --strict
# CommonJS has to import it, as any ES module.
npx --yes @arethetypeswrong/cli@0.18.5 "$folder"/form-relay-*.tgz --profile esm-only --format table-flipped
node scripts/try_package.mjs "$folder"/form-relay-*.tgz
