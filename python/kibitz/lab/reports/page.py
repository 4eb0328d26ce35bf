"""The frame of all pages: one file, nothing loaded from elsewhere, light and dark.

Everything that is not ours (names of games and planners, notes, texts) goes through `escape`; a
game's pictures go into `<img>` elements, where a browser runs nothing of what is in them. Without
scripts a page shows all that it has, one thing below the other.
"""

from __future__ import annotations

import base64
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
    """A table of plain texts.

    >>> from kibitz.lab.reports.page import table
    >>> "<td>&lt;b&gt;</td>" in table(["name"], [["<b>"]])
    True
    """
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
