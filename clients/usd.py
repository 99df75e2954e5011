#!/usr/bin/env python3
"""Compares USD files with what OpenUSD and Blender make of them.

    usd.py SINEW RIG.glb [RIG2.glb ...]

Each rig is written as .usda and .usdz and as a point cache, read back by Sinew, by OpenUSD, whose
UsdSkel.BakeSkinning is the judge, and by Blender's importer, and every vertex of every frame tried is compared with
the rig as its GLB file plays. Fails above 0.1 percent of the diagonal.

With SINEW_DATA set, files of others are read: the UsdSkel examples of its formats/usdskel-golden have to be within
1e-5 of what OpenUSD baked of them, and the characters that Blender wrote within 1e-4 of the diagonal of their GLB
files played at the same times.

One line per check. Needs usd-core, bpy 4.5.4 and numpy, on Python 3.11.
"""

import os
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np
from pxr import Usd, UsdGeom, UsdSkel

from common import LARGEST, Checks, diagonal, empty_scene, farthest, mesh_objects, read_pc2, shown, sinew, some_frames

NORMALS = "blendshapesWithNormals"
GOLDEN = ["lbs", "dqs", "blendshapes", NORMALS]
# Written by Blender at 24 frames a second: file, its GLB, the clip, and frames that are compared. Between the fox's
# keys at frames 16 and 20.8 Blender turned joints by another rule than glTF's, so those frames hold other poses.
CHARACTERS = {
    "CesiumMan.usdc": ("CesiumMan.glb", "", range(49)),
    "Fox_Run.usdc": ("Fox.glb", "Run", [*range(17), *range(21, 28)]),
}

def play(binary, path, *options):
    """Poses of a USD or GLB file as Sinew plays them."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "played.pc2"
        sinew(binary, "convert", path, out, *options)
        return read_pc2(out)


def in_openusd(path, frames, bake=True):
    """World positions of all meshes as OpenUSD has them, y up."""
    stage = Usd.Stage.Open(str(path))
    if bake:
        UsdSkel.BakeSkinning(stage.Traverse())
    z_up = UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z
    poses = []
    for frame in range(frames):
        time = stage.GetStartTimeCode() + frame
        pose = []
        for prim in stage.Traverse():
            if not prim.IsA(UsdGeom.Mesh):
                continue
            points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(time), dtype=float)
            world = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(time))
            pose.append((np.c_[points, np.ones(len(points))] @ world)[:, :3])
        pose = np.concatenate(pose)
        poses.append(np.c_[pose[:, 0], pose[:, 2], -pose[:, 1]] if z_up else pose)
    return np.array(poses)


def normals_in_openusd(path, frames, bake=True):
    """Unit normals at the vertices of the only mesh, as OpenUSD has them."""
    stage = Usd.Stage.Open(str(path))
    if bake:
        UsdSkel.BakeSkinning(stage.Traverse())
    [mesh] = [UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    times = [stage.GetStartTimeCode() + frame for frame in range(frames)]
    normals = np.array([mesh.GetNormalsAttr().Get(time) for time in times], dtype=float)
    return normals / np.linalg.norm(normals, axis=2, keepdims=True)


def in_blender(path, frames):
    """The same of some frames, as Blender shows them."""
    empty_scene()
    bpy.ops.wm.usd_import(filepath=str(path))
    # Blender sorts objects by name.
    stage = Usd.Stage.Open(str(path))
    names = [prim.GetName() for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    objects = sorted(mesh_objects(), key=lambda o: names.index(o.name))
    return np.array([shown(objects, frame) for frame in frames])


def check_written(checks, binary, rig, folder):
    wanted = play(binary, rig)
    name, frames = Path(rig).stem, some_frames(len(wanted), 12)
    cache, rest = Path(folder) / f"{name}.pc2", Path(folder) / f"{name}.obj"
    sinew(binary, "convert", rig, cache, "--rest-out", rest)
    for end, how in [("usda", "rig"), ("usdz", "rig"), ("usdz", "cache")]:
        path = Path(folder) / f"{name}-{how}.{end}"
        sinew(binary, "convert", *([rig, path] if how == "rig" else [cache, path, "--rest", rest]))
        baked = in_openusd(path, len(wanted), how == "rig")
        checks.within(f"{path.name} in Sinew", 100 * farthest(play(binary, path), wanted), LARGEST, "%")
        checks.within(f"{path.name} in OpenUSD", 100 * farthest(baked, wanted), LARGEST, "%")
        seen = in_blender(path, frames)
        checks.within(f"{path.name} in Blender", 100 * farthest(seen, wanted[frames]), LARGEST, "%")


def check_read(checks, binary, data):
    folder = data / "formats" / "usdskel-golden"
    for name in GOLDEN:
        ours = play(binary, folder / f"{name}.usda")
        wanted = in_openusd(folder / f"{name}.baked.usda", len(ours), bake=False)
        checks.within(f"{name}.usda", np.abs(ours - wanted).max(), 1e-5, "units")
    with tempfile.TemporaryDirectory() as scratch:
        # Played poses have no normals, but a rig that is written again has.
        again = Path(scratch) / "again.usda"
        sinew(binary, "convert", folder / f"{NORMALS}.usda", again)
        frames = len(play(binary, again))
        wanted = normals_in_openusd(folder / f"{NORMALS}.baked.usda", frames, bake=False)
        off = np.abs(normals_in_openusd(again, frames) - wanted).max()
        checks.within(f"{NORMALS}.usda written again, normals in OpenUSD", off, 1e-5, "")
    for name, (glb, clip, frames) in CHARACTERS.items():
        ours = play(binary, data / "formats" / name)
        wanted = play(binary, data / "rigs" / glb, *(["--clip", clip] if clip else []), "--fps", "24")
        baked = in_openusd(data / "formats" / name, len(ours))
        title = f"{name} in OpenUSD, all {len(ours)} frames"
        checks.within(title, farthest(ours, baked), 1e-4, "of the diagonal")
        left_out = sorted(set(range(len(ours))) - set(frames))
        if left_out:
            print(f"skip {name} against {glb}: frames {left_out} hold other poses, see CHARACTERS")
        ours, wanted = ours[frames], wanted[[f for f in frames if f < len(wanted)]]
        checks.within(name, nearest(ours, wanted) / diagonal(ours[0]), 1e-4, "of the diagonal")


def nearest(ours, wanted):
    """Largest distance from a vertex of one to the same point of the other: a GLB file may have its vertices in
    another order or welded, so those that are together in the first pose are taken."""
    frames = min(len(ours), len(wanted))
    if ours.shape[1] == wanted.shape[1]:
        return np.linalg.norm(ours[:frames] - wanted[:frames], axis=2).max()
    worst = 0.0
    for vertex in range(ours.shape[1]):
        off = np.linalg.norm(wanted[:frames] - ours[:frames, vertex : vertex + 1], axis=2).max(0)
        worst = max(worst, off.min())
    return worst


def main():
    binary, *rigs = sys.argv[1:]
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        for rig in rigs:
            check_written(checks, binary, rig, folder)
    if os.environ.get("SINEW_DATA"):
        check_read(checks, binary, Path(os.environ["SINEW_DATA"]))
    sys.exit(checks.failed)


if __name__ == "__main__":
    main()
