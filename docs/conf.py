"""How Sphinx makes the pages of `make docs`: what is in this folder, and the reference from docstrings.

The root is the repository, so that links to the README and to examples hold. Nothing is fetched.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "python"))

from kibitz import __version__  # noqa: E402

project, copyright, release = "Kibitz", "", __version__  # noqa: A001 -- Sphinx's names
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
root_doc = "docs/contents"
include_patterns = ["README.md", "CONTRIBUTING.md", "docs/**"]
exclude_patterns = ["docs/conf.py"]

# What cannot be installed everywhere is not needed to say what is there.
autodoc_mock_imports = [name for name in ("gymnasium", "pettingzoo") if find_spec(name) is None]

# One backtick in a docstring is code, as in the pages.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
# In signatures, what a long union is called and not what it is made of.
autodoc_type_aliases = {"AnyGame": "AnyGame", "AnyPlanner": "AnyPlanner"}
myst_heading_anchors = 4
# A link to a file that is no page becomes a download.
suppress_warnings = ["myst.xref_missing"]

html_theme = "furo"
html_title = f"Kibitz {release}"
html_show_copyright = False
html_copy_source = False
