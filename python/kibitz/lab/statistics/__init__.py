"""The statistics that make figures honest.

`intervals` (shares and means), `bounded` (means of bounded values over deals, looked at once or again and
again), `paired` (two planners on the same deals, rank tests), `ratings` (Elo
from games between many), `sprt` (stopping as soon as a match is decided).
"""

from kibitz.lab.statistics.bounded import bounded_mean, confidence_sequence, mean_of_deals
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
    "bounded_mean",
    "bradley_terry",
    "clopper_pearson",
    "confidence_sequence",
    "friedman",
    "mann_whitney",
    "mean_and_error",
    "mean_interval",
    "mean_of_deals",
    "paired_difference",
    "sprt",
    "wilcoxon",
    "wilson",
]
