#!/usr/bin/env python3
"""A large batch on an engine, whose processes are killed at random, held against a plain run.

    farm/scale.py SINEW [--engine sinew|openjd|slurm|ray ...] [--jobs N] [--vertices N] [--parts N] [--kills N]
                  [--folder FOLDER]

Makes N small jobs (jobs.py; of the sequences in SINEW_DATA where that is set) and runs them once by `sinew batch`. Then each engine
does them anew while processes are killed (kill -9): those that do jobs, those that keep a part of the list, and the
engine's own around them. What the engine does not try again itself is submitted again, until all is done. Says jobs a second,
the share of the cores' time that was spent working, what the engine takes for a list that is done, and whether all bytes are the
same. Slurm wants a cluster: farm/slurm/cluster.sh farm/scale.py SINEW --engine slurm.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, Tuple

from measure import HERE, batch, cores, make_jobs, tool

ENGINES = ["sinew", "openjd", "slurm", "ray"]
#: Which of those that may be killed: mostly what does jobs, then what keeps the list, now and then the engine's own process.
CHANCES = [0.7, 0.2, 0.1]


def submission(engine: str, sinew: str, folder: Path, parts: int) -> List[str]:
    """The command that has the list done."""
    jobs = str(folder / "jobs.jsonl")
    if engine == "openjd":
        # One task after the other is what openjd-cli does, so that each has all cores.
        options = [f"List={jobs}", f"Parts={parts}", f"Threads={cores()}", f"Sinew={sinew}"]
        pairs = [word for option in options for word in ("-p", option)]
        return [tool("openjd") or "openjd", "run", str(HERE / "openjd/sinew.yaml"), "--step", "Jobs", *pairs]
    if engine == "slurm":
        # sbatch --wait looks only every ten seconds.
        script = f'sbatch --array=1-{parts} --output=/dev/null "$@" && while [ -n "$(squeue -h)" ]; do sleep 0.1; done'
        return ["bash", "-c", script, "slurm", str(HERE / "slurm/sinew.sbatch"), jobs]
    if engine == "ray":
        return [tool("python") or sys.executable, str(HERE / "ray/sinew_ray.py"), jobs, "--parts", str(parts), "--sinew", sinew]
    return [sinew, "batch", jobs, "--quiet"]


def submit(command: List[str], sinew: str, folder: Path) -> "subprocess.Popen[bytes]":
    """Begins a submission, as somebody would from the folder of the list."""
    quiet, environment = subprocess.DEVNULL, {**os.environ, "SINEW": sinew, "RAY_USAGE_STATS_ENABLED": "0"}
    return subprocess.Popen(command, cwd=folder, stdout=quiet, stderr=quiet, env=environment)


def processes(sinew: str, folder: Path) -> Dict[int, Tuple[List[str], int]]:
    """Processes of the program in a folder: their arguments and who started them."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(place / "exe") == sinew and os.readlink(place / "cwd") == str(folder):
                arguments = (place / "cmdline").read_text().split("\0")
                found[int(place.name)] = (arguments, int((place / "stat").read_text().rsplit(")", 1)[1].split()[1]))
        except OSError:
            pass
    return found


def may_go(process: int) -> bool:
    """Whether a process that started the program is the engine's for one part, rather than one that has all of them."""
    try:
        name = Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return False
    # Without its slurmstepd, a part of Slurm's has neither ended nor gone on until a timeout of the whole node.
    return process not in (1, os.getpid()) and name != "slurmstepd"


def target(chance: random.Random, sinew: str, folder: Path) -> int:
    """A process to kill; 0 where there is none."""
    found = processes(sinew, folder)
    workers = [pid for pid, (arguments, _) in found.items() if "--worker" in arguments]
    keepers = [pid for pid in found if pid not in workers]
    around = [parent for pid, (_, parent) in found.items() if pid in keepers and may_go(parent)]
    [kind] = chance.choices([workers, keepers, around], CHANCES)
    return chance.choice(kind or keepers or [0])


def under_fire(command: List[str], sinew: str, folder: Path, kills: int, apart: float) -> Tuple[int, int]:
    """Has all done, killing meanwhile, some seconds apart. Gives how often it killed and how often it submitted."""
    chance = random.Random(1)
    killed = runs = 0
    while True:
        runs += 1
        running = submit(command, sinew, folder)
        while running.poll() is None:
            time.sleep(chance.uniform(0.2, 1.8) * apart)
            victim = target(chance, sinew, folder) if killed < kills else 0
            if victim:
                try:
                    os.kill(victim, signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
        told = batch(sinew, folder, "--summary", fails=True).told
        if told["waiting"] + told["failed"] == 0:
            return killed, runs


def digests(folder: Path) -> Dict[str, str]:
    """What was written, without what those that were killed left behind half done."""
    files = [path for path in (folder / "out").iterdir() if not path.name.startswith(".")]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def try_engine(
    engine: str, sinew: str, folder: Path, args: argparse.Namespace, apart: float, expected: Dict[str, str]
) -> bool:
    """Has an engine do the list, killing some seconds apart, and then again. Whether what it wrote is what is expected."""
    command = submission(engine, sinew, folder, args.parts)
    begun = time.monotonic()
    killed, runs = under_fire(command, sinew, folder, args.kills, apart)
    print(f"{engine}: done in {time.monotonic() - begun:.1f} s, killed {killed} times, submitted {runs} times; ", end="")
    found = digests(folder)
    lost, more = expected.keys() - found.keys(), found.keys() - expected.keys()
    other = [name for name in expected.keys() & found.keys() if expected[name] != found[name]]
    print(f"lost {len(lost)}, more {len(more)}, other bytes {len(other)} of {len(expected)}; ", end="", flush=True)

    begun = time.monotonic()
    submit(command, sinew, folder).wait()
    again = time.monotonic() - begun
    if engine == "sinew":
        print(f"again {again:.2f} s", flush=True)
    else:
        alone = batch(sinew, folder, "--shard", f"1/{args.parts}").seconds
        print(f"again {again:.1f} s, {again / args.parts:.2f} a part, of which {alone:.2f} are the program's", flush=True)
    return not (lost or more or other)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sinew", help="the command")
    parser.add_argument("--engine", choices=ENGINES, nargs="+", default=ENGINES[:1], help="what does the jobs")
    parser.add_argument("--jobs", type=int, default=300, help="so many jobs")
    parser.add_argument("--vertices", type=int, default=1500, help="so many vertices a job at most")
    parser.add_argument("--parts", type=int, default=32, help="so many parts, for engines")
    parser.add_argument("--kills", type=int, default=100, help="so many kills at least")
    parser.add_argument("--folder", type=Path, help="where to work; without, a folder that goes away")
    args = parser.parse_args()
    sinew = str(Path(args.sinew).resolve())
    folder = (args.folder or Path(tempfile.mkdtemp(prefix="sinew-scale-"))).resolve()
    make_jobs(sinew, folder, args.jobs, args.vertices)

    plain = batch(sinew, folder)
    busy = 100 * plain.used / plain.seconds / cores()
    print(f"plain: {args.jobs} jobs in {plain.seconds:.1f} s, {args.jobs / plain.seconds:.1f} a second; ", end="")
    print(f"processor {busy:.0f} % of {cores()} cores, {1e3 * plain.used / args.jobs:.1f} ms a job", flush=True)
    expected = digests(folder)
    # Close enough that there is time for all of them, were nothing else on the machine.
    apart = 0.7 * plain.used / cores() / max(args.kills, 1)
    whole = len(expected) == args.jobs
    for engine in args.engine:
        shutil.rmtree(folder / "out")
        shutil.rmtree(folder / "jobs.batch")
        whole &= try_engine(engine, sinew, folder, args, apart, expected)
    if not args.folder:
        shutil.rmtree(folder)
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
