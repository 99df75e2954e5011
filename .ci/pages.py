#!/usr/bin/env python3
"""Holds the pages to the program and to the repository: .ci/pages.py [SINEW] [--write]

- docs/commands, docs/jobs.md and the list of commands in docs/SUMMARY.md are what SINEW prints; --write makes them so.
- Every page of docs/ is in docs/SUMMARY.md, and every page there exists.
- Links of all Markdown files lead to files and headings that are there; one whose words are code and that leads to a source file
  names something that file defines.
- Every command line that begins with sinew would be taken by SINEW, and where it makes a job, the job is one.
- Scripts, benchmarks and examples that pages name are there, and every benchmark page names one.
- A .sinew file is played by docs/formats/read_sinew.py, written after its page alone, as SINEW plays it.
"""

import json
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
MADE_BY = "Made by `.ci/pages.py --write` from what `sinew run --schema` prints."

faults = []


def fault(page, what):
    name = page.relative_to(ROOT) if isinstance(page, Path) else page
    faults.append(f"{name}: {what}")


def run(sinew, *arguments, **more):
    return subprocess.run([sinew, *arguments], capture_output=True, text=True, check=True, **more).stdout


# --- what the program prints


def command_pages(sinew):
    with tempfile.TemporaryDirectory() as folder:
        run(sinew, "manual", "markdown", "-o", folder)
        return {f"commands/{p.name}": p.read_text(encoding="utf-8") for p in Path(folder).iterdir()}


def cell(text):
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def kind(schema):
    """What a value may be, in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    for several in ("oneOf", "anyOf"):
        if several in schema:
            words = [kind(s) for s in schema[several] if s.get("type") != "null"]
            return ", ".join(dict.fromkeys(words))
    of = schema.get("type")
    if isinstance(of, list):
        of = next(t for t in of if t != "null")
    if of == "array":
        return "list of " + kind(schema["items"]) if isinstance(schema.get("items"), dict) else "list"
    if of == "string" and "enum" in schema:
        return ", ".join(f"`{json.dumps(word)}`" for word in schema["enum"])
    if of == "object" and schema.get("properties"):
        return "object with " + ", ".join(f"`{name}` ({kind(inner)})" for name, inner in schema["properties"].items())
    return {"integer": "whole number", "string": "text", "boolean": "true or false", None: "anything"}.get(of, of)


def meaning(schema):
    told = schema.get("description", "")
    for several in ("oneOf", "anyOf"):
        for choice in schema.get(several, []):
            for one in choice.get("oneOf", [choice]):
                if "const" in one and "description" in one:
                    told += f" {json.dumps(one['const'])}: {one['description'].rstrip('.')}."
    # Names of the program's own types are of no use here.
    return re.sub(r"\[`(\w+)`\]", r"\1", told)


def fields(schema):
    needed = schema.get("required", [])
    rows = ["| field | value | meaning | default |", "| --- | --- | --- | --- |"]
    for name, field in schema["properties"].items():
        default = "needed" if name in needed else ""
        if field.get("default") not in (None, {}, []):
            default = f"`{json.dumps(field['default'])}`"
        rows.append(f"| `{name}` | {kind(field)} | {cell(meaning(field))} | {default} |")
    return "\n".join(rows)


def described(name, schema, depth):
    told = re.sub(r"\[`(\w+)`\]", r"\1", schema.get("description", ""))
    out = [f"{'#' * depth} {name}", told.replace("<", "&lt;").replace("*", "\\*")]
    if "properties" in schema:
        out.append(fields(schema))
    choices = schema.get("oneOf", schema.get("anyOf", []))
    if choices:
        rows = ["| one of | meaning |", "| --- | --- |"]
        for choice in choices:
            rows.append(f"| {kind(choice)} | {cell(meaning({**choice, 'oneOf': [], 'anyOf': []}))} |")
        out.append("\n".join(rows))
    return "\n\n".join(part for part in out if part)


def jobs_page(sinew):
    """The schema of all jobs as a page."""
    schema = json.loads(run(sinew, "run", "--schema"))
    names = [job["properties"]["job"]["const"] for job in schema["oneOf"]]
    out = [
        "# Jobs",
        MADE_BY,
        "A job is a JSON object whose field `job` says which. Every command that is one prints its own with `--print-job`, and\n"
        "[`sinew run`](commands/run.md) runs it. Unknown fields are refused. For programs: `sinew run --schema` prints all of this as\n"
        "JSON Schema, `sinew run --schema skin` that of one job. In Python the fields are keywords ([Python](python.md)).",
        "| job | |\n| --- | --- |",
    ]
    jobs = []
    for name in names:
        job = json.loads(run(sinew, "run", "--schema", name))
        told = job.get("description", "").split("\n\n")[0]
        out[-1] += f"\n| [{name}](#{name}) | {cell(told)} |"
        job["properties"].pop("job", None)
        jobs.append(described(name, job, 2))
    parts = [described(name, part, 3) for name, part in sorted(schema["$defs"].items())]
    return "\n\n".join([*out, *jobs, "## What jobs are made of", *parts]) + "\n"


def with_commands(summary, pages):
    """The summary with the list of commands."""
    names = sorted(Path(page).stem for page in pages if not page.endswith("README.md"))
    rows = "".join(f"  - [sinew {name}](commands/{name}.md)\n" for name in names)
    return re.sub(r"(- \[Commands\]\(.*\)\n)(?:  - .*\n|COMMANDS\n)*", lambda m: m[1] + rows, summary)


def made(sinew, write):
    pages = command_pages(sinew)
    summary = (DOCS / "SUMMARY.md").read_text(encoding="utf-8")
    wanted = {**pages, "jobs.md": jobs_page(sinew), "SUMMARY.md": with_commands(summary, pages)}
    for name, text in wanted.items():
        path = DOCS / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        else:
            fault(path, "is not what the program prints; .ci/pages.py --write makes it so")
    for path in (DOCS / "commands").glob("*.md"):
        if f"commands/{path.name}" not in pages:
            path.unlink() if write else fault(path, "there is no such command; .ci/pages.py --write removes the page")


# --- pages


def markdown_files():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True)
    return [path for path in (ROOT / line for line in listed.stdout.splitlines()) if path.exists()]


def pieces(text):
    """The text in pieces, and the language of each that is code."""
    at = 0
    for block in re.finditer(r"^( *)```(\w*)\n(.*?)^ *```$", text, re.M | re.S):
        yield text[at : block.start()], None
        yield block[3], block[2] or "text"
        at = block.end()
    yield text[at:], None


def words(text):
    return "".join(piece for piece, language in pieces(text) if language is None)


def anchors(path):
    """Headings as links name them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", words(path.read_text(encoding="utf-8")), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
        slug = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        number = 1
        plain = slug
        while slug in found:
            slug, number = f"{plain}-{number}", number + 1
        found.add(slug)
    return found


def links(path):
    text = re.sub(r"`[^`\n]*`", lambda m: m[0].replace("](", "]\0("), words(path.read_text(encoding="utf-8")))
    for label, target in re.findall(r"\[((?:[^\[\]]|\[[^\]]*\](?:\([^)]*\))?)*)\]\(([^)\s]+)\)", text):
        yield from ((l, t) for l, t in re.findall(r"\[([^\]]*)\]\(([^)\s]+)\)", label))
        yield label, target


def check_links(path):
    for label, target in links(path):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        to = (path.parent / name).resolve() if name else path
        if not to.exists() or ROOT not in [to, *to.parents]:
            fault(path, f"{target} leads nowhere")
        elif anchor and to.suffix == ".md" and anchor not in anchors(to):
            fault(path, f"{target}: there is no such heading")
        elif to.suffix == ".rs" and (named := re.fullmatch(r"`([\w:]+)(?:\(\))?`", label)):
            if named[1] == to.parent.name and to.name == "mod.rs":
                continue
            last = named[1].rsplit("::", 1)[-1]
            defined = rf"\b(fn|struct|enum|trait|type|const|static|mod|macro_rules!) {last}\b"
            if not re.search(defined, to.read_text(encoding="utf-8")):
                fault(path, f"{target} defines no {last}")


def check_summary():
    summary = (DOCS / "SUMMARY.md").read_text(encoding="utf-8")
    listed = re.findall(r"\]\(([^)]+)\)", summary)
    pages = {str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md")} - {"SUMMARY.md"}
    for page in sorted(set(listed) ^ pages):
        fault(DOCS / "SUMMARY.md", f"{page} is {'not there' if page in listed else 'not listed'}")
    for page in {page for page in listed if listed.count(page) > 1}:
        fault(DOCS / "SUMMARY.md", f"{page} is listed twice")
    for page in (DOCS / "benchmarks").glob("*.md"):
        if not re.search(r"bench/\w+\.py|cargo bench|sinew \w+", page.read_text(encoding="utf-8")):
            fault(page, "names no command for its figures")


def check_site():
    """Whether links of the pages still lead somewhere once docs/outside.py has made them those of the site."""
    listed = re.findall(r"\]\(([^)]+)\)", (DOCS / "SUMMARY.md").read_text(encoding="utf-8"))
    chapters = [
        {"Chapter": {"source_path": name, "content": (DOCS / name).read_text(encoding="utf-8"), "sub_items": []}}
        for name in listed
        if (DOCS / name).exists()
    ]
    made = run(sys.executable, DOCS / "outside.py", input=json.dumps([{}, {"items": chapters}]))
    for item in json.loads(made)["items"]:
        page = DOCS / item["Chapter"]["source_path"]
        for target in re.findall(r"\]\(([^)\s]+)\)", words(item["Chapter"]["content"])):
            to = (page.parent / target.partition("#")[0]).resolve()
            if to.name in ("index.md", "README.md"):
                # mdbook makes the one of the other, and leaves links to the other as they are.
                to = to.with_name("README.md" if to.name == "index.md" else "nothing")
            if not re.match(r"[a-z]+:|#", target) and (not to.exists() or DOCS not in to.parents):
                fault(page, f"{target} leads nowhere from the site")


# --- command lines


def commands_of(line):
    """The arguments of every sinew in a line of a shell, those within quotes too."""
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
        lexer.whitespace_split = True
        tokens = list(lexer)
    except ValueError:
        return
    command = []
    for token in [*tokens, ";"]:
        if re.fullmatch(r"[|&;<>]+", token):
            yield from whole(command)
            # What follows a redirection is a file.
            command = ["file"] if token in "<>>" else []
        else:
            command.append(token)


def whole(command):
    while command and re.fullmatch(r"\w+=.*", command[0]):
        command = command[1:]
    if command[:3] == ["cargo", "run", "--release"] and "--" in command:
        command = ["sinew", *command[command.index("--") + 1 :]]
    if command[:1] == ["sinew"]:
        yield command
    for token in command[1:]:
        if token.startswith("sinew "):
            yield from commands_of(token)


def command_lines():
    """Every command line of the pages: page, arguments, and whether it is given in full."""
    for page in markdown_files():
        for piece, language in pieces(page.read_text(encoding="utf-8")):
            if language in ("sh", "bash", "console"):
                for line in piece.replace("\\\n", " ").splitlines():
                    yield from ((page, command, True) for command in commands_of(line))
            elif language is None:
                for code in re.findall(r"`(sinew [^`\n]+)`", re.sub(r"(?<!\n)\n *(?!\n)", " ", piece)):
                    # A choice or something left out is no line that anyone types.
                    if not re.search(r"[…\[]|\.\.\.|\\?\||\bI/N\b", code):
                        yield from ((page, command, False) for command in commands_of(code))


# What a line that is only named, not given in full, may lack.
LACKS = re.compile(r"( is| are) missing;|^a command is missing|needs a value")


def check_commands(sinew):
    lines = list(command_lines())
    asked = "".join(json.dumps(command) + "\n" for _, command, _ in lines)
    answers = run(sinew, "manual", "lines", input=asked).splitlines()
    jobs = 0
    with tempfile.TemporaryDirectory() as empty:
        for (page, command, full), answer in zip(lines, answers, strict=True):
            line = shlex.join(command)
            if answer and not (not full and LACKS.search(answer)):
                fault(page, f"{line}: {answer}")
            elif full and command[1:2] not in (["run"], ["batch"], ["manual"], ["studio"], ["demo"], ["sample"], ["study"]):
                jobs += check_job(sinew, page, command, empty)
    return len(lines), jobs


def check_job(sinew, page, command, folder):
    """Whether a line makes a job. What fails for a file that is not there was read that far."""
    command = [*command, *(["--print-job"] if "--print-job" not in command else [])]
    answer = subprocess.run([sinew, *command[1:]], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if answer.returncode == 0:
        return 1
    if not re.search("no such file|does not exist|ffmpeg, which is not", answer.stderr, re.I):
        fault(page, f"{shlex.join(command)}: {answer.stderr.strip()}")
    return 0


def check_names(page):
    """Scripts, benchmarks and examples that a page names."""
    text = page.read_text(encoding="utf-8")
    for script in set(re.findall(r"(?<![\w/.])((?:bench|clients|farm|fuzz|web|blender|python|\.ci)/[\w/.-]*\.(?:py|sh|mjs|jl))\b", text)):
        if "NAME" not in script and not (ROOT / script).exists():
            fault(page, f"{script} is not there")
    for bench in set(re.findall(r"--bench (\w+)", text)):
        if not list(ROOT.glob(f"crates/*/benches/{bench}.rs")):
            fault(page, f"there is no benchmark {bench}")
    for example in set(re.findall(r"--example (\w+)", text)):
        if not list(ROOT.glob(f"crates/*/examples/{example}.rs")):
            fault(page, f"there is no example {example}")
    for variable in set(re.findall(r"-p ([\w-]+)", text)):
        if variable.startswith("sinew") and not (ROOT / "crates" / variable).is_dir():
            fault(page, f"there is no crate {variable}")


# --- the format


def floats(path):
    data = path.read_bytes()
    vertices, frames = struct.unpack_from("<12x4xi8xi", data)
    return struct.unpack_from(f"<{3 * vertices * frames}f", data, 32)


def check_format(sinew):
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        run(sinew, "sample", "creature", "--frames", "4", "--detail", "0.6", "-o", "c", "--quiet", cwd=at)
        pair = ["c/anim.pc2", "--rest", "c/rest.obj"]
        for options in (["--rank", "2"], ["--method", "pps"]):
            run(sinew, "skin", *pair, "--bones", "8", *options, "-o", "rig.sinew", "--quiet", cwd=at)
            run(sinew, "bake", "rig.sinew", "-o", "ours.pc2", "--quiet", cwd=at)
            reader = [sys.executable, DOCS / "formats/read_sinew.py", "rig.sinew", "-o", "theirs.pc2"]
            subprocess.run(reader, cwd=at, check=True, capture_output=True)
            ours, theirs = floats(at / "ours.pc2"), floats(at / "theirs.pc2")
            off = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
            if off > 1e-5:
                fault(DOCS / "formats/sinew.md", f"a reader written after it is off by {off} with {' '.join(options)}")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    built = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "sinew"
    sinew = Path(arguments[0] if arguments else built).resolve()
    if not sinew.exists():
        sys.exit(f"{sinew} is not there: cargo build --release builds it, or name it")
    made(sinew, "--write" in sys.argv)
    check_summary()
    pages = markdown_files()
    for page in pages:
        check_links(page)
        check_names(page)
    check_site()
    lines, jobs = check_commands(sinew)
    check_format(sinew)
    for line in dict.fromkeys(faults):
        print(line)
    print(f"{len(pages)} pages, {lines} command lines, {jobs} of them jobs: {len(dict.fromkeys(faults))} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
