"""A page of the documentation as a list of fenced blocks."""

import re
from dataclasses import dataclass, field
from pathlib import Path

RUN = ("bash", "python")  # executed
SHOWN = ("text", "toml", "json", "cpp", "cmake", "xml", "html", "yaml", "bibtex")  # or written

FENCE = re.compile(r"^```(\S*)\s*$")
COMMENT = re.compile(r"^<!--\s*(.*?)\s*-->$")
LIST_ITEM = re.compile(r"^\s*([-*]|\d+\.)\s")
# A first line that is a comment with nothing but a file's name.
FILE_NAME = re.compile(r"^(?:#|//|<!--)\s*([\w./-]+\.\w+)\s*(?:-->)?$")


class PageError(Exception):
    """The page breaks a rule of tests/docs/README.md; the message names the line."""


@dataclass
class Block:
    """One fenced block, its language, and the comments right above it."""

    language: str
    line: int  # of the opening fence, from 1
    text: str
    comments: list[str] = field(default_factory=list)

    @property
    def file_name(self):
        """The file that the block is written to; None for a block that is not."""
        first = FILE_NAME.match(self.text.split("\n", 1)[0])
        return first.group(1) if first else None

    @property
    def is_output(self):
        return "output" in self.comments

    @property
    def reason_not_to_run(self):
        return self._value("not run")

    @property
    def needs(self):
        return words(self._value("needs"))

    @property
    def exit_code(self):
        for comment in self.comments:
            if comment.startswith("exit "):
                return int(comment.removeprefix("exit "))
        return 0

    def _value(self, key):
        for comment in self.comments:
            if comment.startswith(key + ":"):
                return comment.removeprefix(key + ":").strip()
        return None


def words(text):
    return [word for word in re.split(r"[,\s]+", text or "") if word]


def known(comment):
    return comment == "output" or re.match(r"(needs:|not run:) *\S|exit \d+$", comment)


def read_page(file):
    """The page's blocks in order, and the features that the whole page needs."""
    blocks, page_needs, comments = [], [], []
    lines = Path(file).read_text(encoding="utf-8").split("\n")
    inside = None
    in_list = False
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line.strip())
        if inside is not None:
            if line.strip() == "```":
                blocks.append(inside)
                inside = None
            else:
                inside.text += line.removeprefix(indent) + "\n"
        elif fence:
            indent = line[: len(line) - len(line.lstrip())]
            inside = Block(fence.group(1), number, "", comments)
            comments = []
            check(inside)
        elif comment := COMMENT.match(line.strip()):
            comments.append(comment.group(1))
        elif line.strip():
            page_needs += drop_needs(comments)
            comments = []
            in_list = LIST_ITEM.match(line) or (in_list and line.startswith(" "))
            if line.startswith("    ") and not in_list and not lines[number - 2].strip():
                raise PageError(f"line {number}: code without a fence (must say its language)")
    if inside is not None:
        raise PageError(f"line {inside.line}: a fence that is not closed")
    for block, before in zip(blocks, [None, *blocks]):
        if block.is_output and (before is None or before.language not in RUN):
            raise PageError(f"line {block.line}: output without a command above it")
    return blocks, page_needs + drop_needs(comments)


def drop_needs(comments):
    """What comments that stand above no block say about the whole page."""
    found = []
    for comment in comments:
        if comment.startswith("needs:"):
            found += words(comment.removeprefix("needs:"))
    return found


def check(block):
    if block.language not in RUN + SHOWN:
        shown = block.language or "nothing"
        raise PageError(
            f"line {block.line}: a block's language is {shown} (must be {', '.join(RUN + SHOWN)})"
        )
    for comment in block.comments:
        if not known(comment):
            raise PageError(
                f"line {block.line}: {comment} is above a block (must be output, exit N, "
                "needs: FEATURES or not run: REASON)"
            )


PROGRESS = re.compile(r"carom: [a-z ]+ \d+ % after .*left")


def differing_line(shown, real):
    """None where `real` is what `shown` says, else where they part.

    A line `...` stands for any lines, `…` within a line for any text; trailing blanks and lines that
    tell the progress of a run of some seconds do not count.
    """
    shown = [line.rstrip() for line in shown.rstrip("\n").split("\n")]
    real = [line.rstrip() for line in real.rstrip("\n").split("\n") if not PROGRESS.fullmatch(line)]
    matches = [[False] * (len(real) + 1) for _ in range(len(shown) + 1)]
    matches[0][0] = True
    for i, wanted in enumerate(shown):
        if wanted.strip() == "...":
            for j in range(len(real) + 1):
                matches[i + 1][j] = matches[i][j] or (j > 0 and matches[i + 1][j - 1])
            continue
        for j, line in enumerate(real):
            matches[i + 1][j + 1] = matches[i][j] and line_matches(wanted, line)
    if matches[-1][-1]:
        return None
    for i in reversed(range(len(shown))):
        reached = [j for j in range(len(real) + 1) if matches[i][j]]
        if reached:
            wanted, j = shown[i], reached[0]
            found = repr(real[j]) if j < len(real) else "the end of the output"
            return f"line {i + 1} of the shown output is {wanted!r}, the real one has {found}"
    return None


def line_matches(wanted, line):
    pattern = ".*".join(re.escape(part) for part in wanted.split("…"))
    return re.fullmatch(pattern, line) is not None
