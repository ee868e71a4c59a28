#!/usr/bin/env python3
"""Checks that every relative link of the given pages leads to a file, and to a heading in it."""

import re
import sys
from pathlib import Path

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def anchors(page):
    """The headings' names as GitHub makes them."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ +(.*?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page):
    for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"\w+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists():
            yield f"{page}: {link}: there is no such file"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{page}: {link}: there is no such heading"


def main():
    pages = [Path(name) for name in sys.argv[1:]]
    broken = [line for page in pages for line in broken_links(page)]
    print("\n".join(broken) or f"{len(pages)} pages, no broken links")
    return 1 if broken or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
