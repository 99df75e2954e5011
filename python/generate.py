"""Writes sinew_rig/_options.py: the keywords of jobs as types, from the JSON schemas of the job structs.

    python generate.py [SINEW]

SINEW is the command; without it, the schemas are those of the installed package.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

#: The classes: of which job, and which of its fields are parameters of the function and no keywords.
CLASSES = {
    "OpenOptions": ("skin", {"inputs", "fit", "source"}),
    "SkinOptions": ("skin", {"inputs", "fit", "source"}),
    "SkeletonOptions": ("skeleton", {"inputs", "source"}),
    "CompareOptions": ("compare", {"original", "approximation"}),
    "TransplantOptions": ("transplant", {"source", "onto"}),
    "EditOptions": ("edit", {"rig", "edit"}),
    "LodOptions": ("lod", {"rig"}),
    "DeformOptions": ("deform", {"step"}),
}

HEAD = '''"""The keywords of jobs, as types. Written by generate.py from the schemas of the jobs: change those."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, Sequence, TypedDict, Union

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._rig import Rig

#: A text, the path of a file, or a rig or shape in memory where a file is meant that is read.
Text = Union[str, "os.PathLike[str]", "Rig", "npt.NDArray[Any]"]
'''

Schema = Dict[str, Any]
SIMPLE = {"string": "Text", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


class Writer:
    """Types of one text, each definition once."""

    def __init__(self) -> None:
        self.parts: List[str] = []
        self.known: Dict[str, Schema] = {}

    def type_of(self, schema: Schema, defs: Schema, within: str = "") -> str:
        """A type in the words of Python."""
        if "$ref" in schema:
            name = str(schema["$ref"]).rpartition("/")[2]
            return self.definition(name, defs[name], defs)
        if "const" in schema:
            return f"Literal[{json.dumps(schema['const'])}]"
        several = schema.get("anyOf") or schema.get("oneOf")
        if several:
            return self.union([self.type_of(one, defs, within) for one in several])
        kind = schema.get("type")
        if isinstance(kind, list):
            return self.union([self.type_of({**schema, "type": one}, defs) for one in kind])
        if kind == "array":
            return f"Sequence[{self.type_of(schema.get('items', {}), defs)}]"
        if kind == "object" and "properties" in schema:
            return self.definition(within + "_".join(schema["properties"]).title().replace("_", ""), schema, defs)
        return SIMPLE.get(str(kind), "Any")

    def union(self, types: List[str]) -> str:
        """One of several types; words are put together."""
        types = [part for t in types for part in self.parts_of(t)]
        words = [t[len("Literal[") : -1] for t in types if t.startswith("Literal[")]
        others = list(dict.fromkeys(t for t in types if not t.startswith("Literal[")))
        all_types = ([f"Literal[{', '.join(words)}]"] if words else []) + others
        return all_types[0] if len(all_types) == 1 else f"Union[{', '.join(all_types)}]"

    @staticmethod
    def parts_of(union: str) -> List[str]:
        """The types of a union that has no brackets inside."""
        inner = union[len("Union[") : -1]
        return inner.split(", ") if union.startswith("Union[") and "[" not in inner else [union]

    def definition(self, name: str, schema: Schema, defs: Schema) -> str:
        """The name of an object's type, which is written when it is first met; the type itself of others."""
        if "properties" not in schema:
            return self.type_of(schema, defs, name)
        if name in self.known:
            if self.known[name] != schema:
                raise SystemExit(f"two things are called {name}")
            return name
        self.known[name] = schema
        self.write(name, schema.get("description", ""), schema["properties"], defs)
        return name

    def write(self, name: str, about: str, fields: Dict[str, Schema], defs: Schema) -> None:
        """Writes a class of fields that may all be left out: which are needed is for the job to say."""
        lines = [f"class {name}(TypedDict, total=False):"]
        told = about.split("\n\n")[0].replace("\n", " ") or "Fields."
        lines += [f'    """{told}"""', ""]
        for field, schema in fields.items():
            said = " ".join(str(schema.get("description", "")).split())
            lines += [f"    #: {said}"] if said else []
            lines.append(f"    {field}: {self.type_of(schema, defs)}")
        self.parts.append("\n".join(lines) + "\n")


def flat(schema: Schema) -> Dict[str, Schema]:
    """Fields of a job, with what its fields hold beside them, as the functions take them."""
    fields = {name: about for name, about in schema["properties"].items() if name != "job"}
    for about in list(fields.values()):
        inner = schema.get("$defs", {}).get(str(about.get("$ref", "")).rpartition("/")[2], {})
        for kind in [inner, *inner.get("oneOf", [])]:
            for name, of_inner in kind.get("properties", {}).items():
                fields.setdefault(name, of_inner)
    return fields


def text(schema_of: Callable[[str], Schema]) -> str:
    """The whole file."""
    writer = Writer()
    for name, (job, left_out) in CLASSES.items():
        schema = schema_of(job)
        defs = schema.get("$defs", {})
        fields = defs["Source"]["properties"] if name == "OpenOptions" else flat(schema)
        wanted = {field: fields[field] for field in sorted(fields) if field not in left_out}
        about = "How files are opened." if name == "OpenOptions" else f'Keywords of the job "{job}".'
        writer.write(name, about, wanted, defs)
    return HEAD + "".join(f"\n\n{part}" for part in writer.parts)


def main() -> None:
    if len(sys.argv) > 1:

        def schema_of(job: str) -> Schema:
            done = subprocess.run([sys.argv[1], "run", "--schema", job], check=True, capture_output=True)
            read: Schema = json.loads(done.stdout)
            return read

    else:
        from sinew_rig import schema as schema_of
    Path(__file__).with_name("sinew_rig").joinpath("_options.py").write_text(text(schema_of))


if __name__ == "__main__":
    main()
