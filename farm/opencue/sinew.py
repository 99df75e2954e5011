#!/usr/bin/env python3
"""Submits a list of Sinew jobs to OpenCue: a frame for each part of the list, then one for the summary.

    farm/opencue/sinew.py jobs.jsonl [--parts N] [--show SHOW] [--shot SHOT] [--sinew PROGRAM] [--print]

Needs pyoutline and pycue from OpenCue to submit; --print shows the commands of both layers without them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Dict, List


def layers(sinew: str, jobs: str, parts: int) -> Dict[str, List[str]]:
    """Commands of the layers; #IFRAME# is the frame's number, from 1."""
    # A part with jobs that failed ends with 1: it is told in the summary, and no reason to do the others again.
    part = f'cd "$(dirname "$1")" && {{ "$0" batch "$1" --shard "$2" --threads "${{CUE_THREADS:-1}}" --quiet || [ $? = 1 ]; }}'
    summary = 'cd "$(dirname "$1")" && "$0" batch "$1" --summary'
    return {
        "jobs": ["bash", "-c", part, sinew, jobs, f"#IFRAME#/{parts}"],
        "summary": ["bash", "-c", summary, sinew, jobs],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("jobs", type=Path, help="the list, one job a line")
    parser.add_argument("--parts", type=int, default=64, help="so many frames")
    parser.add_argument("--show", default="testing", help="the show")
    parser.add_argument("--shot", default="sinew", help="the shot")
    parser.add_argument("--sinew", default="sinew", help="the program on the hosts")
    parser.add_argument("--print", action="store_true", dest="only_print", help="submit nothing")
    args = parser.parse_args()
    commands = layers(args.sinew, str(args.jobs.resolve()), args.parts)
    if args.only_print:
        for name, command in commands.items():
            print(name, *command, sep="\t")
        return 0

    import outline
    import outline.cuerun
    from outline.modules.shell import Shell

    job = outline.Outline(f"sinew_{args.jobs.stem}", shot=args.shot, show=args.show)
    jobs = Shell("jobs", command=commands["jobs"], chunk=1, threads=1, range=f"1-{args.parts}")
    summary = Shell("summary", command=commands["summary"], range="1-1")
    summary.depend_all(jobs)
    job.add_layer(jobs)
    job.add_layer(summary)
    outline.cuerun.launch(job, use_pycuerun=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
