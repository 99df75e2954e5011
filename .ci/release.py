#!/usr/bin/env python3
"""Holds the crates to what crates.io asks for: .ci/release.py [--page] [--publish]

Prints the crates in the order in which they can be published and checks each: what crates.io shows of it, what is in its package, the
licences of all that it is built with (deny.toml), and one version everywhere. A crate all of whose dependencies are published is also
tried with `cargo publish --dry-run`.

--page puts the built page of the studio (web/dist) into the package of sinew-studio, which is how it gets to crates.io.
--publish publishes, one after the other. It asks before it begins.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
faults = []


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], cwd=ROOT, capture_output=True, text=True)


def metadata():
    answer = cargo("metadata", "--format-version", "1", "--locked")
    if answer.returncode:
        sys.exit(answer.stderr)
    return json.loads(answer.stdout)


def needed(package, names):
    """What of ours has to be published before. What tests alone need, by path, is left out of a package."""
    return {d["name"] for d in package["dependencies"] if d["name"] in names and not (d["kind"] == "dev" and d["req"] == "*")}


def in_order(packages):
    """Those that are needed first."""
    names = {p["name"] for p in packages}
    needs = {p["name"]: needed(p, names) for p in packages}
    order = []
    while len(order) < len(packages):
        order += sorted(name for name in names if name not in order and needs[name] <= set(order))
    return order


def is_published(name, version):
    """Whether crates.io has this version; not, where nobody answers."""
    address = f"https://index.crates.io/{name[:2]}/{name[2:4]}/{name}"
    try:
        with urllib.request.urlopen(address, timeout=20) as answer:
            return any(json.loads(line)["vers"] == version for line in answer.read().decode().splitlines())
    except (urllib.error.URLError, OSError):
        return False


def check_facts(package):
    name = package["name"]
    for field in ("description", "license", "readme", "keywords", "categories", "rust_version"):
        if not package.get(field):
            faults.append(f"{name}: has no {field}")
    if len(package["keywords"]) > 5 or any(len(word) > 20 for word in package["keywords"]):
        faults.append(f"{name}: at most five keywords of twenty letters")
    for dependency in package["dependencies"]:
        if dependency.get("path") and dependency["kind"] != "dev" and dependency["req"] == "*":
            faults.append(f"{name}: {dependency['name']} is named without a version")


def check_contents(name, page):
    answer = cargo("package", "-p", name, "--list", "--allow-dirty")
    if answer.returncode:
        faults.append(f"{name}: {answer.stderr.strip()}")
        return 0
    files = answer.stdout.split()
    for wanted in ("Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE"):
        if wanted not in files:
            faults.append(f"{name}: {wanted} is not in the package")
    for stray in (f for f in files if f.startswith(("tests/", "target/"))):
        faults.append(f"{name}: {stray} should not be in the package")
    if name == "sinew-studio" and page and "page/index.html" not in files:
        faults.append(f"{name}: the page is not in the package")
    return len(files)


def allowed(expression, words):
    """Whether a licence expression can be met with these."""
    tokens = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))

    def one():
        token = tokens.pop(0)
        if token == "(":
            value = either()
            tokens.pop(0)
            return value
        if tokens[:1] == ["WITH"]:
            tokens.pop(0)
            token += f" WITH {tokens.pop(0)}"
        return token in words

    def both():
        value = one()
        while tokens[:1] == ["AND"]:
            tokens.pop(0)
            value = one() and value
        return value

    def either():
        value = both()
        while tokens[:1] == ["OR"]:
            tokens.pop(0)
            value = both() or value
        return value

    return either()


def check_licences(packages):
    words = set(tomllib.loads((ROOT / "deny.toml").read_text())["licenses"]["allow"])
    for package in packages:
        if not (package["license"] and allowed(package["license"], words)):
            faults.append(f"{package['name']}: the licence {package['license']} is not in deny.toml")


def check_versions(version):
    places = {
        "blender/sinew/blender_manifest.toml": r'^version = "(.*)"',
        "CITATION.cff": r"^version: (.*)",
    }
    for name, pattern in places.items():
        found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.M)
        if not found or found[1] != version:
            faults.append(f"{name}: is of version {found and found[1]}, the crates of {version}")


def main():
    page = "--page" in sys.argv
    inside = ROOT / "crates/sinew-studio/page"
    if page:
        built = ROOT / "web/dist"
        if not (built / "index.html").exists():
            sys.exit("web/dist is not there: npm --prefix web ci && npm --prefix web run build")
        shutil.rmtree(inside, ignore_errors=True)
        shutil.copytree(built, inside)
    everything = metadata()
    ours = [p for p in everything["packages"] if p["id"] in everything["workspace_members"] and p["publish"] is None]
    by_name = {p["name"]: p for p in ours}
    version = ours[0]["version"]
    check_versions(version)
    check_licences(everything["packages"])
    order = in_order(ours)
    published = {name for name in order if is_published(name, version)}
    for name in order:
        package = by_name[name]
        check_facts(package)
        files = check_contents(name, page)
        needs = needed(package, by_name)
        tried = "waits for " + ", ".join(sorted(needs - published)) if needs - published else "ready"
        if name in published:
            tried = "published"
        elif not needs - published:
            answer = cargo("publish", "-p", name, "--dry-run", "--allow-dirty", "--no-verify", "--locked")
            if answer.returncode:
                faults.append(f"{name}: {answer.stderr.strip()}")
        print(f"{name} {version}: {files} files, {tried}")
    print("\n".join(faults) or "nothing is missing")
    if "--publish" in sys.argv and not faults:
        if not page:
            sys.exit("--publish needs --page: without it people get a studio without its page")
        if input(f"Publish {', '.join(n for n in order if n not in published)}? [yes] ") == "yes":
            for name in order:
                if name not in published:
                    # Cargo waits until the index has it.
                    subprocess.run(["cargo", "publish", "-p", name, "--locked", "--allow-dirty"], cwd=ROOT, check=True)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
