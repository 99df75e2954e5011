#!/usr/bin/env python3
"""Reads and plays .sinew files after sinew.md alone: read_sinew.py FILE.sinew [-o POSES.pc2]

Prints what is in the file; with -o it writes the poses of the first clip as a point cache. Plain Python, for reading and for
holding the page to the program, not for speed.
"""

import struct
import sys
import zlib

MAGIC = b"\x8bSINEW\r\n"
NONE = 2**64 - 1


class Contents:
    """Goes through the contents of a record."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        """Numbers of a format of `struct`; a single one as itself."""
        found = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return found[0] if len(found) == 1 else found

    def list(self, form, width=1):
        """A list whose entries are so many numbers of one kind."""
        count = self.take("Q")
        numbers = struct.unpack_from(f"<{count * width}{form}", self.data, self.at)
        self.at += struct.calcsize(form) * count * width
        return numbers if width == 1 else [numbers[i : i + width] for i in range(0, count * width, width)]

    def text(self):
        return bytes(self.list("B")).decode()

    def each(self, entry):
        return [entry(self) for _ in range(self.take("Q"))]

    def end(self):
        if self.at != len(self.data):
            raise ValueError("a record has bytes left over")


def records(data):
    """Kind and contents of every whole record; ends where the file does or where one is damaged."""
    at = 12
    while at + 16 <= len(data):
        kind, length = struct.unpack_from("<4sQ", data, at)
        end = at + 12 + length
        if end + 4 > len(data) or zlib.crc32(data[at:end]) != struct.unpack_from("<I", data, end)[0]:
            return
        yield kind.decode("latin-1"), Contents(data[at + 12 : end])
        at = end + 4


def layer(c, width):
    return (c.list("f", width), c.list("I")) if c.take("B") else None


def mesh(c):
    return {
        "vertices": c.take("Q"),
        "face_starts": c.list("I"),
        "corners": c.list("I"),
        "uvs": layer(c, 2),
        "normals": layer(c, 3),
        "face_materials": c.list("I"),
        "parts": c.each(lambda c: (c.text(), c.take("4Q"))),
    }


def weights(c, short=False):
    """Bone and weight of every used slot, vertex after vertex."""
    slots = c.take("I")
    bones = c.list("B" if short else "I")
    values = [w / 65535 for w in c.list("H")] if short else c.list("f")
    pairs = list(zip(bones, values))
    return [[p for p in pairs[i : i + slots] if p[1] != 0] for i in range(0, len(pairs), slots)]


def corrections(c):
    rank, shapes, normals = c.take("I"), c.list("f", 3), c.list("f", 3)
    vertices = len(shapes) // rank
    return {"shapes": [shapes[k * vertices : (k + 1) * vertices] for k in range(rank)], "normals": normals}


HEAD = {
    "MESH": mesh,
    "REST": lambda c: c.list("f", 3),
    "BONE": lambda c: c.each(lambda c: {"name": c.text(), "centre": c.take("3d"), "rigid": c.take("B")}),
    "WGHT": weights,
    "CORR": corrections,
    "skel": lambda c: c.list("I"),
}


def moved(mixture, places, point):
    """A point by the weighted sum of its bones' places: three columns, then the shift."""
    x, y, z = point
    m = [sum(w * places[b][i] for b, w in mixture) for i in range(12)]
    return [m[i] * x + m[3 + i] * y + m[6 + i] * z + m[9 + i] for i in range(3)]


def bent(rest, shapes, coefficients):
    """The rest pose with the shapes added."""
    if not shapes:
        return rest
    return [
        [p[i] + sum(q * u[v][i] for q, u in zip(coefficients, shapes)) for i in range(3)] for v, p in enumerate(rest)
    ]


def read(data):
    """The head, the first clip with its poses, and whether it is whole."""
    if data[:8] != MAGIC or struct.unpack_from("<I", data, 8) != (1,):
        raise ValueError("not a .sinew file of version 1")
    found = records(data)
    head = {}
    for kind, c in found:
        if kind == "CLIP":
            break
        if kind in HEAD:
            head[kind] = HEAD[kind](c)
            c.end()
        elif kind[0].isupper() and kind not in ("MATL", "IMAG"):
            raise ValueError(f"{kind} cannot be passed over")
    motion, fps, name, meant = c.take("B"), c.take("d"), c.text(), c.take("Q")
    clip = {"fps": fps, "name": name, "meant": None if meant == NONE else meant, "poses": [], "whole": False}
    rest, now, pose, moves = head["REST"], head["WGHT"], None, ()
    shapes = head.get("CORR", {"shapes": []})["shapes"]
    for kind, c in found:
        if kind in ("FRAM", "KEYF"):
            if c.take("Q") != len(clip["poses"]):
                break
            places = [c.take("12d") for _ in head["BONE"]]
            coefficients = [c.take("f") for _ in shapes]
            c.end()
            if motion == 0:
                start = bent(rest, shapes, coefficients)
            else:
                start = rest if pose is None or kind == "KEYF" else pose
            pose = [moved(mixture, places, p) for mixture, p in zip(now, start)]
            for vertex, by in moves:
                pose[vertex] = [x + d for x, d in zip(pose[vertex], by)]
            moves = ()
            clip["poses"].append(pose)
        elif kind == "MOVE":
            moves = list(zip(c.list("I"), c.list("d", 3)))
        elif kind in ("WGHT", "WSHT"):
            now = weights(c, kind == "WSHT")
        elif kind == "DONE":
            clip["whole"] = c.take("Q") == len(clip["poses"])
            break
        elif kind[0].isupper():
            raise ValueError(f"{kind} cannot be passed over")
    return head, clip


def write_pc2(path, poses):
    with open(path, "wb") as out:
        out.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(poses[0]), 0.0, 1.0, len(poses)))
        for pose in poses:
            out.write(struct.pack(f"<{3 * len(pose)}f", *(x for p in pose for x in p)))


def main(arguments):
    with open(arguments[0], "rb") as file:
        head, clip = read(file.read())
    print(
        f"{head['MESH']['vertices']} vertices, {len(head['BONE'])} bones, {len(clip['poses'])} frames of {clip['name']!r}, "
        f"{clip['fps']:g} a second, {'whole' if clip['whole'] else 'cut'}"
    )
    if arguments[1:2] == ["-o"]:
        write_pc2(arguments[2], clip["poses"])


if __name__ == "__main__":
    main(sys.argv[1:])
