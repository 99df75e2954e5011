#!/usr/bin/env python3
"""Moves walks, a dance and another walk onto skeletons that Sinew finds, and looks whether they still walk.

    SINEW_DATA=FOLDER bench/walks.py [--check] [--sinew FILE] [--keep FOLDER]

Characters are baked/knight, baked/cesium-man and, where Blender's Python module is there, Geno (an FBX character)
walking as CMU's 02_03. Each is a mesh animation without joints to begin with: `sinew skeleton` finds some, and
`sinew transplant` moves three of CMU's clips onto them. Prints a row for each:

    faced     the largest angle, over all frames, between the ways from the left to the right hip of source and
              result, and likewise of the shoulders, in degrees: 180 is back to front or mirrored
    slide     how far the sole gets from where it came down while the foot stands in the source, in percent of the
              step of the character itself, mean over all times that a foot stands; and the largest of them
    unplanted the same with --plant none

Where hips and shoulders of a character are is known beforehand and not told to Sinew. With --check it fails where
something is beyond its bar. With --keep it also draws every tenth frame. Needs numpy.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import characters
from common import Bars, check_arguments, data_folder, markdown, read_obj, read_pc2
from joints import read_joints

CLIPS = ["02_01", "05_02", "07_01"]
# True joints by what they are called in truth.json or in the file: left hip, right hip, both shoulders, both feet.
NAMES = {
    "knight": ["upperleg.l", "upperleg.r", "upperarm.l", "upperarm.r", "foot.l", "foot.r"],
    "cesium-man": [
        "leg_joint_L_1",
        "leg_joint_R_1",
        "Skeleton_arm_joint_L__4_",
        "Skeleton_arm_joint_R",
        "leg_joint_L_3",
        "leg_joint_R_3",
    ],
    "geno": ["LeftUpLeg", "RightUpLeg", "LeftArm", "RightArm", "LeftFoot", "RightFoot"],
}
SOURCE = ["LeftUpLeg", "RightUpLeg", "LeftArm", "RightArm", "LeftFoot", "RightFoot"]
TOES = ["LeftToeBase", "RightToeBase"]
# Degrees beyond which left is not left any more, and percent of the step.
FACED, SLIDE = 90, 5


def read_bvh(path):
    """Names of the joints, their places (J, S, 3) and the frame rate."""
    names, parents, offsets, channels, stack, frames, time = [], [], [], [], [], [], 1
    lines = iter(Path(path).read_text().splitlines())
    for line in lines:
        word, *rest = line.split() or [""]
        if word in ("ROOT", "JOINT"):
            names.append(rest[0])
            parents.append(stack[-1] if stack else None)
            current = len(names) - 1
        elif word == "End":
            current = None
        elif word == "{":
            stack.append(current)
        elif word == "}":
            stack.pop()
        elif word == "OFFSET" and stack[-1] is not None:
            offsets.append([float(x) for x in rest])
        elif word == "CHANNELS":
            channels.append(rest[1:])
        elif word == "Frame":
            time = float(rest[-1])
            break
    frames = np.array([[float(x) for x in line.split()] for line in lines if line.strip()])
    places = np.zeros((len(names), len(frames), 3))
    turns = np.zeros((len(names), len(frames), 3, 3))
    at = 0
    for joint, own in enumerate(channels):
        shift = np.tile(np.array(offsets[joint]), (len(frames), 1))
        turn = np.tile(np.eye(3), (len(frames), 1, 1))
        for name in own:
            values = frames[:, at]
            at += 1
            axis = "XYZ".index(name[0])
            if name.endswith("position"):
                shift[:, axis] = values
            else:
                turn = turn @ rotation(axis, np.radians(values))
        parent = parents[joint]
        if parent is None:
            places[joint], turns[joint] = shift, turn
        else:
            places[joint] = places[parent] + np.einsum("sij,sj->si", turns[parent], shift)
            turns[joint] = turns[parent] @ turn
    return names, places, 1 / time


def rotation(axis, angles):
    out = np.tile(np.eye(3), (len(angles), 1, 1))
    a, b = [(1, 2), (2, 0), (0, 1)][axis]
    out[:, a, a] = out[:, b, b] = np.cos(angles)
    out[:, b, a], out[:, a, b] = np.sin(angles), -np.sin(angles)
    return out


def across_apart(ours, theirs):
    """The largest angle between two ways over the ground, in degrees."""
    ours, theirs = ours[:, [0, 2]], theirs[:, [0, 2]]
    cosine = (ours * theirs).sum(axis=1) / np.maximum(np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1), 1e-9)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


def girdle(frames, rest, way, middle):
    """A way in the rest pose as what lies around a place takes it along, frame by frame: the rigid motion of the vertices
    nearest to the middle of pelvis or chest, as skin right at a hip goes with the thigh."""
    near = np.argsort(np.linalg.norm(rest - middle, axis=1))[:150]
    before = rest[near] - rest[near].mean(axis=0)
    after = frames[:, near] - frames[:, near].mean(axis=1, keepdims=True)
    u, _, v = np.linalg.svd(np.einsum("vi,svj->sij", before, after))
    u[:, :, 2] *= np.sign(np.linalg.det(u @ v))[:, None]
    return np.einsum("sij,i->sj", u @ v, way)


def stands(ankle, toe, fps):
    """Times that a foot stands, as pairs of frames: while heel or toe is low and all but at rest."""
    still = np.zeros(len(ankle), bool)
    for point in (ankle, toe):
        speed = np.linalg.norm(np.gradient(point, axis=0), axis=1) * fps
        low = point[:, 1] - np.percentile(point[:, 1], 5) < 0.06 * np.ptp(ankle[:, 1]) + 0.15 * np.ptp(point[:, 1])
        still |= low & (speed < 0.08 * np.percentile(speed, 95))
    edges = np.flatnonzero(np.diff(np.concatenate([[0], still, [0]])))
    return [(a, b) for a, b in edges.reshape(-1, 2) if b - a >= 0.1 * fps]


class Bench:
    def __init__(self, binary, data, folder):
        self.binary, self.data, self.folder = binary, data, folder

    def call(self, *arguments):
        command = [str(a) for a in (self.binary, *arguments, "--quiet")]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode:
            sys.exit(f"{' '.join(command)}\n{run.stdout.decode().strip()}")

    def geno(self):
        """A folder with Geno, walking."""
        folder = self.folder / "geno"
        folder.mkdir(exist_ok=True)
        characters.geno(self.data, folder / "still.glb")
        self.call("transplant", self.data / "mocap/02_03.bvh", "--onto", folder / "still.glb", "--fps", "30", "-o", folder / "moves.glb")
        self.call("bake", folder / "moves.glb", "-o", folder / "anim.pc2", "--rest-out", folder / "rest.obj")
        frames = len(read_pc2(folder / "anim.pc2"))
        joints = read_joints(folder / "moves.glb", np.arange(frames) / 30)
        named = [{"name": n, "positions": p.tolist()} for n, p in zip(joints.names, joints.paths)]
        (folder / "truth.json").write_text(json.dumps({"joints": named}))
        return folder

    def walk(self, name, folder, clip, plant):
        """Angles of hips and shoulders, and slides in percent of the step, of a clip on a character."""
        rig = self.folder / f"{name}.glb"
        if not rig.exists():
            self.call("skeleton", folder / "anim.pc2", "--rest", folder / "rest.obj", "--fps", "30", "-o", rig)
        source = self.data / f"mocap/{clip}.bvh"
        moved = self.folder / f"{name}-{clip}{'' if plant == 'feet' else '-unplanted'}.glb"
        report = moved.with_suffix(".json")
        self.call("transplant", source, "--onto", rig, "-o", moved, "--plant", plant, "--report", report)
        self.call("bake", moved, "-o", moved.with_suffix(".pc2"))
        frames = read_pc2(moved.with_suffix(".pc2")).astype(float)
        names, places, fps = read_bvh(source)
        places = places[:, len(places[0]) - len(frames) :]
        own, rest, places_of = self.points(name, folder)
        middle = [frames[:, group].mean(axis=1) for group in own]
        girdles = [girdle(frames, rest, places_of[a] - places_of[b], (places_of[a] + places_of[b]) / 2) for a, b in [(0, 1), (2, 3)]]
        theirs = [places[names.index(joint)] for joint in SOURCE]
        angles = [across_apart(girdle, theirs[a] - theirs[b]) for girdle, (a, b) in zip(girdles, [(0, 1), (2, 3)])]
        slides, step = [], step_length(middle)
        for foot, (ankle, toe) in enumerate(zip(SOURCE[4:], TOES)):
            steps = stands(places[names.index(ankle)], places[names.index(toe)], fps)
            slides += self.slides(frames, own[4 + foot], rest, steps, step)
        return np.array(angles), np.array(slides)

    def points(self, name, folder):
        """Vertices at hips, shoulders and feet of a character."""
        truth = json.loads((folder / "truth.json").read_text())["joints"]
        first = {joint["name"]: np.array(joint["positions"][0]) for joint in truth}
        shape = read_pc2(folder / "anim.pc2")[0].astype(float)
        height = np.ptp(shape[:, 1])
        groups = []
        for number, joint in enumerate(NAMES[name]):
            far = np.linalg.norm(shape - first[joint], axis=1)
            if number < 4:
                groups.append(np.argsort(far)[:12])
                continue
            # What is nearer to this foot than to the other and not far above it.
            other = np.linalg.norm(shape - first[NAMES[name][9 - number]], axis=1)
            groups.append(np.flatnonzero((far < 0.15 * height) & (far < other) & (shape[:, 1] < first[joint][1] + 0.02 * height)))
        return groups, shape, [first[joint] for joint in NAMES[name]]

    def slides(self, frames, foot, rest, steps, step):
        """How far what touches the ground slides while a foot stands, in percent of the step."""
        out = []
        for begin, end in steps:
            end = min(end, len(frames))
            at = frames[begin:end, foot]
            if len(at) < 3:
                continue
            gone, farthest = np.zeros(2), 0
            for was, now in zip(at, at[1:]):
                high = was[:, 1] + now[:, 1]
                weight = np.exp(-(high - high.min()) / (0.01 * np.ptp(rest[:, 1])))
                gone += (weight[:, None] * (now - was)[:, [0, 2]]).sum(axis=0) / weight.sum()
                farthest = max(farthest, np.linalg.norm(gone))
            out.append(100 * farthest / step)
        return out


def step_length(middle):
    """From one foot to the other where they are farthest apart, mostly."""
    apart = np.linalg.norm((middle[4] - middle[5])[:, [0, 2]], axis=1)
    return np.percentile(apart, 90)


def main():
    arguments, data, bars = check_arguments(__doc__), data_folder(), Bars()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(arguments.sinew, data, folder)
        bodies = {name: data / f"baked/{name}" for name in ("knight", "cesium-man")}
        try:
            bodies["geno"] = bench.geno()
        except (ImportError, FileNotFoundError) as why:
            print(f"skip geno: {why}", file=sys.stderr)
        rows = []
        for name, body in bodies.items():
            for clip in CLIPS:
                _, unplanted = bench.walk(name, body, clip, "none")
                angles, slides = bench.walk(name, body, clip, "feet")
                what = f"{name} {clip}"
                hips, shoulders = (bars.held(f"{what}, {w}", a, FACED) for w, a in zip(("hips", "shoulders"), angles.max(axis=1)))
                mean = bars.held(f"{what}, slide", slides.mean(), SLIDE) if len(slides) else "–"
                most = f"{slides.max():.3g}" if len(slides) else "–"
                before = f"{unplanted.mean():.3g}" if len(unplanted) else "–"
                rows.append([what, hips, shoulders, mean, most, before, str(len(slides))])
                if arguments.keep:
                    frames = len(read_pc2(folder / f"{name}-{clip}.pc2"))
                    every = ",".join(map(str, range(0, frames, 10)))
                    options = ["--frame", every, "--columns", "10", "--size", "200x240", "--quiet"]
                    command = [bench.binary, "picture", folder / f"{name}-{clip}.glb", *options, "-o", folder / f"{name}-{clip}.png"]
                    subprocess.run([str(c) for c in command], check=False)
        print(markdown(["walks: onto, clip", "hips", "shoulders", "slide, %", "largest", "unplanted", "steps"], rows))
    bars.finish("walks onto skeletons that were found", arguments.check)


if __name__ == "__main__":
    main()
