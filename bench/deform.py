#!/usr/bin/env python3
"""Deforms the MakeHuman body by its skeleton, with muscle shapes as examples, and measures it.

    SINEW_DATA=FOLDER bench/deform.py [--check] [--sinew FILE] [--keep FOLDER]

Prints Markdown, three tables:

    bend      an arm and a leg bent by 120° without examples: volume lost around the bend, in percent, by
              linear blend skinning with the weights of the file and by Sinew
    bulge     an arm with one example, the muscles half grown at 60°: volume of the arm around the bend beyond
              that without the example, in percent, at 60° and 120°
    anchors   the same arm at 120° with examples kept at some of the triangles: mean and largest distance from
              the result with all of them in percent of the diagonal; bytes of examples in memory and as a share
              of all; bytes that examples add to the file

With --check it fails where a figure is beyond what it may be. With --keep it also draws the arm from nearby with
each share of anchors, with all and without examples, in this order (anchors.png), and how far each but the last
is from the one with all, in percent of the part shown (anchors-off.png). The other pictures compare bends with
linear blending. Needs numpy (pip install numpy) and the release build (cargo build --release).
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import characters
from common import Bars, check_arguments, data_folder, markdown, read_obj, read_pc2, write_sequence

MUSCLES = ["l-upperarm-muscle-incr", "l-lowerarm-muscle-incr"]
# Joint and turn, axis times degrees.
ARM = ("LeftForeArm", [0, -115, 35])
LEG = ("LeftLeg", [120, 0, 0])
ANCHORS = ["0.5%", "1%", "2%", "5%"]
# Volume lost, as a share of what linear blending loses; mean distance at 2 % of anchors, in percent of the
# diagonal; bytes at 5 % of anchors, as a share of all.
LOSS, MEAN, BYTES = 1 / 3, 0.3, 1 / 20


class Bench:
    """Calls `sinew deform` with files of one folder."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder

    def call(self, *arguments):
        """Runs a command. Its report."""
        report = self.folder / "report.json"
        command = [self.binary, "deform", *arguments, "--report", report, "--quiet"]
        run = subprocess.run([str(a) for a in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode:
            sys.exit(f"{' '.join(map(str, command))}\n{run.stdout.decode().strip()}")
        return json.loads(report.read_text())

    def setup(self, name, *options):
        """A character. Its file and what is said of it."""
        file = self.folder / f"{name}.deform"
        return file, self.call("setup", self.folder / "body.glb", *options, "-o", file)

    def turn(self, name, turn, share=1.0):
        """A file with a pose that turns one joint."""
        joint, turn = turn
        file = self.folder / f"{name}.toml"
        file.write_text(f"[turns]\n{joint} = {[share * x for x in turn]}\n")
        return file

    def triangles(self, character):
        """Triangles of the mesh, as its frames have them."""
        still = self.folder / "still"
        self.call("pose", character, "--pose", self.turn("still", ("LeftForeArm", [0, 0, 0])), "-o", still)
        return read_obj(still / "frame_0000.obj")[1]

    def draw(self, name, shapes, truth, triangles, used, *options):
        """A picture of a part of the body in several shapes, or of how far each is from another."""
        number = np.cumsum(used) - 1
        part = number[triangles[used[triangles].all(axis=1)]]
        frames = np.array([shape[used] for shape in shapes])
        folders = self.folder / f"{name}-shapes", self.folder / f"{name}-truth"
        write_sequence(folders[0], frames[0], part, frames)
        command = [self.binary, "picture", folders[0] / "anim.pc2", "--rest", folders[0] / "rest.obj"]
        command += ["--frame", ",".join(map(str, range(len(frames)))), "--columns", len(frames), *options]
        if truth is not None:
            write_sequence(folders[1], frames[0], part, np.repeat(truth[used][None], len(frames), axis=0))
            command += ["--against", folders[1] / "anim.pc2"]
        command += ["--size", "420x560", "--quiet", "-o", self.folder / f"{name}.png"]
        subprocess.run([str(a) for a in command], check=True)

    def compare(self, character, pose):
        return self.call("compare", character, "--pose", pose, "-o", self.folder / f"{character.stem}-{pose.stem}.png")

    def positions(self, character, pose):
        cache = self.folder / f"{character.stem}-{pose.stem}.pc2"
        self.call("pose", character, "--pose", pose, "-o", cache)
        return read_pc2(cache)[0].astype(float)


def main():
    arguments, data, bars = check_arguments(__doc__), data_folder(), Bars()
    held = bars.held
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        characters.human(data, folder / "body.glb", MUSCLES)
        bench = Bench(arguments.sinew, folder)
        plain, _ = bench.setup("plain")
        rows = []
        for name, turn in [("arm", ARM), ("leg", LEG)]:
            result = bench.compare(plain, bench.turn(name, turn))
            linear, own = (100 * result[way]["volume_loss"] for way in ("blended", "deformed"))
            rows.append([name, f"{linear:.1f}", held(f"volume of the {name}", own, LOSS * linear)])
        print(markdown(["bend", "linear, % lost", "Sinew, % lost"], rows))

        half, whole = bench.turn("arm60", ARM, 0.5), bench.turn("arm120", ARM)
        examples = folder / "examples.toml"
        examples.write_text(
            f'[[example]]\nname = "biceps"\nmorphs = {json.dumps(MUSCLES)}\nstrength = 0.5\npose = "{half.name}"\n'
        )
        full, all_of_it = bench.setup("full", "--examples", examples)
        rows = []
        for name, pose in [("60°", half), ("120°", whole)]:
            without, grown = (1 - bench.compare(c, pose)["deformed"]["volume_loss"] for c in (plain, full))
            rows.append([name, f"{100 * (grown / without - 1):.1f}"])
        print(markdown(["bulge", "% more volume"], rows))
        if float(rows[1][1]) <= float(rows[0][1]):
            bars.over.append("FAIL bulge: it does not grow on")

        truth = bench.positions(full, whole)
        rest = bench.positions(full, bench.turn("rest", ("LeftForeArm", [0, 0, 0])))
        diagonal, rows, shapes = np.linalg.norm(np.ptp(rest, axis=0)), [], []
        without = plain.stat().st_size
        for share in ANCHORS:
            few, said = bench.setup(f"anchors-{share[:-1]}", "--examples", examples, "--anchors", share)
            shapes.append(bench.positions(few, whole))
            off = 100 * np.linalg.norm(shapes[-1] - truth, axis=1) / diagonal
            part = said["example_bytes"] / all_of_it["example_bytes"]
            mean = held("mean distance at 2 % of anchors", off.mean(), MEAN) if share == "2%" else f"{off.mean():.3g}"
            added = few.stat().st_size - without
            if share == "5%":
                held("bytes at 5 % of anchors, as a share", part, BYTES)
                held("bytes in the file at 5 % of anchors, as a share", added / all_of_it["example_bytes"], BYTES)
            figures = [mean, f"{off.max():.3g}", str(said["example_bytes"]), f"1/{1 / part:.0f}", str(added)]
            rows.append([share, *figures])
        rows.append(["100%", "0", "0", str(all_of_it["example_bytes"]), "1", str(full.stat().st_size - without)])
        print(markdown(["anchors", "mean, %", "largest, %", "bytes", "of all", "in the file"], rows))
        if arguments.keep:
            # What moves a little is at the elbow; the trunk is further in.
            moved = np.linalg.norm(truth - rest, axis=1) / diagonal
            elbow = rest[(moved > 0.001) & (moved < 0.02)].mean(axis=0)
            near = np.linalg.norm(rest - elbow, axis=1) < 0.1 * diagonal
            near &= rest[:, 0] > elbow[0] - 0.055 * diagonal
            triangles, view = bench.triangles(plain), ["--view", "-20,15"]
            shapes += [truth]
            bench.draw("anchors-off", shapes, truth, triangles, near, *view)
            shapes += [bench.positions(plain, whole)]
            bench.draw("anchors", shapes, None, triangles, near, *view, "--color", "plain")
    bars.finish("deformation: bends, bulge, anchors", arguments.check)


if __name__ == "__main__":
    main()
