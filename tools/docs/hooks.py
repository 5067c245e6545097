"""What MkDocs asks while it builds: the pages that are generated take their places in the navigation."""

import json
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
