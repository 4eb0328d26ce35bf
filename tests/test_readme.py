"""The README's Python is true, and that of the tutorials."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TUTORIALS = sorted((ROOT / "docs").glob("tutorial-*.md"))


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_python_runs(block: str) -> None:
    if "adapters.gymnasium" in block:
        pytest.importorskip("gymnasium", reason="kibitz[gym] is not installed")
    exec(block, {"__name__": "readme"})


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_tutorials_run(page: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 3
    names: dict[str, Any] = {"__name__": "tutorial"}
    for block in blocks:
        exec(block, names)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "docs" / "index.md", *TUTORIALS], ids=lambda page: page.stem
)
def test_links_exist(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link
