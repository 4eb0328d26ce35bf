"""The README's Python is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_python_runs(block: str) -> None:
    if "adapters.gymnasium" in block:
        pytest.importorskip("gymnasium", reason="kibitz[gym] is not installed")
    exec(block, {"__name__": "readme"})


def test_links_exist() -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (Path(__file__).parents[1] / link).exists(), link
