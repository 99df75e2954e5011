#!/usr/bin/env python3
"""Runs a list of Sinew jobs on a Ray cluster: a task for each part of the list.

    farm/ray/sinew_ray.py jobs.jsonl [--parts N] [--address ADDRESS] [--sinew PROGRAM] [--memory BYTES]

What the workers need is the program and the folder of the list, under the same path. A task that dies is tried again and does
what is left, as one does whose program is killed; so does the next run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

import ray

#: A task whose node or process dies is tried so many times again.
RETRIES = 5


class Killed(RuntimeError):
    """The program was killed from outside, perhaps for want of memory: the task is tried again."""


def part(sinew: str, jobs: str, number: int, parts: int, memory: Optional[int]) -> Dict[str, Any]:
    """Does one part, on the worker. Gives what became of it."""
    options: List[str] = ["--memory", str(memory)] if memory else []
    command = [sinew, "batch", jobs, "--shard", f"{number}/{parts}", "--threads", "1", "--report", "-", "--quiet", *options]
    done = subprocess.run(command, cwd=Path(jobs).parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # With 1, some jobs failed; the summary says which. Other ends are of the part.
    if done.returncode < 0:
        raise Killed(f"part {number} was ended by signal {-done.returncode}")
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.strip() or f"part {number} ended with {done.returncode}")
    told: Dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("jobs", type=Path, help="the list, one job a line")
    parser.add_argument("--parts", type=int, default=64, help="so many tasks")
    parser.add_argument("--address", help="of the cluster; without, the one that is set up, or this machine")
    parser.add_argument("--sinew", default="sinew", help="the program on the workers")
    parser.add_argument("--memory", type=int, help="bytes of a task")
    args = parser.parse_args()
    jobs = str(args.jobs.resolve())
    ray.init(address=args.address, log_to_driver=False, logging_level="warning")
    task = ray.remote(num_cpus=1, max_retries=RETRIES, retry_exceptions=[Killed], memory=args.memory)(part)
    waiting = [task.remote(args.sinew, jobs, i + 1, args.parts, args.memory) for i in range(args.parts)]
    sums = {"done": 0, "kept": 0, "failed": 0}
    while waiting:
        [ready], waiting = ray.wait(waiting, num_returns=1)
        told = ray.get(ready)
        sums = {name: count + told[name] for name, count in sums.items()}
    print(", ".join(f"{count} {name}" for name, count in sums.items()))
    return subprocess.run([args.sinew, "batch", jobs, "--summary", "--quiet"], cwd=Path(jobs).parent).returncode


if __name__ == "__main__":
    sys.exit(main())
