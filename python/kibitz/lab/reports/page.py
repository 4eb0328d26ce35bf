"""The frame of all pages: one file, nothing loaded from elsewhere, light and dark.

Everything that is not ours (names of games and planners, notes, texts) goes through `escape`; a
game's pictures go into `<img>` elements, where a browser runs nothing of what is in them. Without
scripts a page shows all that it has, one thing below the other.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files

# A browser refuses to load anything, even if something slipped in.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def document(title: str, body: Sequence[str]) -> str:
    """A whole page.

    >>> from kibitz.lab.reports.page import document
    >>> "<title>a &lt;b&gt;</title>" in document("a <b>", ["<p>text</p>"])
    True
    """
    parts = "\n".join(body)
    style, script = (
        files(__package__).joinpath(name).read_text("utf-8") for name in ("page.css", "page.js")
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{parts}\n"
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def image(svg: str, alt: str) -> str:
    """A picture as a part of the page.

    >>> from kibitz.lab.reports.page import image
    >>> image("<svg/>", "the board")
    '<img alt="the board" src="data:image/svg+xml;base64,PHN2Zy8+">'
    """
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}">'


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of plain texts; an interval stands below the figure that it belongs to.

    >>> from kibitz.lab.reports.page import table
    >>> "<td>&lt;b&gt;</td>" in table(["name"], [["<b>"]])
    True
    >>> "50 % <small>40 to 60</small>" in table(["name", "wins", "95 %"], [["a", "50 %", "40 to 60"]])
    True
    """
    top = "".join(f"<th>{escape(name)}{_below(below)}</th>" for name, below in _joined(head, head))
    lines = []
    for row in rows:
        cells = _joined(head, row)
        # The narrow page has no heads above, and shows them beside.
        heads = [None, *(name for name, _ in _joined(head, head)[1:])]
        lines.append(
            "".join(
                f"<td{_beside(name)}>{escape(cell)}{_below(below)}</td>"
                for name, (cell, below) in zip(heads, cells, strict=True)
            )
        )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return (
        f'<div class="wide folds"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _joined(head: Sequence[str], row: Sequence[str]) -> list[tuple[str, str]]:
    """Cells, each with that of the column of intervals that follows it."""
    found: list[tuple[str, str]] = []
    for name, cell in zip(head, row, strict=True):
        if INTERVAL.fullmatch(name) and found:
            found[-1] = found[-1][0], cell
        else:
            found.append((cell, ""))
    return found


INTERVAL = re.compile(r"[\d.]+ %")
"""What a column of intervals is called: how sure they are."""


def _below(words: str) -> str:
    return f" <small>{escape(words)}</small>" if words else ""


def _beside(head: str | None) -> str:
    return "" if head is None else f' data-head="{escape(head)}"'
