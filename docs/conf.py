"""The site: ``make docs`` builds it into docs/_build/html, with warnings as errors and without a network."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extension"))

import gallery  # noqa: E402
import reference  # noqa: E402

from minirel import __version__  # noqa: E402

project = "minirel"
author = "The minirel developers"
copyright = "The minirel developers, BSD-3-Clause"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "repository",
    "gallery",
    "llms",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = [
    "_build",
    "gallery/**/*.ipynb",
    "gallery/**/*.py",
    "reproduction/**",
]
templates_path = ["_templates"]
nitpicky = False

# ---- Markdown ----------------------------------------------------------------------------------------------
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline", "attrs_block"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

# ---- reference ---------------------------------------------------------------------------------------------
reference.write(HERE)
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
add_module_names = False
toc_object_entries = False

# ---- gallery -----------------------------------------------------------------------------------------------
sphinx_gallery_conf = gallery.settings(HERE)

# ---- look --------------------------------------------------------------------------------------------------
html_theme = "pydata_sphinx_theme"
html_title = "minirel"
html_static_path = ["_static"]
html_css_files = ["minirel.css"]
html_favicon = "_static/favicon.svg"
html_copy_source = True
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
# Pages without pages below them need no menu at their side.
ALONE = (
    "index",
    "quickstart",
    "why",
    "benchmarks",
    "theory",
    "reproduction",
    "faq",
    "glossary",
    "changelog",
)
html_sidebars = {page: [] for page in ALONE}
html_theme_options = {
    "logo": {"text": "minirel", "image_light": "_static/favicon.svg", "image_dark": "_static/favicon.svg"},
    "icon_links": [
        {"name": "GitHub", "url": "https://github.com/minirel/minirel", "icon": "fa-brands fa-github"},
    ],
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_selector = "div:not(.highlight-output) > div.highlight > pre"
