#!/usr/bin/env bash
# farm/slurm/test.sh SINEW [JOBS]: the array, run by a cluster of this machine that is there for the test alone. As root.
set -euo pipefail
farm=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${FARM_CLUSTER:-}" ]; then exec "$farm/slurm/cluster.sh" "$0" "$@"; fi
sinew=$(realpath "$1")
jobs=${2:-24}
parts=4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$farm/jobs.py" "$sinew" "$folder/shots" "$jobs"
begun=$(date +%s%N)
SINEW=$sinew sbatch --array=1-$parts --output="$folder/part-%a.out" "$farm/slurm/sinew.sbatch" \
    "$folder/shots/jobs.jsonl" >/dev/null
# sbatch --wait looks only every ten seconds.
while [ -n "$(squeue -h)" ]; do sleep 0.1; done
echo "  $(((($(date +%s%N) - begun)) / 1000000)) ms for $jobs jobs in $parts parts"
"$farm/check.py" "$sinew" "$folder/shots" || { cat "$folder"/part-*.out; exit 1; }
(cd "$folder/shots" && "$sinew" batch jobs.jsonl --summary --quiet)
