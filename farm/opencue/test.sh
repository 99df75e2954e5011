#!/usr/bin/env bash
# farm/opencue/test.sh SINEW [JOBS]: the commands of the layers, run as hosts would.
set -euo pipefail
farm=$(cd "$(dirname "$0")/.." && pwd)
sinew=$(realpath "$1")
jobs=${2:-12}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$farm/jobs.py" "$sinew" "$folder" "$jobs"
"$farm/opencue/sinew.py" "$folder/jobs.jsonl" --parts 3 --sinew "$sinew" --print >"$folder/layers"
for frame in 1 2 3; do
    IFS=$'\t' read -ra command < <(sed "s/#IFRAME#/$frame/; s/^jobs\t//; q" "$folder/layers")
    "${command[@]}"
done
IFS=$'\t' read -ra command < <(sed -n 's/^summary\t//p' "$folder/layers")
"${command[@]}" >/dev/null 2>&1
"$farm/check.py" "$sinew" "$folder"
