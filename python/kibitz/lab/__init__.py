"""Measuring how well planners play: matches, experiments, and the statistics that make them honest.

From the lowest to the highest: `statistics` (intervals, ratings, tests), `seating` (who sits where),
`record` (what is kept of an episode), `standings` (what episodes come to), `document` and
`experiment` (the file and what it says), `cells` (all that it stands for, checked), `stopping`,
`episodes` (playing one, and its faults), `results` and `store` (the folder), `executors` (where it is
played), `match`, `run`; and for people `replay`, `reports`, `reproduce`.
"""

from kibitz.lab.cells import Cell
from kibitz.lab.document import ExperimentError
from kibitz.lab.experiment import Experiment, Pairing, Stop, read_toml
from kibitz.lab.match import match, play_games
from kibitz.lab.record import Fault, Record
from kibitz.lab.reports import Report, report
from kibitz.lab.results import Results, StoreError
from kibitz.lab.run import FaultError, run
from kibitz.lab.standings import GameFacts, MatchResult, Standing, summarise
from kibitz.lab.statistics import Interval, Rating, bradley_terry, clopper_pearson, wilson

__all__ = [
    "Cell",
    "Experiment",
    "ExperimentError",
    "Fault",
    "FaultError",
    "GameFacts",
    "Interval",
    "MatchResult",
    "Pairing",
    "Rating",
    "Record",
    "Report",
    "Results",
    "Standing",
    "Stop",
    "StoreError",
    "bradley_terry",
    "clopper_pearson",
    "match",
    "play_games",
    "read_toml",
    "report",
    "run",
    "summarise",
    "wilson",
]
