#!/usr/bin/env python3
"""Holds what an engine did against a plain run of the same list.

    farm/check.py SINEW FOLDER

Runs FOLDER/jobs.jsonl by `sinew run`, one job after the other, up to 24 of them evenly over the list, and compares their bytes
with those in FOLDER/out; counts that every job of the list has its file and that no other lies there. Leaves FOLDER/out as it was.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

#: Jobs that are run anew: each is a process of its own, and takes as long as it does.
MOST = 24


def main() -> None:
    sinew, folder = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    jobs = [json.loads(line) for line in (folder / "jobs.jsonl").read_text().splitlines()]
    expected = {Path(job["output"]).name for job in jobs}
    found = {path.name for path in (folder / "out").iterdir()}
    lost, more = sorted(expected - found), sorted(found - expected)
    if lost or more:
        sys.exit(f"{len(lost)} files are missing ({lost[:3]}), {len(more)} are too many ({more[:3]})")
    chosen = jobs[:: max(1, len(jobs) // MOST)]
    with tempfile.TemporaryDirectory() as own:
        for job in chosen:
            here = folder / job["output"]
            job["output"] = str(Path(own) / here.name)
            text = json.dumps(job)
            subprocess.run([sinew, "run", "-", "--quiet"], input=text, text=True, cwd=folder, check=True)
            if Path(job["output"]).read_bytes() != here.read_bytes():
                sys.exit(f"{here}: other bytes than those of sinew run")
    print(f"  {len(jobs)} jobs, none lost, none twice; {len(chosen)} compared, all the bytes of sinew run")


if __name__ == "__main__":
    main()
