#!/usr/bin/env bash
# farm/test.sh SINEW [JOBS]: tries every engine that is installed on a small list.
# farm/test.sh --install: installs them (Debian, as root; Python packages into ~/.cache/sinew-farm).
set -euo pipefail
farm=$(cd "$(dirname "$0")" && pwd)
python=~/.cache/sinew-farm/python

if [ "${1:-}" = --install ]; then
    if [ "$(id -u)" = 0 ] && ! command -v slurmctld >/dev/null; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends slurm-wlm munge >/dev/null
    fi
    [ -x "$python/bin/pip" ] || python3 -m venv "$python"
    "$python/bin/pip" install -q openjd-cli ray
    exit
fi
sinew=$1
jobs=${2:-24}

# try ENGINE TOOL...: its test, if all tools are there.
try() {
    local engine=$1 tool
    for tool in "${@:2}"; do
        if ! command -v "$tool" >/dev/null && [ ! -x "$python/bin/$tool" ]; then
            echo "$engine: not tried, there is no $tool"
            return
        fi
    done
    echo "$engine"
    "$farm/$engine/test.sh" "$sinew" "$jobs"
}

try openjd openjd
if [ "$(id -u)" = 0 ]; then try slurm slurmctld slurmd munged sbatch; else echo "slurm: not tried, that is for root"; fi
try ray ray
try opencue python3
try flamenco node

echo "killed at random"
engines=(sinew)
if [ -x "$python/bin/openjd" ]; then engines+=(openjd); fi
"$farm/scale.py" "$sinew" --engine "${engines[@]}" --jobs 60 --vertices 200 --parts 4 --kills 8
echo "one skin for many clips"
"$farm/clips.py" "$sinew" --clips 100 --parts 2
if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
    "$farm/faults.sh" "$sinew"
else
    echo "disks that fill up: not tried, mounts are for root"
fi
