#!/usr/bin/env python3
"""Finds cycles between the files of each crate: files that need each other cannot be read one after the other.

    .ci/cycles.py [CRATE ...]        exit code 1 where there are any

An edge is a path of the code (`super::a::b`, `crate::a`, `self::a`, `a::b` in a mod.rs) followed through re-exports to the
file that defines the name. `pub use` and `mod` alone are no edge, nor is what stands under `#[cfg(test)]`. Rooms of a crate
(its top folders) are checked too: a room that uses another must not be used by it.
"""
import os
import re
import sys
from collections import defaultdict

DEFINES = r"\b(?:fn|struct|enum|union|trait|const|static|type|macro_rules!)\s+"
PATH = re.compile(r"\b((?:super::)+|crate::|self::)((?:\w+::)*)(\w+|\{)", re.S)


class Crate:
    def __init__(self, root):
        self.text, self.front = {}, set()
        for folder, _, names in os.walk(root):
            for name in names:
                if not name.endswith(".rs"):
                    continue
                path = os.path.join(folder, name)
                module = os.path.relpath(path, root)[:-3].split(os.sep)
                if module[-1] in ("mod", "lib", "main"):
                    module.pop()
                    self.front.add(tuple(module))
                if "tests" not in module:
                    self.text[tuple(module)] = strip(open(path).read())
        self.exports = {m: dict(self.reexports(m)) for m in self.front if m in self.text}
        self.globs = {m: list(self.glob_exports(m)) for m in self.front if m in self.text}

    def reexports(self, module):
        """Names that a module passes on: (name, path)."""
        for body in re.findall(r"\buse\s+([^;]+);", self.text[module]):
            for path in leaves(body):
                name = path[-1]
                if " as " in name:
                    name, shown = name.split(" as ")
                    path = path[:-1] + [name.strip()]
                    yield shown.strip(), self.absolute(module, path)
                elif name != "*":
                    yield name, self.absolute(module, path)

    def glob_exports(self, module):
        for body in re.findall(r"\bpub(?:\([^)]*\))?\s+use\s+([^;]+);", self.text[module]):
            for path in leaves(body):
                if path[-1] == "*":
                    yield self.absolute(module, path[:-1])

    def absolute(self, module, path):
        path = list(path)
        if path[0] == "crate":
            return path[1:]
        base = list(module)
        if path[0] == "self":
            path = path[1:]
        while path and path[0] == "super":
            base, path = base[:-1], path[1:]
        return base + path

    def home(self, path, seen=()):
        """The file that defines what a path names, or none for what is not of this crate."""
        module, rest = list(path), []
        while tuple(module) not in self.text:
            if not module:
                return None
            rest.insert(0, module.pop())
        module = tuple(module)
        if not rest or (module, rest[0]) in seen:
            return module
        if re.search(DEFINES + re.escape(rest[0]) + r"\b", self.text[module]):
            return module
        seen = (*seen, (module, rest[0]))
        through = self.exports.get(module, {}).get(rest[0])
        if through:
            return self.home(through + rest[1:], seen)
        for glob in self.globs.get(module, []):
            found = self.home(glob + rest, seen)
            if found is not None and re.search(DEFINES + re.escape(rest[0]) + r"\b", self.text[found]):
                return found
        return module

    def edges(self):
        edges = defaultdict(set)
        for module, text in self.text.items():
            code = re.sub(r"\bpub(?:\([^)]*\))?\s+use\s+[^;]+;", "", text)
            paths = [p for body in re.findall(r"\buse\s+([^;]+);", code) for p in leaves(body)]
            used = [p for p in paths if p[0] in ("super", "crate", "self") or module + (p[0],) in self.text]
            used = [[*p[:-1], p[-1].split(" as ")[0].strip()] for p in used]
            body = re.sub(r"\buse\s+[^;]+;", "", code)
            for before, within, last in PATH.findall(body):
                used.append([*before.split("::")[:-1], *[w for w in within.split("::") if w], last])
            if module in self.front:
                for first, rest in re.findall(r"(?<![\w:])(\w+)::(\w+)", body):
                    if module + (first,) in self.text:
                        used.append([first, rest])
            for path in used:
                home = self.home([p for p in self.absolute(module, path) if p not in ("*", "{")])
                if home is not None and home != module:
                    edges[module].add(home)
        return edges


def strip(text):
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"#\[cfg\(test\)\]\s*mod \w+\s*;", "", text)
    return re.sub(r"#\[cfg\(test\)\]\s*(?:pub )?mod \w+ \{.*", "", text, flags=re.S)


def leaves(body):
    """The single paths of a `use` body."""
    body = " ".join(body.split())
    brace = body.find("{")
    if brace < 0:
        return [[p.strip() for p in body.split("::")]]
    head = [p.strip() for p in body[:brace].split("::") if p.strip()]
    items, depth, item = [], 0, ""
    for c in body[brace + 1 : body.rindex("}")]:
        depth += (c == "{") - (c == "}")
        if c == "," and depth == 0:
            items.append(item)
            item = ""
        else:
            item += c
    items.append(item)
    found = [head + leaf for i in items if i.strip() for leaf in leaves(i.strip())]
    return [p[:-1] if p[-1] == "self" else p for p in found]


def cycles(edges):
    """Strongly connected parts of more than one file, by Tarjan's algorithm."""
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in edges.get(v, ()):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            part = stack[stack.index(v) :]
            del stack[stack.index(v) :]
            if len(part) > 1:
                found.append(sorted(part))

    for v in list(edges):
        if v not in index:
            visit(v)
    return found


def main():
    sys.setrecursionlimit(10000)
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    bad = 0
    for name in sys.argv[1:] or sorted(os.listdir("crates")):
        crate = Crate(f"crates/{name}/src")
        edges = crate.edges()
        rooms = defaultdict(set)
        for a, bs in edges.items():
            for b in bs:
                if a and b and a[0] != b[0]:
                    rooms[a[0]].add(b[0])
        for what, parts in (("files", cycles(edges)), ("rooms", cycles(rooms))):
            for part in parts:
                bad += 1
                names = ["/".join(p) or "lib" for p in part] if what == "files" else part
                print(f"{name}: {len(part)} {what} need each other: {', '.join(names)}")
    print("no cycles" if not bad else f"{bad} cycles")
    sys.exit(bool(bad))


main()
