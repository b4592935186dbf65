"""A hook of mkdocs: reads the navigation from navigation.json, which pages.py writes."""

import json
import pathlib


def on_config(config):
    config.nav = json.loads(pathlib.Path(config.config_file_path).with_name("navigation.json").read_text())
    return config
