#!/usr/bin/env python3
"""A large batch whose processes are killed at random, held against a plain run.

    farm/scale.py SINEW [--jobs N] [--kills N] [--folder FOLDER]

Makes N small jobs (jobs.py; of the sequences in SINEW_DATA where that is set), runs them once as they are, then again into another
place while `sinew batch` or one of the processes that it started is killed (kill -9), one every few tenths of a second, and goes on
until all are done. Says jobs a second, the share of the cores' time that was spent working, what looking through a list that is
done takes, and whether all bytes are the same.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, Tuple

HERE = Path(__file__).resolve().parent


def children(process: int) -> List[int]:
    """Processes that a process started."""
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except OSError:
            pass
    return found


def batch(sinew: str, folder: Path, *more: str) -> Tuple[Dict[str, float], float, float]:
    """A whole run: its summary, seconds, and seconds of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    done = subprocess.run([sinew, "batch", "jobs.jsonl", "--report", "-", "--quiet", *more], cwd=folder, capture_output=True)
    seconds = time.monotonic() - begun
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout.splitlines()[-1]), seconds, used


def under_fire(sinew: str, folder: Path, kills: int) -> Tuple[int, int]:
    """Runs until all is done, killing meanwhile. Gives how often it was killed and how often it was begun."""
    chance = random.Random(1)
    killed = runs = 0
    while True:
        runs += 1
        quiet = subprocess.DEVNULL
        running = subprocess.Popen([sinew, "batch", "jobs.jsonl", "--quiet"], cwd=folder, stdout=quiet, stderr=quiet)
        while running.poll() is None:
            time.sleep(chance.uniform(0.05, 0.4))
            if killed >= kills:
                continue
            workers = children(running.pid)
            # Mostly what does the jobs, now and then what keeps the list.
            target = chance.choice(workers) if workers and chance.random() < 0.8 else running.pid
            try:
                os.kill(target, signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
        if running.wait() == 0:
            return killed, runs


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sinew", help="the command")
    parser.add_argument("--jobs", type=int, default=300, help="so many jobs")
    parser.add_argument("--kills", type=int, default=100, help="so many kills")
    parser.add_argument("--folder", type=Path, help="where to work; without, a folder that goes away")
    args = parser.parse_args()
    sinew = str(Path(args.sinew).resolve())
    folder = args.folder or Path(tempfile.mkdtemp(prefix="sinew-scale-"))
    subprocess.run([str(HERE / "jobs.py"), sinew, str(folder), str(args.jobs)], check=True)
    cores = len(os.sched_getaffinity(0))

    plain, seconds, used = batch(sinew, folder)
    rate, busy = args.jobs / seconds, 100 * used / seconds / cores
    print(f"plain: {args.jobs} jobs in {seconds:.1f} s, {rate:.1f} a second; processor {busy:.0f} % of {cores} cores, jobs {100 * plain['busy']:.0f} %")
    again, seconds, used = batch(sinew, folder)
    print(f"again: {again['kept']} kept in {seconds:.2f} s")
    expected = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
    page = (folder / "jobs.batch" / "index.html").stat().st_size
    print(f"summary: page of {page / 1e6:.2f} MB; most memory of a process {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3:.0f} MB")
    shutil.rmtree(folder / "out")
    shutil.rmtree(folder / "jobs.batch")

    killed, runs = under_fire(sinew, folder, args.kills)
    print(f"under fire: killed {killed} times, begun {runs} times")
    found = {path.name: path.read_bytes() for path in (folder / "out").iterdir() if not path.name.startswith(".")}
    lost, more = expected.keys() - found.keys(), found.keys() - expected.keys()
    other = [name for name in expected.keys() & found.keys() if expected[name] != found[name]]
    print(f"lost {len(lost)}, more {len(more)}, other bytes {len(other)} of {len(expected)}")
    if not args.folder:
        shutil.rmtree(folder)
    return 1 if lost or more or other or len(expected) != args.jobs else 0


if __name__ == "__main__":
    sys.exit(main())
