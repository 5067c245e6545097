"""What MkDocs asks while it builds: the pages that are generated take their places in the navigation."""

import json
import re
from pathlib import Path


def on_config(config):
    """Put the pages of navigation.json where mkdocs.yml names their chapter."""
    chapters = json.loads((Path(config.docs_dir).parent / "navigation.json").read_text(encoding="utf-8"))
    config.nav = [filled(each, chapters) for each in config.nav]
    return config


def filled(item, chapters):
    """An entry of the navigation; `...Findings` stands for the pages of that chapter."""
    if isinstance(item, dict):
        return {title: listed(value, chapters) for title, value in item.items()}
    return item


def listed(value, chapters):
    if isinstance(value, str) and value.startswith("..."):
        return [{title: path} for title, path in chapters[value.removeprefix("...")]]
    return [filled(each, chapters) for each in value] if isinstance(value, list) else value


def on_post_build(config):
    """Let the search put a short name first: cross_entropy before linear_cross_entropy."""
    path = Path(config.site_dir) / "search" / "search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    for entry in index["docs"]:
        if entry["location"].startswith("reference/") and "#" in entry["location"]:
            entry["boost"] = 1 + 1 / len(re.split("[._]", entry["title"]))
    path.write_text(json.dumps(index), encoding="utf-8")


# after the index was written, before the plugin `offline` makes a script of it; the name is MkDocs' own
on_post_build.mkdocs_priority = -50
