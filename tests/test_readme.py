"""The README's Python is true, and that of the tutorials."""

from __future__ import annotations

import inspect
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest

import kibitz as kb

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


REFERENCE = sorted((ROOT / "docs" / "api").glob("*.rst"))
DIRECTIVE = re.compile(r"^\.\. auto(module|function|class|exception):: (\S+)", re.MULTILINE)


def test_the_reference_names_what_there_is() -> None:
    told = {name: kind for page in REFERENCE for kind, name in DIRECTIVE.findall(page.read_text("utf-8"))}
    for name, kind in told.items():
        if "gymnasium" in name or "pettingzoo" in name:
            pytest.importorskip("gymnasium", reason="kibitz[gym] is not installed")
        found = pkgutil.resolve_name(name)
        assert inspect.ismodule(found) == (kind == "module"), name
        assert inspect.isclass(found) == (kind in ("class", "exception")), name
    # What people meet first is told whole, but for constants, parts of packages and names of types.
    packages = {name for name, kind in told.items() if kind == "module"}
    for name in kb.__all__:
        thing = getattr(kb, name)
        home = getattr(thing, "__module__", "").rpartition(".")[0]
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert f"kibitz.{name}" in told or home in packages or name == "Entry", name


def test_the_index_leads_to_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"({page.name}" in index, page.name
