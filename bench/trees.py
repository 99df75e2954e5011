"""How right the tree of a found skeleton is, held against the joints that drove the animation.

A found joint stands for the true joints that have no other nearer to them, and for the one nearest to itself, if they are
within NEAR percent of the longest side of the first frame's box, on average over the frames.

    tree    share of the found links that are right: between true joints that their two ends stand for, the true tree has
            a way that meets no joint for which only others stand; which joint is the root plays no part, links of joints
            that stand for none do not count
    extra   share of the found joints that no true joint, swinging or not, is near to
    sides   of the visible true joints that come in pairs by their names, the share of the pairs of which both were found
            or neither
    root    how far the found root is from the pelvis of a person: the highest true joint with visible ones on more than
            one way down from it, in percent of the longest side
"""

import re

import numpy as np

# A true joint is found when one is this near to it, in percent of the longest side.
NEAR = 5.0


def apart(true, found, box):
    """Mean distances (K, J) of true paths (K, S, 3) to found ones (J, S, 3), in percent of the box."""
    return np.array([100 / box * np.linalg.norm(found - path, axis=2).mean(axis=1) for path in true])


def stands_for(distances):
    """For each found joint the true ones that it stands for, of which distances (K, J) are given."""
    found = [set() for _ in range(distances.shape[1])]
    for k, joint in enumerate(distances.argmin(axis=1)):
        if distances[k, joint] < NEAR:
            found[joint].add(k)
    for joint, k in enumerate(distances.argmin(axis=0)):
        if distances[k, joint] < NEAR:
            found[joint].add(int(k))
    return found


def between(parents, a, b):
    """The true joints on the way from one to another, both among them; all above both where they are in two trees."""

    def upwards(joint):
        way = []
        while joint is not None:
            way.append(joint)
            joint = parents[joint]
        return way

    one, other = upwards(a), upwards(b)
    meet = next((k for k in one if k in other), None)
    if meet is None:
        return {*one, *other}
    return {*one[: one.index(meet) + 1], *other[: other.index(meet) + 1]}


def right_links(true_parents, found_parents, stands):
    """Share of the found links that are right; `stands` are numbers of true joints."""
    right = []
    for joint, parent in enumerate(found_parents):
        if parent is None or not stands[joint] or not stands[parent]:
            continue
        own = stands[joint] | stands[parent]
        others = set().union(*(s for k, s in enumerate(stands) if k not in (joint, parent))) - own
        ways = [between(true_parents, a, b) for a in stands[joint] for b in stands[parent]]
        right.append(any(not way & others for way in ways))
    return np.mean(right) if right else 0.0


def sides_alike(names, near):
    """Share of the pairs left and right of which both or neither are near; None without pairs."""
    pairs = {}
    for name, found in zip(names, near):
        name = re.sub(r"_\d+$", "", name)
        both = re.sub(r"(?i)left|right", "#", name)
        if "#" not in both:
            both = re.sub(r"(?i)(^|[._ -])[lr]($|[._ -])", r"\1#\2", name)
        if "#" in both:
            pairs.setdefault(both, []).append(bool(found))
    alike = [pair[0] == pair[1] for pair in pairs.values() if len(pair) == 2]
    return np.mean(alike) if alike else None


def pelvis(parents, visible):
    """The highest joint with visible ones on more than one way down; None where there is none."""
    ways = [set() for _ in parents]
    for joint in visible:
        below, above = joint, parents[joint]
        while above is not None:
            ways[above].add(below)
            below, above = above, parents[above]

    def depth(joint):
        return 0 if parents[joint] is None else 1 + depth(parents[joint])

    return min((k for k, down in enumerate(ways) if len(down) > 1), key=depth, default=None)


def judge_tree(truth, visible, paths, parents, box):
    """The measures, of the joints in truth.json, the numbers of those that are visible, and what was found."""
    true_parents = [None if joint["parent"] in (None, -1) else joint["parent"] for joint in truth]
    distances = apart([np.array(joint["positions"]) for joint in truth], paths, box)
    of_visible = distances[visible]
    stands = [{visible[k] for k in joint} for joint in stands_for(of_visible)]
    top, hips = parents.index(None), pelvis(true_parents, visible)
    return {
        "tree": right_links(true_parents, parents, stands),
        "extra": (distances.min(axis=0) > NEAR).mean(),
        "sides": sides_alike([truth[k]["name"] for k in visible], of_visible.min(axis=1) < NEAR),
        "root": None if hips is None else distances[hips, top],
    }
