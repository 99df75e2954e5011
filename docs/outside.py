#!/usr/bin/env python3
"""What mdbook asks for while it builds the site (see book.toml): pages that stand elsewhere in the repository, and links out of it.

`<!-- include ../python/README.md -->` becomes that page, its links as they are from here and its heading one lower. Links to a
README.md go to the index that mdbook makes of it. Links to what is no page of the site go to the repository where
`SINEW_REPOSITORY` names its address (https://HOST/OWNER/NAME), and are words otherwise.
"""

import json
import os
import posixpath
import re
import sys
from pathlib import Path

BOOK = Path(__file__).resolve().parent
REPOSITORY = os.environ.get("SINEW_REPOSITORY", "").rstrip("/")

INCLUDE = re.compile(r"^<!-- include (\S+) -->$", re.M)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def parts(text):
    """The text in pieces, and whether each is code."""
    for number, piece in enumerate(re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)):
        yield piece, number % 2 == 1


def each_link(text, change):
    """The text with every link as `change(image, words, target)` has it, but for those in code."""
    return "".join(piece if code else LINK.sub(lambda m: change(*m.groups()), piece) for piece, code in parts(text))


def leads_away(target):
    return re.match(r"[a-z]+:|#", target)


def written_out(image, words, target):
    return f"{image}[{words}]({target})"


def included(text, folder):
    """The text with the pages it includes; `folder` is the page's own, below the book."""

    def page(match):
        path = posixpath.normpath(posixpath.join(folder, match[1]))
        text = (BOOK / path).read_text(encoding="utf-8")

        def moved(image, words, target):
            if leads_away(target):
                return written_out(image, words, target)
            whole = posixpath.join(posixpath.dirname(path), target)
            return written_out(image, words, posixpath.relpath(whole, folder or "."))

        text = each_link(text, moved)
        return "".join(piece if code else re.sub(r"^#", "##", piece, flags=re.M) for piece, code in parts(text))

    return INCLUDE.sub(page, text)


def of_the_site(text, folder, pages):
    """The text with links that lead somewhere from the site."""

    def change(image, words, target):
        name, _, _ = target.partition("#")
        path = posixpath.normpath(posixpath.join(folder, name))
        inside = path in pages or (not path.startswith("..") and not path.endswith(".md") and (BOOK / path).exists())
        if leads_away(target) or inside:
            # The site calls a folder's page its index.
            return written_out(image, words, re.sub(r"\bREADME\.md\b", "index.md", target) if path in pages else target)
        if not REPOSITORY:
            return words
        root = posixpath.normpath(posixpath.join("docs", path))
        return written_out(image, words, f"{REPOSITORY}/blob/HEAD/{root}")

    return each_link(text, change)


def chapters(items):
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"]["sub_items"])


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    every = [c for c in chapters(book.get("items") or book.get("sections")) if c.get("source_path")]
    pages = {posixpath.normpath(c["source_path"]) for c in every}
    for chapter in every:
        folder = posixpath.dirname(chapter["source_path"])
        chapter["content"] = of_the_site(included(chapter["content"], folder), folder, pages)
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
