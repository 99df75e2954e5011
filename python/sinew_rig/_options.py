"""The keywords of jobs, as types. Written by generate.py from the schemas of the jobs: change those."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, Sequence, TypedDict, Union

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._rig import Rig

#: A text, the path of a file, or a rig or shape in memory where a file is meant that is read.
Text = Union[str, "os.PathLike[str]", "Rig", "npt.NDArray[Any]"]


class OpenOptions(TypedDict, total=False):
    """How files are opened."""

    #: Clips of a file that holds several, by name or number; "all" for all, the first that moves without any.
    clips: Sequence[Text]
    #: Frames per second of inputs that do not say.
    fps: Union[float, None]
    #: The mesh that goes with a point cache: faces, UVs, materials and a pose.
    rest: Union[Text, None]
    #: Scales that mesh first, when it is in other units than the animation.
    rest_scale: Union[float, None]
    #: Makes everything this many times as large.
    scale: Union[float, None]
    #: How long a unit of the inputs is, where that is not what they say: "m", "cm", "mm", "in", "ft", "km" or a number of metres.
    unit: Union[float, Text, None]
    #: Which axis of the inputs is up, where that is not what they say; y is up in what is made of them.
    up: Union[Literal["x", "y", "z"], None]


class FitGoalError(TypedDict, total=False):
    """The smallest file with at most this error, in percent of the motion."""

    error: float


class FitGoalLargest(TypedDict, total=False):
    """The smallest file in which no vertex is ever off by more than this: "0.5%" of the diagonal, "0.5mm" and the like, or a number in units of the source."""

    largest: Union[int, Text]


class FitGoalBytes(TypedDict, total=False):
    """The file with the least error of at most so many bytes."""

    bytes: int


class SkinOptions(TypedDict, total=False):
    """Keywords of the job "skin"."""

    #: Exactly so many bones; without, as many as the animation needs, and 30 with "sad", "fesam" and "pps".
    bones: Union[int, None]
    #: Takes bones and their motion from this rig and solves only weights and corrections; for "best" and "sma".
    bones_from: Union[Text, None]
    #: Clips of a file that holds several, by name or number; "all" for all, the first that moves without any.
    clips: Sequence[Text]
    #: Shapes that count as one more together, such as "smile+jaw_open".
    combine: Sequence[Text]
    #: Stores less, with no vertex off by more than this many percent of the mesh's diagonal.
    compact: Union[float, None]
    #: Which triangles "sma" fits bones to.
    core: Union[Literal["modes", "refined"], None]
    #: How long to look for the least error; for "best".
    effort: Union[Literal["quick", "normal", "best"], None]
    #: Rotation tolerance of "sma": smaller finds more bones, down to where hardly any triangles move alike.
    epsilon: Union[float, None]
    #: Frames per second of inputs that do not say.
    fps: Union[float, None]
    #: What is wanted instead of a number of bones; for "best".
    goal: Union[FitGoalError, FitGoalLargest, FitGoalBytes, None]
    #: How much each vertex counts, relative to each other: a text file with a number for each, a PNG picture that is laid over the UVs, or the name of a colour or another attribute of the mesh; for "best".
    importance: Union[Text, None]
    #: The most influences on a vertex, usually 4, which every engine keeps; some keep 8 or more.
    influences: Union[int, None]
    #: Leaves the rest pose as it is, instead of moving each vertex to where the bones serve it best; for "best".
    keep_rest: bool
    #: Rigid bones turn and shift, flexible ones stretch and shear too; without, flexible, or as `start_rig` has them.
    kind: Union[Literal["rigid", "flexible"], None]
    #: Bones of that rig that keep their motion, by name or number.
    lock_bones: Sequence[Text]
    #: Vertices that keep the weights and rest position of that rig: a text file with numbers from 0 and ranges such as 10-20, separated by spaces, commas or lines; # begins a comment.
    lock_vertices: Union[Text, None]
    #: The working set in bytes, usually 2,000,000,000: of animations whose frames take more, the rig is learnt from as many frames as fit, evenly over all, and then taken through all; memory stays below twice this and 64 MB.
    memory: Union[int, None]
    #: How bones and weights are found; without, "best", or "sma" where a field is given that only that method knows.
    method: Union[Literal["best", "sma", "sad", "fesam", "pps"], None]
    #: Lets "nnls" weights of "sma" fall to minus this.
    min_weight: Union[float, None]
    #: What is to be small: the mean error (2), larger ones more than others (up to 12), or the largest ("max"); for "best".
    norm: Union[int, Text, None]
    #: The rig: a file of any format that holds one.
    output: Union[Text, None]
    #: Draws what was tried for a goal, error against size: a PNG file.
    plot: Union[Text, None]
    #: Number of correction shapes, stored as morph targets; usually none.
    rank: Union[int, None]
    #: The report, for programs.
    report: Union[Text, None]
    #: The mesh that goes with a point cache: faces, UVs, materials and a pose.
    rest: Union[Text, None]
    #: The pose that bones deform: "file" is the given mesh, "first" the first frame, a number that frame, counted from 0; "auto" is the given mesh or else the first frame, and with "sma" the best of some frames.
    rest_pose: Union[int, Text]
    #: Scales that mesh first, when it is in other units than the animation.
    rest_scale: Union[float, None]
    #: The most rounds of "fesam" and "pps"; they end earlier when the error falls no more.
    rounds: Union[int, None]
    #: Makes everything this many times as large.
    scale: Union[float, None]
    #: Takes the shapes of the mesh (morph targets, blend shapes), each a pose, and makes one clip of each. Where nothing moves this is done anyway.
    shapes: bool
    #: Only the frames of one part of an animation beyond the working set, such as "3/16": parts may be done at once on machines that share the folder of the output, are kept beside it, and become the rig when the last of them is there.
    shard: Union[int, Text, None]
    #: How smooth weights are over the surface, usually 1; 0 leaves them as the error wants them; for "best".
    smooth: Union[float, None]
    #: What may change of that rig.
    solve: Union[Literal["weights", "transforms", "both"], None]
    #: Lets this many percent of the bones' motions, over all frames but those of the rest pose, be exactly none; for "best".
    sparse: Union[float, None]
    #: What bones are made of at first; for "best".
    start: Union[Literal["turns", "mean-shift", "regions", "points"], None]
    #: A rig whose bones, weights and rest pose are improved; for "best".
    start_rig: Union[Text, None]
    #: What each bone does in each shape, for engines that drive bones by the weights of shapes: a JSON file.
    table: Union[Text, None]
    #: How long a unit of the inputs is, where that is not what they say: "m", "cm", "mm", "in", "ft", "km" or a number of metres.
    unit: Union[float, Text, None]
    #: Which axis of the inputs is up, where that is not what they say; y is up in what is made of them.
    up: Union[Literal["x", "y", "z"], None]
    #: How "sma" solves weights.
    weights: Union[Literal["nnls", "tsvd"], None]


class SkeletonOptions(TypedDict, total=False):
    """Keywords of the job "skeleton"."""

    #: How joint angles are found.
    angles: Literal["fit", "ccd"]
    #: The motion of the joints without a skin, of several clips the first: a BVH file.
    bvh: Union[Text, None]
    #: Clips of a file that holds several, by name or number; "all" for all, the first that moves without any.
    clips: Sequence[Text]
    #: Stores less, with no vertex off by more than this many percent of the mesh's diagonal.
    compact: Union[float, None]
    #: Frames per second of inputs that do not say.
    fps: Union[float, None]
    #: Parts or materials of the mesh by name, or pieces by number, that say nothing about joints; joints that fit them best carry them.
    ignore: Sequence[Text]
    #: The most influences on a vertex, usually 4, which every engine keeps; some keep 8 or more.
    influences: Union[int, None]
    #: Exactly so many joints; without, as many as the motion shows.
    joints: Union[int, None]
    #: Joints that are known: a TOML or JSON file with their places in the rest pose, their names and parents, or the names of found joints that are to stay.
    joints_at: Union[Text, None]
    #: What joints are called.
    names: Literal["plain", "auto", "mixamo", "vrm", "ue"]
    #: The character: a file that holds a rig.
    output: Union[Text, None]
    #: The report, for programs.
    report: Union[Text, None]
    #: The mesh that goes with a point cache: faces, UVs, materials and a pose.
    rest: Union[Text, None]
    #: The pose that the skeleton rests in; usually the one that came with the mesh, or else the first frame.
    rest_pose: Union[int, Text]
    #: Scales that mesh first, when it is in other units than the animation.
    rest_scale: Union[float, None]
    #: The same, each carried by one joint as a whole.
    rigid: Sequence[Text]
    #: The root: a joint by the name or the number that it gets without this, or a place such as "0,0.9,0" in the rest pose, where the root then is.
    root: Union[Text, None]
    #: Makes everything this many times as large.
    scale: Union[float, None]
    #: Where the parts of the body come from.
    segment: Literal["best", "spectral", "mean-shift"]
    #: How smooth fitted weights are over the surface, usually 1; 0 leaves them as the error wants them.
    smooth: Union[float, None]
    #: How long a unit of the inputs is, where that is not what they say: "m", "cm", "mm", "in", "ft", "km" or a number of metres.
    unit: Union[float, Text, None]
    #: Which axis of the inputs is up, where that is not what they say; y is up in what is made of them.
    up: Union[Literal["x", "y", "z"], None]
    #: How skin weights are found.
    weights: Literal["fit", "heat"]


class CompareOptions(TypedDict, total=False):
    """Keywords of the job "compare"."""

    #: Clip of files that hold several, by name or number.
    clip: Union[Text, None]
    #: Frames per second to sample files at whose motion has none of its own.
    fps: Union[float, None]
    #: Plays the approximation, a rig, on the GPU and measures what that computed; where there is none the CPU plays it.
    gpu: bool
    #: Draws the error over frames.
    plot: Union[Text, None]
    #: The report, for programs.
    report: Union[Text, None]
    #: The rest mesh, whose box relative measures refer to; without, the original's own or its first frame.
    rest: Union[Text, None]
    #: Makes everything this many times as large.
    scale: Union[float, None]
    #: How long a unit of the approximation is, where that is not what the file says: "m", "cm", "mm", "in", "ft", "km" or a number of metres.
    unit: Union[float, Text, None]
    #: Which axis of the approximation is up, where that is not what the file says; y is up in what is compared.
    up: Union[Literal["x", "y", "z"], None]


class TransplantOptions(TypedDict, total=False):
    """Keywords of the job "transplant"."""

    #: The pose of the rig that is the source's: "rest" or a frame, counted from 0 over all clips; without, of some poses the one that agrees best.
    align_rig: Union[int, Text, None]
    #: The pose of the source that is the rig's: "bind", a frame, or a frame of another clip as "CLIP:FRAME", counted from 0; without, of some poses the one that agrees best.
    align_source: Union[int, Text, None]
    #: The ASF file that goes with an AMC file; without, the one beside it.
    asf: Union[Text, None]
    #: The clip of the source, by name or number, or "all" for all of them; without, the first that moves.
    clip: Union[Text, None]
    #: Which way the rig faces in its rest pose.
    facing: Literal["auto", "+z", "-z", "+x", "-x"]
    #: Frames per second of the result; without, the source's.
    fps: Union[float, None]
    #: Takes the way over the ground out of the motion; feet then slide as on a treadmill.
    in_place: bool
    #: Which joint each bone follows, as `suggest` writes it; without, what it would write.
    map: Union[Text, None]
    #: Exchanges left and right of the motion.
    mirror: bool
    #: The rig to write; with `suggest` the map, a TOML file.
    output: Text
    #: Draws the source laid over the rig, and the rig in the colours of the joints that its bones follow: a PNG file.
    picture: Union[Text, None]
    #: What becomes of feet that stand in the source.
    plant: Literal["feet", "none"]
    #: The report, for programs.
    report: Union[Text, None]
    #: Makes the source this many times as large.
    scale: Union[float, None]
    #: Writes which joint each bone would follow, as a map to look at and correct, and moves nothing.
    suggest: bool
    #: What holds the bones together.
    translations: Literal["auto", "carried", "learned", "joints", "edges", "skeleton"]
    #: How long a unit of the source is, where that is not what the file says: "m", "cm", "mm", "in", "ft", "km" or a number of metres.
    unit: Union[float, Text, None]
    #: Which axis of the source is up, where that is not what the file says.
    up: Union[Literal["x", "y", "z"], None]


class SculptPose(TypedDict, total=False):
    """Makes a frame look like a sculpted mesh, and later frames follow."""

    #: The clip that it is in, by name or number; without, the first that moves.
    clip: Union[Text, None]
    #: Lets the edit fade over so many frames up to the last.
    ease: int
    #: The frame that is edited.
    frame: int
    #: The sculpted mesh, with the vertices of the rig in their order.
    shape: Text
    #: The last frame that follows, or "end", that of the clip.
    through: Union[int, Text]


class SculptRest(TypedDict, total=False):
    """Gives a rig a sculpted rest pose: what was added or taken away shows in all frames, turned with the body."""

    #: What the edit follows in the frames.
    carry: Literal["surface", "bones"]
    #: The sculpted rest pose, with the vertices of the rig in their order.
    shape: Text


class Rotate(TypedDict, total=False):
    """Turns a bone further, in one frame or in many."""

    #: Turns nothing but the bone, even where others hang on it.
    alone: bool
    #: How far, in degrees.
    angle: float
    #: What it turns about.
    axis: Sequence[float]
    #: The bone, by name or number.
    bone: Text
    #: The clip that it is in, by name or number; without, the first that moves.
    clip: Union[Text, None]
    #: Lets the turn grow over so many frames at the beginning and, unless it goes through to the end, fade over as many.
    ease: int
    #: The frame that is edited.
    frame: int
    #: The last frame that changes, or "end", that of the clip; without, the first alone.
    through: Union[int, Text, None]


class EditOptions(TypedDict, total=False):
    """Keywords of the job "edit"."""

    #: The edited rig.
    output: Text
    pose: SculptPose
    #: The report, for programs.
    report: Union[Text, None]
    rest: SculptRest
    rotate: Rotate
    #: Makes everything this many times as large.
    scale: Union[float, None]
    #: How long a unit of the rig is, where that is not what the file says: "m", "cm", "mm", "in", "ft", "km" or a number of metres.
    unit: Union[float, Text, None]
    #: Which axis of the rig is up, where that is not what the file says; y is up in the edited one.
    up: Union[Literal["x", "y", "z"], None]


class LevelWishTriangles(TypedDict, total=False):
    """So many triangles."""

    triangles: int


class LevelWishShare(TypedDict, total=False):
    """So many triangles, as a share of all: 0.5 for half of them."""

    share: float


class LevelWishError(TypedDict, total=False):
    """As few triangles as keep the mean distance from the whole mesh, over all frames, within this share of its longest side."""

    error: float


class LodOptions(TypedDict, total=False):
    """Keywords of the job "lod"."""

    #: How many bones each level has. With `levels` as many of these, level by level.
    bones: Sequence[int]
    #: The format of levels of bones; without, GLB.
    format: Union[Literal["glb", "fbx", "usda", "usdz", "sinew"], None]
    #: How coarse each level is; without any, as those of a crowd.
    levels: Sequence[Union[LevelWishTriangles, LevelWishShare, LevelWishError]]
    #: The file to write, *.glb; with `bones` the folder for a file each level.
    output: Text
    #: Draws all levels side by side.
    picture: Union[Text, None]
    #: Poses, spread over all frames, in which triangles are weighed against each other.
    poses: int
    #: The report, for programs.
    report: Union[Text, None]
    #: Makes everything this many times as large.
    scale: Union[float, None]
    #: How long a unit of the rig is, where that is not what the file says: "m", "cm", "mm", "in", "ft", "km" or a number of metres.
    unit: Union[float, Text, None]
    #: Which axis of the rig is up, where that is not what the file says; y is up in what is written.
    up: Union[Literal["x", "y", "z"], None]


class ComparePose(TypedDict, total=False):
    """Compares a pose of a character with blended bones: side by side, volume and detail."""

    #: What it is compared with, on the weights that the character came with.
    against: Literal["lbs", "dual", "centres"]
    #: The character, made ready.
    character: Text
    #: The clip of the motion, by name or number; without, the first that moves.
    clip: Union[Text, None]
    #: The frame of the motion, counted from 0.
    frame: int
    #: The picture to write, a PNG file.
    output: Text
    #: The pose: a TOML file, or a frame of a motion.
    pose: Text
    #: Which way is up in the data; without, found from what the body stands on.
    up: Union[Literal["y", "z"], None]
    #: Where to look from: degrees around and above; 0, 0 is from +Z, 90, 0 from +X; without, at the whole from aside, at the bend across its plane.
    view: Union[Sequence[float], None]


class MoveFlesh(TypedDict, total=False):
    """Gives a motion of a body the flesh that it learnt: a cache, a folder of frames, or a rig that any engine plays."""

    #: Bones of a rig that is written; without, as many as about 1.5 percent of error need.
    bones: Union[int, None]
    #: The body, as it learnt.
    character: Text
    #: The clip of the motion, by name or number; without, the first that moves.
    clip: Union[Text, None]
    #: Format of frames in a folder.
    format: Literal["obj", "ply"]
    #: Frames per second of motion that does not say.
    fps: Union[float, None]
    #: Where to: a file of poses, a folder for one mesh a frame, or a GLB or .sinew file to skin the result.
    output: Text
    #: The motion without flesh: an animation of the same vertices.
    primary: Text


class PoseCharacter(TypedDict, total=False):
    """Poses a character: a cache, a folder of frames, or a rig that any engine plays."""

    #: Bones of a rig that is written; without, as many as about 1.5 percent of error need.
    bones: Union[int, None]
    #: The character, made ready.
    character: Text
    #: The clip of the motion, by name or number; without, the first that moves.
    clip: Union[Text, None]
    #: Format of frames in a folder.
    format: Literal["obj", "ply"]
    #: Frames per second that a clip is played at; without, its own.
    fps: Union[float, None]
    #: Where to: a file of poses, a folder for one mesh a frame, or a GLB or .sinew file to skin the result.
    output: Text
    #: The poses: a TOML file with one, or motion with joints of the same names.
    pose: Text


class SetUp(TypedDict, total=False):
    """Makes a character ready: which vertices follow which joint, and its examples."""

    #: Keeps what examples add at a few triangles: a share of them ("2%"), a number (300), or as many as fit into some bytes of the file ("64kB"); without, at all, which meets examples exactly.
    anchors: Union[int, Text, None]
    #: The character: a file that holds a rig with a skeleton.
    body: Text
    #: Example shapes and their poses: a TOML file.
    examples: Union[Text, None]
    #: How far hands, feet and all between follow their bones, 0 to 1; less bends limbs in arcs beside them.
    follow: Union[float, None]
    #: Which vertices follow one joint alone: a TOML file; without, they are found.
    handles: Union[Text, None]
    #: What handles are found from; without, the skin weights where they tell joints apart.
    handles_from: Union[Literal["weights", "skeleton"], None]
    #: Keeps only the largest influences of joints on a triangle that make this share, above 0 and at most 1.
    keep: Union[float, None]
    #: The file to write, *.deform.
    output: Text
    #: Makes everything this many times as large.
    scale: Union[float, None]
    #: How long a unit of the character is, where that is not what the file says: "m", "cm", "mm", "in", "ft", "km" or a number of metres.
    unit: Union[float, Text, None]
    #: Which axis of the character is up, where that is not what the file says; y is up in what is made ready.
    up: Union[Literal["x", "y", "z"], None]


class DeformOptions(TypedDict, total=False):
    """Keywords of the job "deform"."""

    compare: ComparePose
    flesh: MoveFlesh
    pose: PoseCharacter
    #: The report, for programs.
    report: Union[Text, None]
    setup: SetUp
