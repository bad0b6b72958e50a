"""Failures of validation: their codes, the layers they belong to, and what each one costs.

A failure names a code, a JSON pointer, an entity and a detail class from a bounded set; it never holds
article text. The pointer's root is the Response object for the layers transport, status and tool use, and
the answer (the JSON in the final message) for all later ones.

What a failure costs (completed tables §0):
* `JOB`        the whole answer fails: transport, status, schema, tool use, nothing usable, any composition fault;
* `COUNT`      the answer fails, but its valid candidates can be salvaged;
* `CANDIDATE`  the candidate or patch at `/candidates/N`, `/new_candidates/N`, `/candidate_patches/N` is refused;
* `PART`       one source or claim is dropped; the candidate stands while a claim is left;
* `NOTE`       recorded only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from orchestrator.contracts.models import ContractModel


class Layer(StrEnum):
    """In the order in which they run; a failure of one of the first four ends the validation."""

    TRANSPORT = "transport"
    STATUS = "provider_status"
    SCHEMA = "schema"
    TOOL_USE = "tool_use"
    SOURCE = "source"
    CITATION = "citation_graph"
    CANDIDATE = "candidate"
    COMPOSITION = "composition"
    PARITY = "bilingual_parity"
    SAFETY = "safety"


class Cost(StrEnum):
    """What a failure costs; see the module's head."""

    JOB = "JOB"
    COUNT = "COUNT"
    CANDIDATE = "CANDIDATE"
    PART = "PART"
    NOTE = "NOTE"


class Code(StrEnum):
    """Every failure that validation knows."""

    WRONG_CONTENT_TYPE = "WRONG_CONTENT_TYPE"
    NOT_JSON = "NOT_JSON"
    TRUNCATED_JSON = "TRUNCATED_JSON"
    NOT_A_RESPONSE = "NOT_A_RESPONSE"
    WRONG_RESPONSE_ID = "WRONG_RESPONSE_ID"

    NOT_COMPLETED = "NOT_COMPLETED"
    INCOMPLETE = "INCOMPLETE"
    REFUSED = "REFUSED"
    NO_MESSAGE = "NO_MESSAGE"
    EMPTY_OUTPUT = "EMPTY_OUTPUT"

    OUTPUT_NOT_JSON = "OUTPUT_NOT_JSON"
    SCHEMA_MISMATCH = "SCHEMA_MISMATCH"
    UNKNOWN_FIELD = "UNKNOWN_FIELD"
    MISSING_FIELD = "MISSING_FIELD"
    WRONG_CONTRACT = "WRONG_CONTRACT"
    WRONG_TARGET_DATE = "WRONG_TARGET_DATE"
    PUBLICATION_PROSE = "PUBLICATION_PROSE"

    NO_USABLE_SEARCH = "NO_USABLE_SEARCH"
    TOO_MANY_TOOL_CALLS = "TOO_MANY_TOOL_CALLS"
    FOREIGN_TOOL = "FOREIGN_TOOL"
    TOOL_IN_COMPOSITION = "TOOL_IN_COMPOSITION"

    SOURCE_NOT_RETRIEVED = "SOURCE_NOT_RETRIEVED"
    SOURCE_URL_REFUSED = "SOURCE_URL_REFUSED"
    SOURCE_DOMAIN_NOT_ALLOWED = "SOURCE_DOMAIN_NOT_ALLOWED"
    SOURCE_PUBLISHER_MISMATCH = "SOURCE_PUBLISHER_MISMATCH"
    SOURCE_DATE_INVALID = "SOURCE_DATE_INVALID"
    SOURCE_AFTER_TARGET = "SOURCE_AFTER_TARGET"
    SOURCE_TOO_OLD = "SOURCE_TOO_OLD"
    CLAIM_WITHOUT_SOURCE = "CLAIM_WITHOUT_SOURCE"

    CITATION_ORPHAN = "CITATION_ORPHAN"
    CITATION_UNUSED = "CITATION_UNUSED"
    CANDIDATE_WITHOUT_CLAIM = "CANDIDATE_WITHOUT_CLAIM"
    DUPLICATE_ID = "DUPLICATE_ID"
    ANNOTATION_OUTSIDE_TEXT = "ANNOTATION_OUTSIDE_TEXT"

    WRONG_COUNT = "WRONG_COUNT"
    NOTHING_USABLE = "NOTHING_USABLE"
    DUPLICATE_CANDIDATE = "DUPLICATE_CANDIDATE"
    ALREADY_PUBLISHED = "ALREADY_PUBLISHED"
    CHRONOLOGY_INVALID = "CHRONOLOGY_INVALID"
    CHRONOLOGY_OUTSIDE_WINDOW = "CHRONOLOGY_OUTSIDE_WINDOW"
    REGION_UNKNOWN = "REGION_UNKNOWN"
    TOPIC_UNKNOWN = "TOPIC_UNKNOWN"
    FIELD_EMPTY = "FIELD_EMPTY"
    FIELD_TOO_LONG = "FIELD_TOO_LONG"
    PATCH_TARGET_UNKNOWN = "PATCH_TARGET_UNKNOWN"

    EVENT_SET_MISMATCH = "EVENT_SET_MISMATCH"
    LANGUAGE_SET_MISMATCH = "LANGUAGE_SET_MISMATCH"
    CLAIM_NOT_SUPPLIED = "CLAIM_NOT_SUPPLIED"
    FACT_WITHOUT_CLAIM = "FACT_WITHOUT_CLAIM"
    FACT_NOT_IN_CLAIM = "FACT_NOT_IN_CLAIM"
    URL_IN_PROSE = "URL_IN_PROSE"
    LENGTH_OUT_OF_RANGE = "LENGTH_OUT_OF_RANGE"

    PARITY_NUMBER = "PARITY_NUMBER"
    PARITY_PERCENTAGE = "PARITY_PERCENTAGE"
    PARITY_MONEY = "PARITY_MONEY"
    PARITY_DATE = "PARITY_DATE"
    PARITY_TIME = "PARITY_TIME"
    PARITY_UNIT = "PARITY_UNIT"
    PARITY_NAME = "PARITY_NAME"
    PARITY_HEDGE = "PARITY_HEDGE"
    PARITY_NEGATION = "PARITY_NEGATION"
    PARITY_ATTRIBUTION = "PARITY_ATTRIBUTION"
    PARITY_OPPOSITE = "PARITY_OPPOSITE"
    PARITY_QUOTE = "PARITY_QUOTE"
    PARITY_MISSING = "PARITY_MISSING"
    PARITY_CLAIMS = "PARITY_CLAIMS"
    PARITY_LENGTH = "PARITY_LENGTH"
    PARITY_LANGUAGE = "PARITY_LANGUAGE"

    HTML_IN_TEXT = "HTML_IN_TEXT"
    CONTROL_CHARACTER = "CONTROL_CHARACTER"
    BIDI_CHARACTER = "BIDI_CHARACTER"
    HOMOGLYPH = "HOMOGLYPH"
    MARKDOWN_STRUCTURE = "MARKDOWN_STRUCTURE"
    TEMPLATE_SYNTAX = "TEMPLATE_SYNTAX"
    INJECTION_MARKER = "INJECTION_MARKER"


_ROWS: tuple[tuple[Layer, Cost, str], ...] = (
    (Layer.TRANSPORT, Cost.JOB, "WRONG_CONTENT_TYPE NOT_JSON TRUNCATED_JSON NOT_A_RESPONSE WRONG_RESPONSE_ID"),
    (Layer.STATUS, Cost.JOB, "NOT_COMPLETED INCOMPLETE REFUSED NO_MESSAGE EMPTY_OUTPUT"),
    (Layer.SCHEMA, Cost.JOB, "OUTPUT_NOT_JSON SCHEMA_MISMATCH UNKNOWN_FIELD MISSING_FIELD"),
    (Layer.SCHEMA, Cost.JOB, "WRONG_CONTRACT WRONG_TARGET_DATE"),
    (Layer.SCHEMA, Cost.CANDIDATE, "PUBLICATION_PROSE"),
    (Layer.TOOL_USE, Cost.JOB, "NO_USABLE_SEARCH TOO_MANY_TOOL_CALLS FOREIGN_TOOL TOOL_IN_COMPOSITION"),
    (Layer.SOURCE, Cost.CANDIDATE, "SOURCE_NOT_RETRIEVED"),
    (Layer.SOURCE, Cost.PART, "SOURCE_URL_REFUSED SOURCE_DOMAIN_NOT_ALLOWED SOURCE_PUBLISHER_MISMATCH"),
    (Layer.SOURCE, Cost.PART, "SOURCE_DATE_INVALID SOURCE_AFTER_TARGET SOURCE_TOO_OLD CLAIM_WITHOUT_SOURCE"),
    (Layer.CITATION, Cost.PART, "CITATION_ORPHAN CITATION_UNUSED"),
    (Layer.CITATION, Cost.CANDIDATE, "CANDIDATE_WITHOUT_CLAIM DUPLICATE_ID"),
    (Layer.CITATION, Cost.NOTE, "ANNOTATION_OUTSIDE_TEXT"),
    (Layer.CANDIDATE, Cost.COUNT, "WRONG_COUNT"),
    (Layer.CANDIDATE, Cost.JOB, "NOTHING_USABLE"),
    (Layer.CANDIDATE, Cost.CANDIDATE, "DUPLICATE_CANDIDATE ALREADY_PUBLISHED PATCH_TARGET_UNKNOWN"),
    (Layer.CANDIDATE, Cost.CANDIDATE, "CHRONOLOGY_INVALID CHRONOLOGY_OUTSIDE_WINDOW"),
    (Layer.CANDIDATE, Cost.CANDIDATE, "REGION_UNKNOWN TOPIC_UNKNOWN FIELD_EMPTY FIELD_TOO_LONG"),
    (Layer.COMPOSITION, Cost.JOB, "EVENT_SET_MISMATCH LANGUAGE_SET_MISMATCH CLAIM_NOT_SUPPLIED"),
    (Layer.COMPOSITION, Cost.JOB, "FACT_WITHOUT_CLAIM FACT_NOT_IN_CLAIM URL_IN_PROSE LENGTH_OUT_OF_RANGE"),
    (Layer.PARITY, Cost.JOB, "PARITY_NUMBER PARITY_PERCENTAGE PARITY_MONEY PARITY_DATE"),
    (Layer.PARITY, Cost.JOB, "PARITY_TIME PARITY_UNIT PARITY_NAME PARITY_HEDGE PARITY_NEGATION"),
    (Layer.PARITY, Cost.JOB, "PARITY_ATTRIBUTION PARITY_OPPOSITE PARITY_QUOTE PARITY_MISSING"),
    (Layer.PARITY, Cost.JOB, "PARITY_CLAIMS PARITY_LENGTH PARITY_LANGUAGE"),
    (Layer.SAFETY, Cost.CANDIDATE, "HTML_IN_TEXT CONTROL_CHARACTER BIDI_CHARACTER MARKDOWN_STRUCTURE"),
    (Layer.SAFETY, Cost.CANDIDATE, "TEMPLATE_SYNTAX INJECTION_MARKER HOMOGLYPH"),
)

CODES: Mapping[Code, tuple[Layer, Cost]] = MappingProxyType(
    {Code(name): (layer, cost) for layer, cost, names in _ROWS for name in names.split()}
)
"""code → (layer, cost). In a composition every cost is the job's: there is nothing to keep apart."""


class Failure(ContractModel):
    """One refused thing. `detail_class` comes from a bounded set; `entity_id` is an id, never text."""

    code: Code
    path: str
    entity_id: str = ""
    detail_class: str = ""

    @property
    def layer(self) -> Layer:
        """The layer that found it."""
        return CODES[self.code][0]

    @property
    def cost(self) -> Cost:
        """What it costs in a research answer."""
        return CODES[self.code][1]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a check stands: the pointer and the entity of what it looks at."""

    path: str
    entity_id: str = ""

    def at(self, *steps: str | int) -> Place:
        """The same entity, further down."""
        return Place(f"{self.path}/{'/'.join(str(step) for step in steps)}", self.entity_id)

    def fails(self, code: Code, detail_class: str = "") -> Failure:
        """The failure found here."""
        return Failure(code=code, path=self.path, entity_id=self.entity_id, detail_class=detail_class)
