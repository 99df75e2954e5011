"""What the benchmark scripts share: the sequences, their files, and calling `sinew`."""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent


def data_folder():
    """The folder of the sequences. Where there is none, says so and ends the script without a failure."""
    folder = os.environ.get("SINEW_DATA")
    if not folder:
        print("SINEW_DATA is not set: it names a folder with one folder per sequence (rest.obj, anim.pc2).")
        sys.exit(0)
    return Path(folder)


def default_binary():
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release" / "sinew"


def skin(binary, folder, *options, output=None):
    """Skins a folder's sequence. The report, with the seconds the whole process took as `wall`."""
    return sinew(binary, "skin", folder, *options, output=output)


def sinew(binary, command, folder, *options, output=None):
    """Runs a command that makes a rig of a sequence. The report, with the seconds of the process as `wall`."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        command = [binary, command, folder / "anim.pc2", "--rest", folder / "rest.obj", "--quiet"]
        command += ["--report", report, *options]
        if output:
            command += ["-o", output]
        start = time.perf_counter()
        run = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        wall = time.perf_counter() - start
        if run.returncode:
            sys.exit(f"{' '.join(map(str, command))}\n{run.stdout.decode().strip()}")
        return {**json.loads(report.read_text()), "wall": wall}


def read_obj(path):
    """Positions (V, 3) and triangles (T, 3); larger faces become fans."""
    positions, triangles = [], []
    with open(path) as lines:
        for line in lines:
            word, *rest = line.split() or [""]
            if word == "v":
                positions.append([float(x) for x in rest[:3]])
            elif word == "f":
                corners = [int(c.split("/")[0]) for c in rest]
                corners = [c - 1 if c > 0 else len(positions) + c for c in corners]
                triangles += [[corners[0], b, c] for b, c in zip(corners[1:], corners[2:])]
    return np.array(positions), np.array(triangles)


def read_pc2(path):
    """Frames (S, V, 3)."""
    data = Path(path).read_bytes()
    magic, _, vertices, _, _, frames = struct.unpack_from("<12siiffi", data)
    if magic != b"POINTCACHE2\0":
        sys.exit(f"{path} is not a PC2 point cache")
    return np.frombuffer(data, "<f4", 3 * vertices * frames, 32).reshape(frames, vertices, 3)


def write_sequence(folder, rest, triangles, frames):
    """Writes rest.obj and anim.pc2."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "rest.obj", "w") as out:
        out.writelines(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in rest)
        out.writelines(f"f {a} {b} {c}\n" for a, b, c in triangles + 1)
    header = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, frames.shape[1], 0.0, 1.0, len(frames))
    (folder / "anim.pc2").write_bytes(header + frames.astype("<f4").tobytes())


def markdown(header, rows):
    """A table; the first column is text, the others are numbers."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def check_arguments(description):
    """The options of scripts that hold figures against bars."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sinew", type=Path, default=default_binary())
    parser.add_argument("--check", action="store_true", help="fail where a figure is beyond its bar")
    parser.add_argument("--keep", type=Path, help="leave the files here")
    return parser.parse_args()


class Bars:
    """Figures that may not be above their bars."""

    def __init__(self):
        self.over = []

    def held(self, what, value, bar):
        """The figure as text, noted down if it is above its bar."""
        if value > bar:
            self.over.append(f"FAIL {what}: {value:.3g}, the bar is {bar:.3g}")
        return f"{value:.3g}"

    def finish(self, good, check):
        """Says how it went and ends the script, with a failure if there is one and it matters."""
        print("\n".join(self.over) or f"ok   {good}")
        sys.exit(int(check and bool(self.over)))
