"""The phrases of the site in English and Spanish, and readable names for codes.

Rules: one field, both languages; a phrase that takes a value names it in braces. Adding a language means
adding one `Phrases` here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Phrases:
    """All phrases of one language."""

    about: str
    about_text: tuple[str, ...]
    analysis: str
    approved_by: str
    archive: str
    archive_of: str
    began: str
    candidates_accepted: str
    candidates_found: str
    candidates_refused: str
    checks: str
    checks_text: str
    choose_language: str
    commit: str
    commit_text: str
    compiled: str
    contents: str
    contracts: str
    corrected_at: str
    corrected_on: str
    corrections: str
    delayed: str
    delayed_at: str
    digest_edition: str
    digest_composition: str
    digest_package: str
    digest_payload: str
    digests: str
    digests_text: str
    earlier: str
    edition: str
    editions: str
    feeds: str
    fewer_events: str
    first_published: str
    front: str
    how_made: str
    how_made_text: str
    in_language: str
    last_edition: str
    late: str
    late_short: str
    missed: str
    missed_at: str
    model: str
    newest: str
    next: str
    no_edition: str
    none_in_language: str
    not_found: str
    not_found_text: str
    note: str
    number: str
    on_this_page: str
    person: str
    previous: str
    primary: str
    published: str
    published_at: str
    reason: str
    report: str
    research: str
    revised_at: str
    revision: str
    revisions: str
    rounds: str
    skip: str
    sources: str
    sources_usable: str
    synthetic: str
    update: str
    withdrawn: str
    withdrawn_at: str


ENGLISH = Phrases(
    about="About",
    about_text=(
        "Each edition covers one day, carries its date in its address and is finished when it is published.",
        "It is compiled automatically and checked against its sources.",
        "Every sentence of fact carries the numbers of the sources it rests on; what is analysis says so.",
        "Corrections stay in plain sight, on the edition and in its history.",
        "An edition that is withdrawn leaves a notice at the same address.",
        "Nothing on these pages asks for a script, sets a cookie or loads anything from another site.",
    ),
    analysis="Analysis",
    approved_by="Approved by",
    archive="Archive",
    archive_of="Archive of {year}",
    began="Work began",
    candidates_accepted="Accepted",
    candidates_found="Candidates found",
    candidates_refused="Refused",
    checks="Checks passed",
    checks_text="Each of these had to pass before the edition could be published.",
    choose_language="Choose a language",
    commit="In the content repository",
    commit_text="This command shows the commits that made this page what it is, with their trailers.",
    compiled="Compiled automatically and checked against its sources.",
    contents="In this edition",
    contracts="Contracts",
    corrected_at="Corrected at {time}",
    corrected_on="Corrected on {moment}",
    corrections="Corrections",
    delayed="delayed",
    delayed_at="This edition is delayed. As of {moment} it has not been published.",
    digest_edition="Edition (edition.md)",
    digest_composition="Composition answer",
    digest_package="Evidence package",
    digest_payload="Research answer",
    digests="Digests",
    digests_text="SHA-256. They lead from this page to the stored evidence.",
    earlier="Earlier editions",
    edition="Edition",
    editions="Editions",
    feeds="Feeds",
    fewer_events="Fewer events than usual: only these met the standard of evidence.",
    first_published="First published",
    front="Front page",
    how_made="How this edition was made",
    how_made_text="In plain words and numbers, from the first look for news to the published page.",
    in_language="In English",
    last_edition="The last edition is that of",
    late="Published after its deadline.",
    late_short="late",
    missed="missed",
    missed_at="There is no edition for this date. That was decided on {moment}.",
    model="Model",
    newest="The newest edition",
    next="Next edition",
    no_edition="No edition has been published yet.",
    none_in_language="not in English",
    not_found="Nothing stands at this address",
    not_found_text="The way home:",
    note="Note",
    number="No.",
    on_this_page="Months",
    person="a person",
    previous="Previous edition",
    primary="primary source",
    published="published",
    published_at="Published {time}",
    reason="Reason",
    report="report",
    research="Research",
    revised_at="Revised",
    revision="Revision",
    revisions="Revision history",
    rounds="Rounds of research",
    skip="Skip to the text",
    sources="Sources",
    sources_usable="Usable sources",
    synthetic="Synthetic edition: written by a test newsroom. People, places and events are invented.",
    update="Update",
    withdrawn="withdrawn",
    withdrawn_at="This edition was withdrawn on {moment}.",
)

SPANISH = Phrases(
    about="Acerca de",
    about_text=(
        "Cada edición abarca un día, lleva su fecha en la dirección y está terminada cuando se publica.",
        "Se compila automáticamente y se coteja con sus fuentes.",
        "Cada frase de hechos lleva los números de las fuentes en que se apoya; lo que es análisis lo dice.",
        "Las correcciones quedan a la vista, en la edición y en su historial.",
        "Una edición retirada deja un aviso en la misma dirección.",
        "Nada en estas páginas pide un script, instala cookies ni carga nada de otro sitio.",
    ),
    analysis="Análisis",
    approved_by="Aprobada por",
    archive="Archivo",
    archive_of="Archivo de {year}",
    began="Comienzo del trabajo",
    candidates_accepted="Aceptadas",
    candidates_found="Candidaturas halladas",
    candidates_refused="Rechazadas",
    checks="Comprobaciones superadas",
    checks_text="Todas tuvieron que superarse antes de publicar la edición.",
    choose_language="Elija un idioma",
    commit="En el repositorio de contenidos",
    commit_text="Esta orden muestra los commits que hicieron de esta página lo que es, con sus metadatos.",
    compiled="Compilada automáticamente y cotejada con sus fuentes.",
    contents="En esta edición",
    contracts="Contratos",
    corrected_at="Corregido a las {time}",
    corrected_on="Corregido el {moment}",
    corrections="Correcciones",
    delayed="con retraso",
    delayed_at="Esta edición se retrasa. A {moment}, aún no se ha publicado.",
    digest_edition="Edición (edition.md)",
    digest_composition="Respuesta de composición",
    digest_package="Paquete de pruebas",
    digest_payload="Respuesta de investigación",
    digests="Resúmenes criptográficos",
    digests_text="SHA-256. Llevan de esta página a las pruebas guardadas.",
    earlier="Ediciones anteriores",
    edition="Edición",
    editions="Ediciones",
    feeds="Canales",
    fewer_events="Menos noticias que de costumbre: solo estas cumplieron el nivel de prueba.",
    first_published="Primera publicación",
    front="Portada",
    how_made="Cómo se hizo esta edición",
    how_made_text="En palabras y números sencillos, de la primera búsqueda a la página publicada.",
    in_language="En español",
    last_edition="La última edición es la del",
    late="Publicada después de su plazo.",
    late_short="tarde",
    missed="sin edición",
    missed_at="No hay edición para esta fecha. Se decidió el {moment}.",
    model="Modelo",
    newest="La edición más reciente",
    next="Edición siguiente",
    no_edition="Aún no se ha publicado ninguna edición.",
    none_in_language="no en español",
    not_found="No hay nada en esta dirección",
    not_found_text="El camino de vuelta:",
    note="Nota",
    number="N.º",
    on_this_page="Meses",
    person="una persona",
    previous="Edición anterior",
    primary="fuente primaria",
    published="publicada",
    published_at="Publicada a las {time}",
    reason="Motivo",
    report="informe",
    research="Investigación",
    revised_at="Revisada",
    revision="Revisión",
    revisions="Historial de revisiones",
    rounds="Rondas de investigación",
    skip="Ir al texto",
    sources="Fuentes",
    sources_usable="Fuentes utilizables",
    synthetic="Edición sintética: la escribió una redacción de prueba. Personas, lugares y hechos son inventados.",
    update="Actualización",
    withdrawn="retirada",
    withdrawn_at="Esta edición se retiró el {moment}.",
)

NAMES = {
    "en": {
        "africa": "Africa",
        "americas": "Americas",
        "asia": "Asia",
        "asia-pacific": "Asia-Pacific",
        "central-asia": "Central Asia",
        "east-asia": "East Asia",
        "europe": "Europe",
        "global": "World",
        "latin-america": "Latin America",
        "middle-east": "Middle East",
        "north-america": "North America",
        "oceania": "Oceania",
        "south-asia": "South Asia",
        "world": "World",
    },
    "es": {
        "africa": "África",
        "agriculture": "agricultura",
        "americas": "América",
        "asia": "Asia",
        "asia-pacific": "Asia-Pacífico",
        "central-asia": "Asia Central",
        "civil-liberties": "libertades civiles",
        "climate": "clima",
        "conflict": "conflicto",
        "constitution": "constitución",
        "courts": "tribunales",
        "culture": "cultura",
        "diplomacy": "diplomacia",
        "east-asia": "Asia Oriental",
        "economy": "economía",
        "education": "educación",
        "elections": "elecciones",
        "energy": "energía",
        "environment": "medio ambiente",
        "europe": "Europa",
        "finance": "finanzas",
        "global": "Mundo",
        "government": "gobierno",
        "health": "salud",
        "human-rights": "derechos humanos",
        "humanitarian": "ayuda humanitaria",
        "infrastructure": "infraestructuras",
        "justice": "justicia",
        "labour": "trabajo",
        "latin-america": "América Latina",
        "law": "derecho",
        "media": "medios",
        "middle-east": "Oriente Próximo",
        "migration": "migración",
        "north-america": "América del Norte",
        "oceania": "Oceanía",
        "politics": "política",
        "protest": "protesta",
        "revolution": "revolución",
        "science": "ciencia",
        "security": "seguridad",
        "society": "sociedad",
        "south-asia": "Asia Meridional",
        "technology": "tecnología",
        "trade": "comercio",
        "transition": "transición",
        "transport": "transporte",
        "world": "Mundo",
    },
}

LAYERS = {
    "en": {
        "transport": "The answer arrived whole",
        "status": "The provider reported it complete",
        "schema": "It has the agreed form, and nothing more",
        "tool": "The searches asked for were made",
        "tool-use": "The searches asked for were made",
        "source": "Every source was really retrieved",
        "citation": "Every claim leads to its sources",
        "citation-graph": "Every claim leads to its sources",
        "candidate": "Every event is new, dated and inside the window",
        "composition": "The text says what the evidence says",
        "parity": "Both languages agree on numbers, money, dates, names, hedges and negations",
        "safety": "Nothing in the text acts; no link leads outside its sources",
        "publication": "The files and pages hold what was approved",
    },
    "es": {
        "transport": "La respuesta llegó entera",
        "status": "El proveedor la dio por completa",
        "schema": "Tiene la forma acordada, y nada más",
        "tool": "Se hicieron las búsquedas pedidas",
        "tool-use": "Se hicieron las búsquedas pedidas",
        "source": "Cada fuente se consultó de verdad",
        "citation": "Cada afirmación lleva a sus fuentes",
        "citation-graph": "Cada afirmación lleva a sus fuentes",
        "candidate": "Cada noticia es nueva, está fechada y dentro del plazo",
        "composition": "El texto dice lo que dicen las pruebas",
        "parity": "Los dos idiomas coinciden en números, dinero, fechas, nombres, reservas y negaciones",
        "safety": "Nada en el texto actúa; ningún enlace sale de sus fuentes",
        "publication": "Los archivos y páginas contienen lo aprobado",
    },
}

REASONS = {
    "es": {
        "chronology": "fuera de fechas",
        "corroboration": "sin corroborar",
        "deadline-passed": "plazo vencido",
        "duplicate": "repetida",
        "evidence-deficit": "pruebas insuficientes",
        "factual-error": "error de hecho",
        "legal": "motivo legal",
        "operator": "decisión de la redacción",
        "source-retracted": "fuente retractada",
        "stale": "desactualizada",
        "unsupported": "sin apoyo en las fuentes",
    }
}
