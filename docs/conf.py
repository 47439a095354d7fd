"""Sphinx: `make docs` builds with warnings as errors."""

from __future__ import annotations

import scrapy_urinorm

project = "scrapy-urinorm"
author = "scrapy-urinorm developers"
project_copyright = "scrapy-urinorm developers"
version = release = scrapy_urinorm.__version__

extensions = ["myst_parser", "sphinx_copybutton"]
exclude_patterns = ["_build"]
nitpicky = True
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]

html_theme = "furo"
html_title = f"{project} {version}"
html_static_path = ["_static"]
html_copy_source = False
html_theme_options = {
    "source_repository": "https://github.com/scrapy-urinorm/scrapy-urinorm/",
    "source_branch": "main",
    "source_directory": "docs/",
}
# the prompt is not part of the command
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
