#!/usr/bin/env bash
# farm/flamenco/test.sh SINEW [JOBS]: the commands that the job type makes, run as workers would. Needs Node.
set -euo pipefail
farm=$(cd "$(dirname "$0")/.." && pwd)
sinew=$(realpath "$1")
jobs=${2:-12}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$farm/jobs.py" "$sinew" "$folder" "$jobs"
cat "$farm/flamenco/sinew-batch.js" - >"$folder/run.js" <<'JS'
const { execFileSync } = require("node:child_process");
const [, , sinew, list] = process.argv;
const made = [];
const author = {
  task: (name) => ({ name, commands: [], after: [], addCommand(c) { this.commands.push(c); }, addDependency(t) { this.after.push(t); } }),
  command: (name, parameters) => ({ name, ...parameters }),
};
const settings = Object.fromEntries(JOB_TYPE.settings.map(({ key, default: value }) => [key, value]));
compileJob({ settings: { ...settings, list, parts: 3 }, addTask: (task) => made.push(task) });
for (const task of made) {
  if (!task.after.every((other) => made.indexOf(other) < made.indexOf(task))) throw new Error(`${task.name} comes too early`);
  for (const { exe, args } of task.commands) execFileSync(exe, args.map((a) => a.replace("{sinew}", sinew)));
}
JS
node "$folder/run.js" "$sinew" "$folder/jobs.jsonl" >"$folder/said" 2>&1 || { cat "$folder/said"; exit 1; }
"$farm/check.py" "$sinew" "$folder"
