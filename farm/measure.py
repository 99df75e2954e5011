"""What farm scripts have in common: running the command and watching what it takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional

HERE = Path(__file__).resolve().parent
#: How often processes are looked at, in seconds.
LOOK = 0.05


@dataclass
class Run:
    """A run of the command that has ended."""

    #: What it reports.
    told: Dict[str, Any]
    seconds: float
    #: Seconds of the processor, of it and of all that it started.
    used: float
    #: The most bytes that it held itself, that any one process held which it started, and that all held at once.
    keeper: int
    worker: int
    together: int


def make_jobs(sinew: str, folder: Path, count: int, vertices: int = 1500) -> None:
    """Makes a list of small jobs, FOLDER/jobs.jsonl."""
    subprocess.run([str(HERE / "jobs.py"), sinew, str(folder), str(count), str(vertices)], check=True)


def children(process: int) -> List[int]:
    """Processes that a process started."""
    found: List[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except OSError:
            pass
    return found


def most_held(process: int) -> int:
    """The most bytes that a process ever held."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def batch(sinew: str, folder: Path, *more: str, jobs: str = "jobs.jsonl", fails: bool = False) -> Run:
    """Runs the list to its end; ends the script where that fails, unless it may."""
    command = [sinew, "batch", jobs, "--report", "-", "--quiet", *more]
    begun = time.monotonic()
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    most = [0, 0, 0]

    def watch() -> None:
        while not ended.wait(LOOK):
            most[0] = max(most[0], most_held(running.pid))
            most[1] = max([most[1], *map(most_held, children(running.pid))])
            most[2] = max(most[2], held(running.pid))

    # What it says may be more than a pipe holds: both are read while it is watched.
    said: Dict[str, bytes] = {}
    ended = threading.Event()
    threads = [threading.Thread(target=watch), threading.Thread(target=lambda: said.update(error=running.stderr.read()))]
    for thread in threads:
        thread.start()
    out = running.stdout.read()
    _, status, usage = os.wait4(running.pid, 0)
    seconds = time.monotonic() - begun
    ended.set()
    for thread in threads:
        thread.join()
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode != 0 and not fails:
        sys.exit(said["error"].decode())
    told = json.loads(out.splitlines()[-1])
    return Run(told, seconds, usage.ru_utime + usage.ru_stime, *most)


def cores() -> int:
    """How many processors there are for this script."""
    return len(os.sched_getaffinity(0))


def held(process: int) -> int:
    """The bytes that a process and those that it started hold now."""
    total = 0
    for one in [process, *children(process)]:
        try:
            lines = Path(f"/proc/{one}/status").read_text().splitlines()
        except OSError:
            continue
        total += next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), 0)
    return total


def tool(name: str) -> Optional[str]:
    """A program of Python packages, as `farm/test.sh --install` installs them or as it is in the path."""
    own = Path.home() / ".cache/sinew-farm/python/bin" / name
    return str(own) if own.exists() else None
