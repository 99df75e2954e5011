#!/usr/bin/env python3
"""How time, memory and the page of a batch grow with the number of its jobs.

    farm/growth.py SINEW [--jobs N...] [--lists] [--folder FOLDER]

For each number: seconds and milliseconds of the processor a job, the most memory of the process that keeps the list and of any
that does jobs, what looking through the list takes once it is done, and how long its page takes to open, to be sorted and to be
searched in Chromium (page.mjs, where npm's playwright-core is: clients/run.sh --install). With --lists nothing is run: what a list
of so many jobs takes alone, to be read, checked and summed up, as every part of it begins.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import HERE, batch, cores, make_jobs


def page(path: Path) -> str:
    """What Chromium takes for the page."""
    modules = Path(os.environ.get("CLIENT_TOOLS", Path.home() / ".cache/sinew-clients")) / "node_modules"
    if not (modules / "playwright-core").exists():
        return "no playwright-core"
    environment = {**os.environ, "NODE_PATH": str(modules)}
    command = ["node", str(HERE / "page.mjs"), str(path)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def lists(sinew: str, folder: Path, count: int) -> None:
    """What a list takes of which nothing is done."""
    folder.mkdir(parents=True)
    with (folder / "jobs.jsonl").open("w") as out:
        for i in range(count):
            source = {"inputs": [f"in/{i:07}.pc2"], "rest": f"rest-{i % 7}.obj"}
            job = {"job": "skin", "source": source, "fit": {"bones": 8}, "output": f"out/{i:07}.glb"}
            out.write(json.dumps(job) + "\n")
    run = batch(sinew, folder, "--summary", fails=True)
    sizes = [path.stat().st_size / 1e6 for path in [folder / "jobs.jsonl", *sorted((folder / "jobs.batch").glob("*.*"))]]
    print(f"list of {count}: {run.seconds:.2f} s, {run.used:.2f} of the processor, {run.keeper / 1e6:.0f} MB; ", end="")
    print(f"list, summary and page of {', '.join(f'{size:.1f}' for size in sizes)} MB", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sinew", help="the command")
    parser.add_argument("--jobs", type=int, nargs="+", default=[100, 1000, 10000], help="so many jobs")
    parser.add_argument("--lists", action="store_true", help="run nothing")
    parser.add_argument("--folder", type=Path, help="where to work; without, a folder that goes away")
    args = parser.parse_args()
    sinew = str(Path(args.sinew).resolve())
    around = (args.folder or Path(tempfile.mkdtemp(prefix="sinew-growth-"))).resolve()
    for count in args.jobs:
        folder = around / str(count)
        if args.lists:
            lists(sinew, folder, count)
            shutil.rmtree(folder)
            continue
        make_jobs(sinew, folder, count)
        run = batch(sinew, folder)
        again = batch(sinew, folder)
        busy = 100 * run.used / run.seconds / cores()
        summary = folder / "jobs.batch/index.html"
        print(f"{count} jobs: {run.seconds:.1f} s, {1e3 * run.used / count:.1f} ms of the processor a job, {busy:.0f} % busy; ", end="")
        print(f"{run.keeper / 1e6:.0f} MB kept the list, {run.worker / 1e6:.0f} MB did jobs; ", end="")
        print(f"again {again.seconds:.2f} s; page {summary.stat().st_size / 1e6:.2f} MB: {page(summary)}", flush=True)
        shutil.rmtree(folder)
    if not args.folder:
        shutil.rmtree(around)
    return 0


if __name__ == "__main__":
    sys.exit(main())
