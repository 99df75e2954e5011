#!/usr/bin/env python3
"""Size of packed files against those of gltfpack, at the same largest error.

    SINEW_DATA=FOLDER GLTFPACK=FILE bench/packed.py [--check] [--sinew FILE] [--keep FOLDER]

Skins horse and dance (30 and 21 bones, rank 4), packs the files with `gltfpack -cc`, and again at the frame rate of
the animation (-af 24), measures how far any vertex is off in any frame, and packs them with `sinew convert --pack`
within the same error. Prints Markdown: bytes of the rig, and for both programs bytes and largest error in percent of
the diagonal. Vertices are matched by where they are in eight frames. With --check it fails where Sinew's file is
larger or less exact than that of plain `gltfpack -cc`. Needs numpy and scipy (pip install numpy scipy), gltfpack (npm install gltfpack, whose
cli.js GLTFPACK names) and the release build (cargo build --release).
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from common import Bars, check_arguments, data_folder, markdown, read_obj, read_pc2, skin

RIGS = {"horse-gallop": 30, "dance": 21}
WAYS = {"-cc": ["-cc"], "-cc -af 24": ["-cc", "-af", "24"]}
FPS = "24"


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout.decode().strip()}")


def played(binary, rig):
    """Frames of a file, and the diagonal of its rest pose."""
    cache, rest = rig.with_suffix(".pc2"), rig.with_suffix(".obj")
    run(binary, "bake", rig, "--fps", FPS, "-o", cache, "--rest-out", rest, "--quiet")
    positions = read_obj(rest)[0]
    return read_pc2(cache), np.linalg.norm(positions.max(axis=0) - positions.min(axis=0))


CANDIDATES = 8


def largest(truth, diagonal, frames):
    """Largest distance of a vertex in percent of the diagonal. Vertices may be in another order."""
    count = min(len(truth), len(frames))
    some = np.linspace(0, count - 1, 8).astype(int)
    where = lambda all: np.concatenate([all[i] for i in some], axis=1)
    # Where much was rounded away the nearest in a few frames need not be the same vertex: of some, the nearest in all.
    partners = cKDTree(where(truth)).query(where(frames), k=CANDIDATES)[1]
    off = [np.linalg.norm(frames[:count] - truth[:count, p], axis=2).max(axis=0) for p in partners.T]
    return 100 * np.min(off, axis=0).max() / diagonal


def main():
    arguments = check_arguments(__doc__)
    data, bars, binary = data_folder(), Bars(), arguments.sinew
    gltfpack = os.environ.get("GLTFPACK")
    if not gltfpack:
        print("GLTFPACK is not set: it names gltfpack's cli.js.")
        sys.exit(0)
    rows = []
    with contextlib.ExitStack() as stack:
        folder = arguments.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        for name, bones in RIGS.items():
            rig = folder / f"{name}.glb"
            skin(binary, data / name, "--bones", str(bones), "--rank", "4", "--fps", FPS, output=rig)
            truth, diagonal = played(binary, rig)
            for way, options in WAYS.items():
                theirs, ours = folder / f"{name}-theirs.glb", folder / f"{name}-ours.glb"
                run("node", gltfpack, "-i", rig, "-o", theirs, *options)
                error = largest(truth, diagonal, played(binary, theirs)[0])
                run(binary, "convert", rig, ours, "--pack", f"--compact={error}", "--quiet")
                own = largest(truth, diagonal, played(binary, ours)[0])
                sizes = [file.stat().st_size for file in (rig, theirs, ours)]
                if way == "-cc":
                    bars.held(f"{name}: size over gltfpack's", sizes[2] / sizes[1], 1.0)
                    bars.held(f"{name}: error over gltfpack's", own / error, 1.0)
                rows.append([f"{name}, gltfpack {way}", f"{sizes[0]:,}", f"{sizes[1]:,}", f"{error:.3f}"])
                rows[-1] += [f"{sizes[2]:,}", f"{own:.3f}"]
    print(markdown(["rig", "bytes", "gltfpack", "its error", "sinew --pack", "its error"], rows))
    bars.finish("packed files", arguments.check)


main()
