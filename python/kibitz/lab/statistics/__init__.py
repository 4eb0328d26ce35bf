"""The statistics that make figures honest.

`intervals` (shares and means), `paired` (two planners on the same deals, rank tests), `ratings` (Elo
from games between many), `sprt` (stopping as soon as a match is decided).
"""

from kibitz.lab.statistics.intervals import (
    Interval,
    bootstrap_mean,
    clopper_pearson,
    mean_and_error,
    mean_interval,
    wilson,
)
from kibitz.lab.statistics.paired import (
    Difference,
    RankTest,
    friedman,
    mann_whitney,
    paired_difference,
    wilcoxon,
)
from kibitz.lab.statistics.ratings import Rating, bradley_terry
from kibitz.lab.statistics.sprt import Sprt, Verdict, sprt

__all__ = [
    "Difference",
    "Interval",
    "RankTest",
    "Rating",
    "Sprt",
    "Verdict",
    "bootstrap_mean",
    "bradley_terry",
    "clopper_pearson",
    "friedman",
    "mann_whitney",
    "mean_and_error",
    "mean_interval",
    "paired_difference",
    "sprt",
    "wilcoxon",
    "wilson",
]
