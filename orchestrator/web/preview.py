"""The preview: the pages branch over HTTP, straight from git, read-only.

Rules: an address with a closing slash is a folder's index, one without is redirected to it; a missing page is a
real 404 with the site's own page; ETag is the blob's id, so that an unchanged file answers 304 for ever; nothing
but GET and HEAD. The headers forbid everything that the pages do not need. Where `[site] base_url` has a path, the
pages' links carry it, and the site stands below it here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import formatdate
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from publisher.errors import PublisherError
from publisher.pages_reader import PagesReader, Served

MEDIA_TYPES: Mapping[str, str] = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "txt": "text/plain; charset=utf-8",
    "svg": "image/svg+xml",
    "md": "text/markdown; charset=utf-8",
    "ico": "image/x-icon",
    "png": "image/png",
    "xml": "application/xml; charset=utf-8",
}

FEED_TYPES: Mapping[str, str] = {
    "feed.xml": "application/rss+xml; charset=utf-8",
    "atom.xml": "application/atom+xml; charset=utf-8",
    "feed.json": "application/feed+json; charset=utf-8",
}

SECURITY_HEADERS: Mapping[str, str] = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

ASSETS = "assets/"  # their names carry their digest
CACHE_ASSETS = "public, max-age=31536000, immutable"
CACHE_PAGES = "public, max-age=0, must-revalidate"
CACHE_NOTHING = "no-store"


def preview(pages: PagesReader, *, base_path: str = "") -> Starlette:
    """The application that serves `pages` below `base_path` ("" or `/paper`, without a closing slash)."""

    async def get(request: Request) -> Response:
        return await run_in_threadpool(_answer, pages, request, base_path)

    async def refused(_request: Request, error: Exception) -> Response:
        headers = (error.headers if isinstance(error, HTTPException) else None) or {}
        return _plain(405, b"this is read-only: GET and HEAD\n", headers)

    route = Route("/{path:path}", get, methods=["GET", "HEAD"])
    return Starlette(routes=[route], exception_handlers={405: refused})


def _answer(pages: PagesReader, request: Request, base_path: str) -> Response:
    address: str = request.scope["path"]
    if base_path and address in ("/", base_path):
        return _redirect(f"{base_path}/", request)
    try:
        if not address.startswith(f"{base_path}/") or _hides_a_slash(request):
            return _missing(pages)
        found = pages.find(address.removeprefix(base_path))
        if found is None:
            return _missing(pages)
    except PublisherError:
        return _plain(503, b"the content repository cannot be read\n", {"retry-after": "60"})
    if found.folder:
        return _redirect(f"{address}/", request)
    return _file(found, request)


def _file(found: Served, request: Request) -> Response:
    headers = {
        **SECURITY_HEADERS,
        "etag": found.etag,
        "last-modified": formatdate(found.rendered_s, usegmt=True),
        "cache-control": CACHE_ASSETS if found.path.startswith(ASSETS) else CACHE_PAGES,
    }
    if _is_known(request, headers):
        return Response(status_code=304, headers=headers)
    return Response(found.body, headers={**headers, "content-type": media_type(found)})


def _redirect(address: str, request: Request) -> Response:
    query = request.scope["query_string"].decode("latin-1")
    target = quote(address) + (f"?{query}" if query else "")
    return RedirectResponse(target, status_code=301, headers={**SECURITY_HEADERS, "cache-control": CACHE_PAGES})


def _missing(pages: PagesReader) -> Response:
    page = pages.find("/404.html")
    if page is None:
        return _plain(404, b"not found\n", {})
    headers = {**SECURITY_HEADERS, "content-type": MEDIA_TYPES["html"], "cache-control": CACHE_NOTHING}
    return Response(page.body, status_code=404, headers=headers)


def _plain(status: int, body: bytes, headers: Mapping[str, str]) -> Response:
    fixed = {**SECURITY_HEADERS, "content-type": MEDIA_TYPES["txt"], "cache-control": CACHE_NOTHING}
    return Response(body, status_code=status, headers={**fixed, **headers})


def _hides_a_slash(request: Request) -> bool:
    """`%2F` would be a second address of the same file."""
    raw: bytes = request.scope.get("raw_path") or b""
    return b"%2f" in raw.lower()


def _is_known(request: Request, headers: Mapping[str, str]) -> bool:
    """Whether the client holds these bytes: RFC 9110, 13.1.2 and 13.1.3.

    Tags are compared weakly; `If-Modified-Since` counts only without them, and only when it is our very date: two
    publications never share one, while a later date says nothing about what the client saw.
    """
    tags = request.headers.getlist("if-none-match")
    if tags:
        listed = [tag.strip().removeprefix("W/") for tag in ",".join(tags).split(",")]
        return "*" in listed or headers["etag"] in listed
    return request.headers.get("if-modified-since") == headers["last-modified"]


def media_type(served: Served) -> str:
    """The content type by the file's ending; feeds by their name."""
    name = served.path.rsplit("/", 1)[-1]
    return FEED_TYPES.get(name) or MEDIA_TYPES.get(name.rsplit(".", 1)[-1], "application/octet-stream")
