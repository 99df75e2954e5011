#!/usr/bin/env bash
# farm/openjd/test.sh SINEW [JOBS]: the template, run by openjd-cli.
set -euo pipefail
farm=$(cd "$(dirname "$0")/.." && pwd)
sinew=$(realpath "$1")
jobs=${2:-24}
openjd=${OPENJD:-$(command -v openjd || echo ~/.cache/sinew-farm/python/bin/openjd)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$openjd" check "$farm/openjd/sinew.yaml" >/dev/null
"$farm/jobs.py" "$sinew" "$folder" "$jobs"
begun=$(date +%s%N)
for step in Jobs Summary; do
    "$openjd" run "$farm/openjd/sinew.yaml" --step "$step" -p "List=$folder/jobs.jsonl" -p Parts=4 -p "Sinew=$sinew" \
        >"$folder/$step.log" || { cat "$folder/$step.log"; exit 1; }
done
echo "  $(((($(date +%s%N) - begun)) / 1000000)) ms for $jobs jobs in 4 parts"
"$farm/check.py" "$sinew" "$folder"
