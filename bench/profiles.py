#!/usr/bin/env python3
"""Whether two builds of Sinew fit alike: the same bytes, and about the same time.

    bench/profiles.py OTHER [--binary target/release/sinew] [--repeat N] [--check]

OTHER is the build to hold against the release build, such as target/dist/sinew (cargo build --profile dist). Both skin the
built-in creature, in turn; the least time of each counts. --check fails where bytes differ, or where one takes more than a
quarter longer than the other.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import default_binary

FITS = {
    "30 bones": ["--bones", "30"],
    "rigid": ["--bones", "30", "--kind", "rigid"],
    "default": [],
}


def fit(binary, folder, options, output):
    command = [binary, "skin", folder / "anim.pc2", "--rest", folder / "rest.obj", "-o", output, "--quiet", *options]
    start = time.perf_counter()
    subprocess.run([str(c) for c in command], check=True)
    return time.perf_counter() - start, output.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--binary", type=Path, default=default_binary())
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        subprocess.run([args.binary, "sample", "creature", "--detail", "2", "-o", folder, "--quiet"], check=True)
        for name, options in FITS.items():
            runs = {args.binary: [], args.other: []}
            for _ in range(args.repeat):
                for binary in runs:
                    runs[binary].append(fit(binary, folder, options, folder / "rig.glb"))
            (ours, our_bytes), (theirs, their_bytes) = (min(r, key=lambda x: x[0]) for r in runs.values())
            same = our_bytes == their_bytes
            failed |= not same or not 0.8 <= ours / theirs <= 1.25
            print(f"{name}: {ours:.2f} and {theirs:.2f} s, ratio {ours / theirs:.2f}, {'same' if same else 'OTHER'} bytes")
    sys.exit(args.check and failed)


if __name__ == "__main__":
    main()
