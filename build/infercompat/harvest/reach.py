"""Whether the urls of the citations still lead anywhere: asked slowly, host by host, and remembered in a state file."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

from msgspec import Struct
from msgspec.structs import asdict

from infercompat import __version__
from infercompat.link import Catalog

FINE, MOVED, GONE, CLOSED, FAILED = "fine", "moved", "gone", "closed", "failed"
"""Answers; moved for good; there no more (404, 410); not told to a program (401, 403, 429, 451); no sound answer, which may pass."""
STATES = {404: GONE, 410: GONE, 401: CLOSED, 403: CLOSED, 405: CLOSED, 429: CLOSED, 451: CLOSED}
PERMANENT = (301, 308)
AGENT = f"infercompat/{__version__} (link check)"


class Answer(Struct, frozen=True):
    """What asking for a url gave: the state, the HTTP status or the fault, where it moved to, and the day (ISO)."""

    state: str
    said: str
    checked: str
    target: str = ""


class NoNetwork(Exception):
    """Not one host answered: nothing is known of any url."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def ask(url: str, today: str, seconds: float = 20, hops: int = 5) -> Answer:
    """Asks for one url without reading its body, following redirects; a permanent one makes it moved.

    A host that was not reached at all raises urllib.error.URLError.
    """
    opener = urllib.request.build_opener(_NoRedirect)
    place, moved = url, False
    for _ in range(hops):
        request = urllib.request.Request(place, headers={"User-Agent": AGENT, "Accept": "*/*"})
        try:
            with opener.open(request, timeout=seconds) as response:
                return Answer(MOVED if moved else FINE, str(response.status), today, place if moved else "")
        except urllib.error.HTTPError as error:
            target = error.headers.get("Location")
            if error.code in (301, 302, 303, 307, 308) and target:
                moved = moved or error.code in PERMANENT
                place = urljoin(place, target)
                if urlsplit(place).scheme not in ("http", "https"):
                    return Answer(FAILED, f"leads to {place}", today)
                continue
            return Answer(STATES.get(error.code, FAILED), str(error.code), today)
        except (TimeoutError, ValueError) as error:
            return Answer(FAILED, str(error) or "no answer in time", today)
    return Answer(FAILED, f"more than {hops} redirects", today)


def urls_of(catalog: Catalog) -> dict[str, list[str]]:
    """The urls of all citations without the part behind #, and the ids of the citations that hold each."""
    found: dict[str, list[str]] = defaultdict(list)
    for citation in catalog.of_kind("citation"):
        found[urldefrag(citation.data["url"]).url].append(citation.id)
    return dict(found)


def due(urls: Mapping[str, object], known: Mapping[str, Answer], since: str, most: int | None) -> list[str]:
    """The urls never asked for, then those asked before the day `since`, the longest ago first; `most` of them."""
    waiting = [url for url in urls if url not in known or known[url].checked < since]
    waiting.sort(key=lambda url: (known[url].checked if url in known else "", url))
    return waiting[:most]


def in_turn(urls: list[str]) -> Iterator[str]:
    """The same urls, one of each host by turns, so that no host is asked much faster than the others."""
    hosts: dict[str, list[str]] = defaultdict(list)
    for url in urls:
        hosts[urlsplit(url).netloc].append(url)
    while hosts:
        for host in list(hosts):
            yield hosts[host].pop(0)
            if not hosts[host]:
                del hosts[host]


def check(
    urls: list[str],
    today: str,
    pause: float,
    asking: Callable[[str, str], Answer] = ask,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[tuple[str, Answer]]:
    """Asks for each url, the same host at most once in `pause` seconds. Raises NoNetwork when the first three hosts are out of reach."""
    last: dict[str, float] = {}
    reached, silent = False, set()
    for url in in_turn(urls):
        host = urlsplit(url).netloc
        if host in last and (wait := last[host] + pause - clock()) > 0:
            sleep(wait)
        last[host] = clock()
        try:
            answer = asking(url, today)
            reached = True
        except OSError as error:
            silent.add(host)
            answer = Answer(FAILED, str(getattr(error, "reason", error)), today)
            if not reached and len(silent) >= min(3, len({urlsplit(each).netloc for each in urls})):
                raise NoNetwork(answer.said) from None
        yield url, answer


def read_state(path: Path) -> dict[str, Answer]:
    """What earlier checks found, by url; empty where there is no file. Raises ValueError for a file that is none of ours."""
    if not path.is_file():
        return {}
    try:
        stored = json.loads(path.read_text("utf-8"))
        return {url: Answer(**fields) for url, fields in stored["urls"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} holds no results of links --check; remove it to begin anew") from None


def as_state(known: Mapping[str, Answer]) -> bytes:
    """The state file: one url a line, in order."""
    return (json.dumps({"urls": {url: asdict(known[url]) for url in sorted(known)}}, indent=0, ensure_ascii=False) + "\n").encode()
