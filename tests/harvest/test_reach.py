"""Urls asked for against a server of our own: fine, moved, gone, closed, failed; in turn over hosts, slowly, and remembered."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from infercompat.harvest import reach
from infercompat.harvest.reach import Answer

TODAY = "2026-11-29"
PLACES = {
    "/fine": (200, ""),
    "/for-good": (301, "/fine"),
    "/for-now": (302, "/fine"),
    "/round": (302, "/round"),
    "/elsewhere": (302, "file:///etc/hostname"),
    "/gone": (410, ""),
    "/closed": (403, ""),
    "/broken": (500, ""),
}


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        status, target = PLACES.get(self.path, (404, ""))
        self.send_response(status)
        if target:
            self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    served = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{served.server_port}"
    served.shutdown()


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("/fine", "fine"),
        ("/for-good", "moved"),
        ("/for-now", "fine"),
        ("/gone", "gone"),
        ("/never-was", "gone"),
        ("/closed", "closed"),
        ("/broken", "failed"),
        ("/round", "failed"),
        ("/elsewhere", "failed"),
    ],
)
def test_what_a_server_says_decides_the_state(server, path, state):
    assert reach.ask(server + path, TODAY).state == state


def test_a_moved_url_names_where_it_leads(server):
    assert reach.ask(f"{server}/for-good", TODAY).target == f"{server}/fine"


def test_never_asked_comes_first_then_the_longest_ago():
    known = {"a": Answer("fine", "200", "2026-11-20"), "b": Answer("fine", "200", "2026-09-01"), "c": Answer("fine", "200", "2026-08-01")}
    assert reach.due({"a": 1, "b": 1, "c": 1, "d": 1}, known, "2026-11-01", None) == ["d", "c", "b"]
    assert reach.due({"a": 1, "b": 1, "c": 1, "d": 1}, known, "2026-11-01", 2) == ["d", "c"]


def test_hosts_take_turns():
    urls = ["https://a/1", "https://a/2", "https://a/3", "https://b/1"]
    assert list(reach.in_turn(urls)) == ["https://a/1", "https://b/1", "https://a/2", "https://a/3"]


def test_one_host_is_asked_once_in_a_pause():
    now, waits = [100.0], []

    def sleep(seconds):
        waits.append(seconds)
        now[0] += seconds

    urls = ["https://a/1", "https://a/2", "https://b/1"]
    found = dict(reach.check(urls, TODAY, 2.0, lambda url, day: Answer("fine", "200", day), sleep, lambda: now[0]))
    assert len(found) == 3
    assert waits == [2.0]


def test_without_any_network_nothing_is_said_of_urls():
    def nobody(url, day):
        raise OSError("no route")

    urls = [f"https://{host}/" for host in "abcd"]
    with pytest.raises(reach.NoNetwork, match="no route"):
        list(reach.check(urls, TODAY, 0, nobody))


def test_one_silent_host_among_others_is_a_failure_of_its_own():
    def one(url, day):
        if "//b/" in url:
            raise OSError("refused")
        return Answer("fine", "200", day)

    found = dict(reach.check(["https://a/", "https://b/"], TODAY, 0, one))
    assert {url: answer.state for url, answer in found.items()} == {"https://a/": "fine", "https://b/": "failed"}


def test_results_are_kept_and_read_again(tmp_path):
    known = {"https://b/": Answer("gone", "404", TODAY), "https://a/": Answer("moved", "200", TODAY, "https://c/")}
    (tmp_path / "state").write_bytes(reach.as_state(known))
    assert reach.read_state(tmp_path / "state") == known
    assert reach.read_state(tmp_path / "none") == {}


@pytest.mark.parametrize("text", ["", "[]", '{"urls": {"a": {"no": 1}}}', '{"urls": []}'])
def test_a_file_of_something_else_is_refused(tmp_path, text):
    (tmp_path / "state").write_text(text)
    with pytest.raises(ValueError, match="holds no results"):
        reach.read_state(tmp_path / "state")
