"""Results for people and for papers.

From the lowest to the highest: `names` (specs made short), `figures` (what there is to say), `text`
(the terminal), `tables` (CSV, LaTeX), `plots`, `page` (the frame of all pages), `replays`, `html`,
and `whole`, the report that has all of them.
"""

from kibitz.lab.reports.replays import replay_page, replay_section
from kibitz.lab.reports.text import columns, first_seat, match_table, percent, span
from kibitz.lab.reports.whole import Report, report

__all__ = [
    "Report",
    "columns",
    "first_seat",
    "match_table",
    "percent",
    "replay_page",
    "replay_section",
    "report",
    "span",
]
