"""Everything in this process: for debugging, for one job, and for planners that cannot be sent."""

from __future__ import annotations

import time

from kibitz.lab.episodes import Playing
from kibitz.lab.executors import Events, Finished, NewFile, NextBatch
from kibitz.lab.store import Sink


class Inline:
    """Plays one episode after the other."""

    workers = 1
    batch_seconds = 0.0  # every episode counts at once

    def __init__(self, playing: Playing, new_file: NewFile) -> None:
        self._playing, self._new_file = playing, new_file

    def run(self, next_batch: NextBatch) -> Events:
        """Plays until there is nothing left."""
        file = self._new_file()
        sink = None if file is None else Sink(file)
        try:
            while batch := next_batch():
                for job in batch:
                    begin = time.perf_counter()
                    record, played = self._playing.play(job)
                    if sink is not None:
                        sink.put(record, played)
                    yield Finished([record], [time.perf_counter() - begin])
        finally:
            if sink is not None:
                sink.close()
