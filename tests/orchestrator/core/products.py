"""A product file for tests, as parsed TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from orchestrator.core.policy import ProductPolicy, Schedule, read_policy

TOML = """
slug = "daily-brief"
languages = ["en", "es"]
priority = 10
approval = "auto"
feed_length = 20

[titles]
en = "Daily Brief"
es = "Informe diario"

[owners]
business = "editor in chief"
technical = "platform desk"
recovery = "night desk"

[schedule]
at = "05:30"
timezone = "America/Chicago"
days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
deadline = "1h"
warn_before = "15m"
catch_up = "1d"

[scout]
candidates = 14
regions = ["africa", "americas", "europe"]
topics = ["economy", "security"]
required_regions = ["europe"]
allowed_domains = ["news.example"]
freshness_days = 3

[composition]
events_min = 5
events_max = 9
style = "Plain."

[budgets]
age = "90m"
cost_per_process = 1.25
"""

Table = dict[str, Any]


def product(**tables: Mapping[str, object] | object) -> Table:
    """The product file; a mapping is laid over the table of that name, anything else replaces a key."""
    data: Table = deepcopy(tomllib.loads(TOML))
    for key, value in tables.items():
        data[key] = {**data.get(key, {}), **value} if isinstance(value, Mapping) else value
    return data


def policy(**tables: Mapping[str, object] | object) -> ProductPolicy:
    return read_policy(product(**tables), place="content/products/daily-brief.toml")


def schedule(**keys: object) -> Schedule:
    return policy(schedule=keys).schedule
