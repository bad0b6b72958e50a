"""Editions, notices and content trees for the tests of the publisher: invented, small, and the same every time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from publisher.content import EditionKey
from publisher.edition import (
    Claim,
    Correction,
    Edition,
    Event,
    Evidence,
    EvidenceSource,
    Made,
    Sentence,
    SentenceTrail,
    Source,
)
from publisher.markdown import edition_md, evidence_json
from publisher.notice import Notice, notice_md
from publisher.profile import ProductProfile, Profile
from publisher.site import Site

ROOT = Path(__file__).resolve().parents[2]
DIGEST = "sha256:" + "0" * 64
TITLES = {
    "daily-brief": {"en": "The Daily Brief", "es": "El Informe Diario"},
    "revolution-watch": {"en": "Revolution Watch", "es": "Observatorio de la Revolución"},
}
PROFILE = Profile(
    titles={"en": "Dateline", "es": "Dateline"},
    base_url="https://news.example/paper",
    authority="news.example",
    authority_since="2026",
    languages=("en", "es"),
    products=tuple(
        ProductProfile(slug=slug, titles=titles, languages=("en", "es"), feed_length=5)
        for slug, titles in TITLES.items()
    ),
)
_TEXT = {
    "en": (
        (
            "Harbour of Ostra reopens to grain ships after eleven weeks",
            (
                "The port authority of Ostra said that 14 ships had left by 18:00, the first since 12 September.",
                "It put the grain on board at 412,000 tonnes, worth about $96.5 million at Friday’s prices.",
            ),
            "If the convoys hold, the backlog could clear before the new year.",
        ),
        (
            "Parliament of Velmark passes the water act by 54 votes to 46",
            (
                "Velmark’s parliament passed the act on Saturday night after nine hours of debate.",
                "“Nobody loses a right they had yesterday,” the minister, Ilse Tarrant, told the chamber.",
            ),
            "The opposition is likely to take the act to the constitutional court.",
        ),
        (
            "Central bank of Corvane keeps its rate at 4.25%",
            (
                "The bank did not change its rate, for the third meeting in a row.",
                "Prices rose 3.1% in the year to October, it reported, against 3.4% a month before.",
            ),
            "The wording suggests that a cut is not near.",
        ),
    ),
    "es": (
        (
            "El puerto de Ostra reabre a los barcos de grano tras once semanas",
            (
                "La autoridad portuaria dijo que 14 barcos salieron, los primeros desde el 12 de septiembre.",
                "Cifró el grano en 412.000 toneladas, por unos 96,5 millones de dólares a precios del viernes.",
            ),
            "Si los convoyes se mantienen, el atasco podría resolverse antes de fin de año.",
        ),
        (
            "El Parlamento de Velmark aprueba la ley del agua por 54 votos a 46",
            (
                "El Parlamento de Velmark aprobó la ley el sábado por la noche tras nueve horas de debate.",
                "«Nadie pierde un derecho que tuviera ayer», dijo a la cámara la ministra, Ilse Tarrant.",
            ),
            "Es probable que la oposición lleve la ley al tribunal constitucional.",
        ),
        (
            "El banco central de Corvane mantiene su tipo en el 4,25 %",
            (
                "El banco no cambió su tipo, por tercera reunión consecutiva.",
                "Los precios subieron un 3,1 % en el año hasta octubre, informó, frente al 3,4 % de un mes antes.",
            ),
            "La redacción sugiere que una bajada no está cerca.",
        ),
    ),
}
_PUBLISHERS = ("Ostra Gazette", "Velmark Official Journal", "Corvane Wire", "The Straits Courier")
_REGIONS = (
    ("middle-east", ("trade", "transport")),
    ("europe", ("law", "environment")),
    ("south-asia", ("economy",)),
)


def event(place: int, lang: str = "en", *, sources: int = 2) -> Event:
    """The `place`-th sample event, from 0, with ids of its own."""
    headline, facts, analysis = _TEXT[lang][place % 3]
    region, topics = _REGIONS[place % 3]
    listed = tuple(
        Source(
            source_id=f"src-{place}-{number}",
            title=f"{_TEXT['en'][place % 3][0]} ({number + 1})",
            publisher=_PUBLISHERS[(place + number) % 4],
            url=f"https://press-{number}.example/{place}/article?ref=a&page={number}",
            published_at="2026-11-29",
            kind="primary" if number == 0 else "report",
        )
        for number in range(sources)
    )
    claims = tuple(
        Claim(claim_id=f"clm-{place}-{number}", text=facts[number % 2], source_ids=(source.source_id,))
        for number, source in enumerate(listed)
    )
    carried = [claim.claim_id for claim in claims]
    sentences = (
        Sentence(text=facts[0], kind="fact", claim_ids=tuple(carried[:1])),
        Sentence(text=facts[1], kind="fact", claim_ids=tuple(carried)),
        Sentence(text=analysis, kind="analysis"),
    )
    return Event(
        event_id=f"evt-{place}",
        region=region,
        topics=topics,
        headline=headline,
        update=place == 1,
        sentences=sentences,
        claims=claims,
        sources=listed,
    )


def edition(key: EditionKey, events: Sequence[Event] | None = None, **changes: object) -> Edition:
    """A whole edition for `key`; `changes` replace fields."""
    number = int(key.date[8:]) + 31 * int(key.date[5:7])
    fields: dict[str, object] = {
        "product": key.product,
        "product_title": TITLES.get(key.product, {}).get(key.lang, key.product),
        "date": key.date,
        "lang": key.lang,
        "revision": 1,
        "number": number,
        "published_at": f"{key.date}T06:02:00.000Z",
        "revised_at": f"{key.date}T06:02:00.000Z",
        "synthetic": True,
        "events": tuple(events or (event(place, key.lang) for place in range(3))),
    }
    return Edition.model_validate(fields | changes)


def corrected(key: EditionKey) -> Edition:
    """The second revision of an edition, with its note."""
    note = {"en": "the vote was 54–46, not 56–44.", "es": "la votación fue de 54 a 46, no de 56 a 44."}[key.lang]
    at = f"{key.date}T09:14:00.000Z"
    return edition(
        key,
        revision=2,
        revised_at=at,
        provenance="CORRECTION",
        corrections=(Correction(at=at, revision=2, note=note),),
    )


def evidence(of: Edition) -> Evidence:
    """The evidence of an edition."""
    return Evidence(
        evidence_version="evidence-2026-08",
        product=of.product,
        date=of.date,
        lang=of.lang,
        revision=of.revision,
        package_digest=DIGEST,
        composition_digest=DIGEST,
        payload_digests=(DIGEST,),
        sentences=tuple(
            SentenceTrail(path=f"{at}/{place}", text=said.text, kind=said.kind, claim_ids=said.claim_ids)
            for at, each in enumerate(of.events)
            for place, said in enumerate(each.sentences)
        ),
        claims=tuple(claim for each in of.events for claim in each.claims),
        sources=tuple(
            EvidenceSource(**source.model_dump(), payload_digest=DIGEST)
            for each in of.events
            for source in each.sources
        ),
        made=Made(
            began_at=f"{of.date}T03:30:00.000Z",
            candidates_found=14,
            candidates_accepted=len(of.events),
            candidates_refused={"CORROBORATION": 4, "STALE": 2},
            sources_usable=sum(len(each.sources) for each in of.events),
            research_rounds=2,
            checks_passed=(
                "transport",
                "status",
                "schema",
                "tool-use",
                "source",
                "citation",
                "candidate",
                "composition",
            ),
            approved_by="policy auto",
            contracts={"research": "primary-research-2026-08", "composition": "composition-2026-08"},
            model="emulated-1",
        ),
    )


def files_of(of: Edition) -> dict[str, bytes]:
    """What stands on the content branch for an edition."""
    key = EditionKey(of.product, of.date, of.lang)
    return {key.edition_path: edition_md(of), key.evidence_path: evidence_json(evidence(of))}


def notice_files(key: EditionKey, kind: str = "WITHDRAWN") -> dict[str, bytes]:
    """What stands there for a notice."""
    notice = Notice.model_validate(
        {
            "kind": kind,
            "product": key.product,
            "product_title": TITLES.get(key.product, {}).get(key.lang, key.product),
            "date": key.date,
            "lang": key.lang,
            "at": f"{key.date}T11:40:00.000Z",
            "actor": "editor@news.example",
            "reason": "FACTUAL_ERROR",
            "revision": 2,
            "synthetic": True,
        }
    )
    return {key.notice_path: notice_md(notice)}


def short_edition(key: EditionKey, chance: random.Random) -> Edition:
    """A one-event edition that differs from its neighbours; for tests that need many."""
    told = event(chance.randrange(3), key.lang, sources=1)
    told = told.model_copy(update={"headline": f"{told.headline}, {key.date}, {chance.randrange(1000)}"})
    return edition(key, [told], late=chance.random() < 0.1)


def site(profile: Profile = PROFILE) -> Site:
    """The site that ships, with a profile."""
    return Site(profile, ROOT / "site" / "templates", ROOT / "site" / "assets")
