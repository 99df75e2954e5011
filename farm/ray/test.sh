#!/usr/bin/env bash
# farm/ray/test.sh SINEW [JOBS]: the list, run by a cluster of three nodes on this machine, of which one is lost.
set -euo pipefail
farm=$(cd "$(dirname "$0")/.." && pwd)
sinew=$(realpath "$1")
jobs=${2:-24}
python=${FARM_PYTHON:-~/.cache/sinew-farm/python/bin/python}
python=${python/#\~/$HOME}
"$python" -c "import ray" 2>/dev/null || python=python3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export RAY_DEDUP_LOGS=0 RAY_USAGE_STATS_ENABLED=0

"$farm/jobs.py" "$sinew" "$folder" "$jobs"
"$python" "$farm/ray/test_cluster.py" "$sinew" "$folder/jobs.jsonl" 2>"$folder/cluster" || { cat "$folder/cluster"; exit 1; }
"$farm/check.py" "$sinew" "$folder"
