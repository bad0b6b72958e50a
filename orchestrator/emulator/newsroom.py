"""The synthetic newsroom: answers research, supplemental research and composition for any date and product.

Its world is invented (`fixtures/newsroom`), its addresses are reserved ones, its answers are a pure function of
the request and the fixtures: no clock, no chance, no memory. It never raises: what it cannot answer it declines in
words. A request that is not for a newsroom at all gets the echo of `answers.EchoNewsroom`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from orchestrator.contracts.package import EvidencePackage
from orchestrator.core.records import JobStage
from orchestrator.emulator.answers import (
    Answer,
    EchoNewsroom,
    Search,
    count_input_tokens,
    count_tokens,
    wants_json,
)
from orchestrator.emulator.newsroom_composition import Composer, Unwritable
from orchestrator.emulator.newsroom_lexicon import Lexicon, load_lexicon
from orchestrator.emulator.newsroom_press import Press
from orchestrator.emulator.newsroom_request import Asked, read_request
from orchestrator.emulator.newsroom_rota import Rota
from orchestrator.emulator.newsroom_scout import Scout
from orchestrator.emulator.newsroom_story import Storyteller
from orchestrator.emulator.newsroom_supplement import Supplement

NOT_UNDERSTOOD = "The synthetic newsroom answers research, supplemental research and composition requests only."
NO_RESERVED_DOMAIN = "The synthetic newsroom cites reserved domains only, and the allowed domains name none."
NO_PACKAGE = "The input is no evidence package that the synthetic newsroom can read."


class SyntheticNewsroom:
    """Implements `answers.Newsroom` from the fixtures."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._echo = EchoNewsroom()
        self.storyteller = Storyteller(lexicon)
        self._rota = lru_cache(maxsize=32)(self._new_rota)

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """The answer to the body of one POST /v1/responses."""
        asked = read_request(request)
        if asked is None:
            return _declined(request, NOT_UNDERSTOOD) if wants_json(request) else self._echo.answer(request)
        match asked.stage:
            case JobStage.COMPOSITION:
                return self._composition(request, asked)
            case JobStage.RESEARCH_PRIMARY | JobStage.RESEARCH_SUPPLEMENTAL:
                return self._research(request, asked)

    def _research(self, request: Mapping[str, Any], asked: Asked) -> Answer:
        press = Press(self._lexicon, asked.words("allowed_domains"))
        if not press.reporters:
            return _declined(request, NO_RESERVED_DOMAIN)
        rota = self._rota(asked.product, asked.words("regions"), asked.words("topics"))
        scout = Scout(self.storyteller, rota=rota, press=press, asked=asked)
        if asked.stage is JobStage.RESEARCH_PRIMARY:
            return _said(request, *scout.answer())
        supplement = Supplement(self.storyteller, rota=rota, press=press, scout=scout, asked=asked)
        return _said(request, *supplement.answer())

    def _composition(self, request: Mapping[str, Any], asked: Asked) -> Answer:
        try:
            package = EvidencePackage.model_validate_json(json.dumps(asked.document))
            return _said(request, Composer(self.storyteller, asked.sentences).answer(package))
        except ValidationError:
            return _declined(request, NO_PACKAGE)
        except Unwritable as error:
            return _declined(request, str(error))

    def _new_rota(self, product: str, regions: tuple[str, ...], topics: tuple[str, ...]) -> Rota:
        return Rota(self._lexicon, product=product, regions=regions, topics=topics)


def load_newsroom(folder: Path) -> SyntheticNewsroom:
    """The newsroom of `fixtures/newsroom`. Errors: ConfigurationError when the fixtures are unusable."""
    return SyntheticNewsroom(load_lexicon(folder))


def _said(request: Mapping[str, Any], answer: BaseModel, searches: Sequence[Search] = ()) -> Answer:
    text = answer.model_dump_json()
    return Answer(
        output_text=text,
        searches=tuple(searches),
        input_tokens=count_input_tokens(request),
        output_tokens=count_tokens(text),
    )


def _declined(request: Mapping[str, Any], refusal: str) -> Answer:
    return Answer(
        output_text="",
        input_tokens=count_input_tokens(request),
        output_tokens=count_tokens(refusal),
        refusal=refusal,
    )
