#!/usr/bin/env python3
"""Flesh learnt from one motion of a body and given to another.

    SINEW_DATA=FOLDER bench/flesh.py [--check] [--sinew FILE] [--keep FOLDER]

Each folder of SINEW_DATA/flesh holds a motion of one body with simulated flesh (`anim.pc2`) and without (`primary.pc2`).
`sinew learn` learns from each, and `sinew deform pose --primary` predicts the others from their motion without. Prints a row for
each pair: what is left of the motion of the flesh, |predicted - anim| / |primary - anim|, and the seconds of both.

With --check it fails where more than 0.6 is left. Needs numpy.
"""

import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from common import Bars, check_arguments, data_folder, markdown, read_pc2

# A share of the motion of the flesh.
MOST_LEFT = 0.6


def timed(*command):
    """Runs a command; gives its seconds."""
    begun = time.monotonic()
    subprocess.run([str(word) for word in command], check=True)
    return time.monotonic() - begun


def main():
    args = check_arguments(__doc__)
    bodies = sorted(path.parent for path in (data_folder() / "flesh").glob("*/primary.pc2"))
    bars, rows = Bars(), []
    with tempfile.TemporaryDirectory() as own:
        folder = Path(args.keep or own)
        folder.mkdir(parents=True, exist_ok=True)
        for body in bodies:
            learnt = folder / f"{body.name}.deform"
            learning = timed(
                args.sinew, "learn", body / "anim.pc2", "--primary", body / "primary.pc2",
                "--rest", body / "rest.obj", "-o", learnt, "--quiet",
            )
            for other in bodies:
                # Another motion of the same body, or none at all.
                if other == body or read_pc2(other / "anim.pc2").shape[1] != read_pc2(body / "anim.pc2").shape[1]:
                    continue
                predicted = folder / f"{body.name}-on-{other.name}.pc2"
                moving = timed(
                    args.sinew, "deform", "pose", learnt, "--primary", other / "primary.pc2", "-o", predicted, "--quiet",
                )
                anim, primary = read_pc2(other / "anim.pc2"), read_pc2(other / "primary.pc2")
                left = np.linalg.norm(read_pc2(predicted) - anim) / np.linalg.norm(primary - anim)
                told = bars.held(f"{body.name} on {other.name}", left, MOST_LEFT)
                rows.append([body.name, other.name, told, f"{learning:.1f}", f"{moving:.2f}"])
    print(markdown(["learnt from", "given to", "left", "seconds to learn", "to move"], rows))
    bars.finish("flesh that was learnt from one motion moves with another", args.check)


if __name__ == "__main__":
    main()
