"""Results for people: tables and pages.

From the lowest to the highest: `text` (the terminal), `page` (the frame of all pages), `replays`.
"""

from kibitz.lab.report.replays import replay_page, replay_section
from kibitz.lab.report.text import columns, first_seat, match_table, percent, span

__all__ = ["columns", "first_seat", "match_table", "percent", "replay_page", "replay_section", "span"]
