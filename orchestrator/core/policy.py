"""A product file, `content/products/<slug>.toml`, as one frozen value: what is published, when, at what cost.

    slug = "daily-brief"                      # as the file is called
    languages = ["en", "es"]
    priority = 0                              # smaller goes first
    phase = "automatic"                       # shadow · supervised · automatic
    approval = "auto"                         # or "person"
    feed_length = 30
    [titles]                                  # one for each language
    [owners]                                  # business, technical, recovery
    [schedule]                                # at, timezone, days, deadline, warn_before, catch_up, skip
    [scout]                                   # what research asks for, and what makes evidence sufficient
    [composition]                             # what an edition may look like; composition never has tools
    [budgets]                                 # ceilings of completed tables §4

Rules:
* unknown keys are refused everywhere, so a stage that may have no tools cannot be given any;
* durations are written "45m", "2h", "1d" and kept in ms; money is written in the price list's currency and
  kept in millionths;
* every refusal names the key and, where it can, what was meant (`read_policy`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, time
from difflib import get_close_matches
from enum import StrEnum
from typing import Annotated, Any, Self
from zoneinfo import ZoneInfo, available_timezones

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from orchestrator.core.canonical import SetLike, digest
from orchestrator.core.limits import MachinePolicy, OnUnknown
from orchestrator.errors import ConfigurationError

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION = re.compile(r"([0-9]{1,9})(ms|s|m|h|d)")


class Phase(StrEnum):
    """The launch sequence: nothing goes out, a person lets it out, policy lets it out."""

    SHADOW = "shadow"
    SUPERVISED = "supervised"
    AUTOMATIC = "automatic"


class Approval(StrEnum):
    """Who lets saved editions out."""

    AUTO = "auto"
    PERSON = "person"


def parse_duration_ms(text: object) -> int:
    """A duration such as "90s", "45m", "2h", "1d", "1h30m" in ms. ValueError for anything else."""
    parts = _DURATION.findall(text) if isinstance(text, str) else []
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f'{_shown(text)} is not a duration; write it like "45m", "2h" or "1d"')
    return sum(int(number) * _UNIT_MS[unit] for number, unit in parts)


def _micro(amount: object) -> int:
    if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < 1e9:
        raise ValueError(f"{_shown(amount)} is not an amount of money")
    return round(amount * 1_000_000)


def _clock_time(text: object) -> time:
    if isinstance(text, time):
        return text
    if not isinstance(text, str) or re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", text) is None:
        raise ValueError(f'{_shown(text)} is not a time of day; write it like "05:30"')
    return time.fromisoformat(text)


def _zone(name: str) -> str:
    if name not in available_timezones():
        raise ValueError(f"{_shown(name)} is not an IANA zone{_meant(name, available_timezones())}")
    return name


def _weekday(name: object) -> str:
    if not isinstance(name, str) or name not in WEEKDAYS:
        raise ValueError(f"{_shown(name)} is not a day; the days are {', '.join(WEEKDAYS)}")
    return name


def _each_once(items: tuple[Any, ...]) -> tuple[Any, ...]:
    doubled = sorted({str(item) for item in items if items.count(item) > 1})
    if doubled:
        raise ValueError(f"{', '.join(doubled)} is named more than once")
    return items


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _meant(word: str, words: Iterable[str]) -> str:
    close = get_close_matches(word, sorted(words), n=1)
    return f'; did you mean "{close[0]}"?' if close else ""


DurationMs = Annotated[int, BeforeValidator(parse_duration_ms)]
Micro = Annotated[int, BeforeValidator(_micro)]
Count = Annotated[int, Field(ge=1, le=1_000)]
Tokens = Annotated[int, Field(ge=1, le=10_000_000)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
Domain = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)+$")]
Codes = Annotated[tuple[Slug, ...], AfterValidator(_each_once)]


class PolicyModel(BaseModel):
    """Base of all parts: closed, frozen, nothing coerced except what TOML cannot say."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Owners(PolicyModel):
    """Roles that are called: for the product, for the machine, for what is stuck (I16)."""

    business: Words
    technical: Words
    recovery: Words


class Schedule(PolicyModel):
    """When an edition is due, in wall-clock time of its zone.

    `deadline_ms` counts from the scheduled instant; `warn_before_ms` before the deadline. A missed target is
    made good while it is no older than `catch_up_ms`; `skip` names dates that are left out on purpose.
    """

    at: Annotated[time, BeforeValidator(_clock_time)]
    timezone: Annotated[str, AfterValidator(_zone)]
    days: Annotated[
        tuple[Annotated[str, BeforeValidator(_weekday)], ...], Field(min_length=1), AfterValidator(_each_once)
    ] = WEEKDAYS
    deadline_ms: Annotated[DurationMs, Field(alias="deadline", ge=60_000, le=7 * 86_400_000)]
    warn_before_ms: Annotated[DurationMs, Field(alias="warn_before")] = 900_000
    catch_up_ms: Annotated[DurationMs, Field(alias="catch_up", le=31 * 86_400_000)] = 86_400_000
    skip: Annotated[tuple[date, ...], AfterValidator(_each_once)] = ()

    @property
    def zone(self) -> ZoneInfo:
        """The zone's rules."""
        return ZoneInfo(self.timezone)

    def runs_on(self, day: date) -> bool:
        """Whether this weekday has an edition; a skipped date still counts as one that was meant."""
        return WEEKDAYS[day.weekday()] in self.days

    @model_validator(mode="after")
    def _warns_in_time(self) -> Self:
        if self.warn_before_ms >= self.deadline_ms:
            raise ValueError("warn_before must be shorter than deadline")
        return self


class ScoutPolicy(PolicyModel):
    """What one research job is asked for, and which evidence suffices."""

    candidates: Annotated[int, Field(ge=1, le=50)] = 14
    brief: str = ""  # what the product is about, for the prompt
    regions: Annotated[Codes, Field(min_length=1)]
    topics: Annotated[Codes, Field(min_length=1)]
    required_regions: Codes = ()
    required_topics: Codes = ()
    allowed_domains: Annotated[tuple[Domain, ...], AfterValidator(_each_once), Field(max_length=100)] = ()
    freshness_days: Count = 3  # at least one source of a candidate is no older
    window_days: Count = 3  # the event itself is no older
    corroboration: Count = 2  # independent publishers per candidate
    primary_source_topics: Codes = ()  # candidates on these need a primary source
    compared_editions: Annotated[int, Field(ge=0, le=100)] = 14  # earlier editions a story is compared with

    @model_validator(mode="after")
    def _requires_what_it_knows(self) -> Self:
        known = {"regions": self.regions, "topics": self.topics}
        for key, noun in (
            ("required_regions", "regions"),
            ("required_topics", "topics"),
            ("primary_source_topics", "topics"),
        ):
            for code in getattr(self, key):
                if code not in known[noun]:
                    raise ValueError(f'{key}: "{code}" is not among {noun}{_meant(code, known[noun])}')
        return self


class CompositionPolicy(PolicyModel):
    """What an edition may look like."""

    events_min: Count = 5
    events_max: Count = 10
    fewer_allowed: bool = False  # publish with what there is, when research ends with fewer than events_min
    sentences_min: Count = 2
    sentences_max: Count = 6
    sentence_chars_max: Annotated[int, Field(ge=40, le=2_000)] = 400
    headline_chars_max: Annotated[int, Field(ge=20, le=400)] = 120
    style: str = ""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.events_min > self.events_max:
            raise ValueError("events_min is greater than events_max")
        if self.sentences_min > self.sentences_max:
            raise ValueError("sentences_min is greater than sentences_max")
        return self


class Budgets(PolicyModel):
    """Ceilings of completed tables §4. None as a cost means that no ceiling is set."""

    generation_attempts: Count = 3
    generations: Count = 3
    composition_generations: Count = 3
    polls: Count = 30
    retrievals: Count = 10
    age_ms: Annotated[DurationMs, Field(alias="age", ge=60_000)] = 7_200_000
    ambiguity_window_ms: Annotated[DurationMs, Field(alias="ambiguity_window")] = 900_000
    ambiguity_max_age_ms: Annotated[DurationMs, Field(alias="ambiguity_max_age")] = 86_400_000
    on_unknown: OnUnknown | None = None  # None: as [provider] says
    supplemental_rounds: Annotated[int, Field(ge=0, le=10)] = 2
    max_tool_calls: Count = 40
    input_tokens: Tokens = 60_000
    count_input: bool = False  # ask the provider how many tokens a request has before it is sent
    output_tokens: Tokens = 12_000  # asked for first; truncation doubles it up to the ceiling
    output_ceiling_tokens: Tokens = 24_000
    cost_per_process_micro: Annotated[Micro | None, Field(alias="cost_per_process")] = None
    cost_per_day_micro: Annotated[Micro | None, Field(alias="cost_per_day")] = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.output_tokens > self.output_ceiling_tokens:
            raise ValueError("output_tokens is greater than output_ceiling_tokens")
        if self.ambiguity_window_ms > self.ambiguity_max_age_ms:
            raise ValueError("ambiguity_window is longer than ambiguity_max_age")
        return self


class ProductPolicy(PolicyModel):
    """One publication. Make it with `read_policy`, which says in one line what is wrong."""

    slug: Slug
    languages: Annotated[tuple[Language, ...], Field(min_length=1), AfterValidator(_each_once)]
    titles: Mapping[Language, Words]
    owners: Owners
    schedule: Schedule
    scout: ScoutPolicy
    composition: CompositionPolicy = CompositionPolicy()
    budgets: Budgets = Budgets()
    approval: Approval = Approval.AUTO
    phase: Phase = Phase.AUTOMATIC
    priority: Annotated[int, Field(ge=0, le=1_000)] = 0
    feed_length: Annotated[int, Field(ge=1, le=500)] = 30

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if set(self.titles) != set(self.languages):
            raise ValueError(f"titles: one is needed for each of {', '.join(self.languages)}, and no other")
        if self.composition.events_max > self.scout.candidates:
            raise ValueError("composition.events_max is greater than scout.candidates")
        return self

    @property
    def approves_itself(self) -> bool:
        """Whether saved editions go out without a person: in shadow nothing goes out, however it is approved."""
        return self.approval is Approval.AUTO and self.phase is Phase.AUTOMATIC

    @property
    def events_needed(self) -> int:
        """The fewest accepted events that an edition can be made of."""
        return 1 if self.composition.fewer_allowed else self.composition.events_min

    def machine_policy(
        self, *, poll_ms: tuple[int, int] = (20_000, 60_000), on_unknown: OnUnknown = OnUnknown.HOLD
    ) -> MachinePolicy:
        """The budgets as the machine reads them. `poll_ms` and `on_unknown` are what [provider] says."""
        budgets = self.budgets
        return MachinePolicy(
            generation_attempts=budgets.generation_attempts,
            generations=budgets.generations,
            composition_generations=budgets.composition_generations,
            polls=budgets.polls,
            retrievals=budgets.retrievals,
            poll_min_ms=poll_ms[0],
            poll_max_ms=poll_ms[1],
            age_ms=budgets.age_ms,
            ambiguity_window_ms=budgets.ambiguity_window_ms,
            ambiguity_max_age_ms=budgets.ambiguity_max_age_ms,
            on_unknown=budgets.on_unknown or on_unknown,
        )

    def editorial(self) -> dict[str, object]:
        """What decides the text of an edition, and nothing else: the material of the policy digest.

        Owners, times, budgets and phases may change without making a paid contract another one.
        """
        scout = self.scout.model_dump(mode="json")
        for key in ("regions", "topics", "required_regions", "required_topics"):
            scout[key] = SetLike(scout[key])
        for key in ("allowed_domains", "primary_source_topics"):
            scout[key] = SetLike(scout[key])
        return {
            "slug": self.slug,
            "languages": SetLike(self.languages),
            "titles": dict(self.titles),
            "scout": scout,
            "composition": self.composition.model_dump(mode="json"),
        }

    @property
    def policy_digest(self) -> str:
        """`sha256:…` of the editorial part."""
        return digest(self.editorial())


def read_policy(data: Mapping[str, object], *, place: str) -> ProductPolicy:
    """A product file's parsed TOML as a policy. `place` is how the file is called in messages.

    Errors: `ConfigurationError` whose first line is `place: key: what is wrong`, one line per finding.
    """
    try:
        return ProductPolicy.model_validate(data)
    except ValidationError as error:
        findings = [f"{place}: {finding}" for finding in findings_of(error, ProductPolicy)]
    raise ConfigurationError("\n".join(findings), hint="Correct the file; nothing was changed.")


def findings_of(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Each of pydantic's findings as `key.path: what is wrong`, without its address book of types."""
    findings = []
    for entry in error.errors(include_url=False):
        path = ".".join(str(part) for part in entry["loc"])
        said = _said(entry["type"], entry["msg"], entry["loc"], model)
        findings.append(f"{path}: {said}" if path else said)
    return findings


def _said(kind: str, message: str, loc: tuple[int | str, ...], model: type[BaseModel]) -> str:
    if kind == "missing":
        return "is required"
    if kind == "extra_forbidden":
        return f"unknown key{_meant(str(loc[-1]), _keys(model, loc[:-1]))}"
    return message.removeprefix("Value error, ")


def _keys(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """The keys that the table at this place knows."""
    for part in loc:
        found = model.model_fields.get(str(part))
        inner = found.annotation if found else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        model = inner
    return [field.alias or name for name, field in model.model_fields.items()]
