#!/usr/bin/env bash
# farm/faults.sh SINEW: disks that fill up, folders that go read-only and jobs that take too much memory, each a line of the
# summary and the rest done. As root on Linux, in mounts that nobody else sees.
set -euo pipefail
if [ -z "${FARM_MOUNTS:-}" ]; then FARM_MOUNTS=1 exec unshare --mount "$0" "$@"; fi
farm=$(cd "$(dirname "$0")" && pwd)
sinew=$(realpath "$1")
folder=$(mktemp -d)
trap 'cd /; umount -q "$folder"/*/ 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

# list FOLDER: twelve jobs, every other of which writes into FOLDER, the others into out.
list() {
    SINEW_DATA='' "$farm/jobs.py" "$sinew" "$folder/shots" 12 300
    python3 - "$folder" "$1" <<'PY'
import json, pathlib, sys
around, to = pathlib.Path(sys.argv[1]), sys.argv[2]
jobs = [json.loads(line) for line in (around / "shots/jobs.jsonl").read_text().splitlines()]
for number, job in enumerate(jobs):
    place = f"{around}/{to}" if number % 2 else "out"
    job["output"] = f"{place}/{number:02}.glb"
(around / "shots/jobs.jsonl").write_text("".join(json.dumps(job) + "\n" for job in jobs))
PY
}

# run CODE [OPTION...]: runs the list and wants that code.
run() {
    local wanted=$1 code=0
    (cd shots && "$sinew" batch jobs.jsonl --no-pictures --quiet "${@:2}" 2>"$folder/said") || code=$?
    [ "$code" = "$wanted" ] || { echo "ended with $code, not $wanted:"; cat "$folder/said"; exit 1; }
}

# rows WORDS: what is written elsewhere is done, and something failed, which says so: some of the words between bars.
rows() {
    python3 - "$folder/shots/jobs.batch/batch.json" "$1" <<'PY'
import collections, json, sys
rows = json.load(open(sys.argv[1]))["rows"]
count = collections.Counter(row["state"] for row in rows)
said = [row["sentence"] for row in rows if row["state"] == "failed"]
elsewhere = [row["state"] for row in rows[:12:2]]
if not said or set(elsewhere) != {"done"} or count["waiting"] or not all(any(words in sentence for words in sys.argv[2].split("|")) for sentence in said):
    sys.exit(f"{[row['state'] for row in rows]} {said}")
print(f"  {', '.join(f'{number} {state}' for state, number in count.items())}: {said[-1]}")
PY
}

echo "a disk that fills up"
mkdir small
# A few rigs of some 30 kB, and not all six.
mount -t tmpfs -o size=80k none small
list small
run 1
rows "disk is full"
for rig in small/*.glb; do "$sinew" info "$rig" --quiet --report - >/dev/null; done
mount -o remount,size=10m small
run 0
umount small

echo "the disk of the summary fills up"
mkdir records
mount -t tmpfs -o size=8k none records
list more
run 2 --folder "$folder/records"
[ "$(find shots/out more -name '*.glb' | wc -l)" = 12 ] || { echo "the jobs were not done"; exit 1; }
echo "  12 done: $(cat said)"
umount records

echo "a folder that goes read-only"
mkdir behind locked
mount --bind behind locked
list locked
(while [ -z "$(ls behind)" ]; do sleep 0.01; done; mount -o remount,ro,bind locked) &
run 1 --threads 1
wait
rows "cannot be written to"
mount -o remount,rw,bind locked
run 0
umount locked

echo "jobs that take 30 and 3 GB, and do not look it"
list more
"$sinew" sample creature --frames 30 --detail 2.2 --quiet -o creature
"$sinew" skin creature/anim.pc2 --rest creature/rest.obj --bones 4 --effort quick --quiet -o creature/rig.glb
for fps in 74000 7400; do
    source="{\"inputs\": [\"$folder/creature/rig.glb\"], \"fps\": $fps}"
    echo "{\"job\": \"skin\", \"source\": $source, \"output\": \"out/huge-$fps.glb\"}" >>shots/jobs.jsonl
done
run 1 --memory 600MB
# Where there is no room for the first to begin, it says so itself.
rows "600.0 MB are to be used|do not fit into memory"
