"""Web sources: which addresses are fetched, how much, and what is kept."""

from __future__ import annotations

import gzip
import http.server
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kgsite.errors import FetchError, FrozenError, ReadError
from kgsite.model import Source, SourcePath
from kgsite.readers import Fetched, read
from kgsite.readers.addresses import checked_url, is_public, public_addresses, shown_url
from kgsite.readers.fetch import HttpFetcher
from kgsite.readers.listing import listed, name_of
from kgsite.readers.web import load_snapshot, open_page, snapshot_hash, snapshot_name

DATA = Path(__file__).parent / "data"


class _Answers(http.server.BaseHTTPRequestHandler):
    """A few pages, some of them unfriendly."""

    def do_GET(self) -> None:
        body = b"<p>Hello from " + self.headers["Host"].encode() + b"</p>"
        headers = {"Content-Type": "text/html; charset=utf-8"}
        status = 200
        if self.path == "/wiki/Lumen_Works":
            body = (DATA / "wikipedia.html").read_bytes()
        elif self.path == "/pdf":
            body, headers = (DATA / "plain.pdf").read_bytes(), {"Content-Type": "text/html"}
        elif self.path == "/gzip":
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
        elif self.path == "/bomb":
            body, headers["Content-Encoding"] = gzip.compress(b"a" * (50 << 20)), "gzip"
        elif self.path == "/deflate":
            body, headers["Content-Encoding"] = zlib.compress(body), "deflate"
        elif self.path == "/odd":
            headers["Content-Encoding"] = "br"
        elif self.path == "/long":
            headers["Content-Length"] = "999999999"
        elif self.path == "/latin":
            body, headers["Content-Type"] = "<p>Renée</p>".encode("latin-1"), "text/html; charset=iso-8859-1"
        elif self.path == "/png":
            body = b"\x89PNG\r\n\x1a\n" + b"D" * 99
        elif self.path.startswith("/to?"):
            status, headers["Location"] = 302, self.path[4:]
        elif self.path == "/missing":
            status = 404
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), "Set-Cookie": "secret=1", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a local server."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture
def fetcher() -> HttpFetcher:
    """A fetcher that may talk to the local server."""
    return HttpFetcher(allow_private=True, max_bytes=1 << 20, seconds=20)


def web(url: str) -> Source:
    return Source(SourcePath("a.url"), "web", None, url)


def test_every_listed_bad_address_is_refused_without_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_connection(*_: object, **__: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr("httpcore.SyncBackend.connect_tcp", no_connection)
    entries = listed((DATA / "urls.txt").read_bytes(), single=False)
    assert len(entries) == 24
    for entry in entries:
        assert "pw" not in entry.problem
        if not entry.problem:
            with pytest.raises(FetchError):
                HttpFetcher().fetch(entry.url)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "240.0.0.1", "255.255.255.255",
        "198.18.0.1", "192.0.2.1", "::", "::1", "::ffff:10.0.0.1", "::127.0.0.1", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "2002:7f00:1::",
        "64:ff9b::7f00:1", "2001:db8::1", "fec0::1", "nonsense",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.215.14", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"]
)
def test_public_addresses(address: str) -> None:
    assert is_public(address)


def test_one_private_address_among_public_ones_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [(0, 0, 0, "", ("8.8.8.8", 80)), (0, 0, 0, "", ("10.0.0.1", 80))]
    monkeypatch.setattr("kgsite.readers.addresses.socket.getaddrinfo", lambda *_, **__: answers)
    with pytest.raises(FetchError, match="not a public address"):
        public_addresses("both.example", 80)


def test_the_connection_goes_to_the_address_that_was_checked(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    port = int(server.rsplit(":", 1)[1])
    asked: list[str] = []

    def resolve(host: str, *_: object, **__: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        asked.append(host)
        return [(2, 1, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr("kgsite.readers.addresses.socket.getaddrinfo", resolve)
    monkeypatch.setattr("kgsite.readers.addresses.is_public", lambda _: True)
    monkeypatch.setattr("kgsite.readers.addresses.PORTS", (port,))
    page = HttpFetcher().fetch(f"http://lumen.example:{port}/x")
    assert page.body == f"<p>Hello from lumen.example:{port}</p>".encode()
    assert asked[0] == "lumen.example"


def test_redirects_are_checked_on_every_hop(server: str, fetcher: HttpFetcher) -> None:
    assert fetcher.fetch(f"{server}/to?/gzip").url == f"{server}/gzip"
    with pytest.raises(FetchError, match="only http and https"):
        fetcher.fetch(f"{server}/to?file:///etc/passwd")
    with pytest.raises(FetchError, match="more than 5 redirects"):
        fetcher.fetch(f"{server}/to?" + "/to?" * 8)
    with pytest.raises(FetchError, match="user name") as caught:
        fetcher.fetch(f"{server}/to?http://user:pw@127.0.0.1/")
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("path", ["/gzip", "/deflate", "/plain"])
def test_transport_codings(server: str, fetcher: HttpFetcher, path: str) -> None:
    page = fetcher.fetch(server + path)
    assert page.body.startswith(b"<p>Hello from 127.0.0.1")
    assert page.headers == {"content-type": "text/html; charset=utf-8"}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/bomb", "when unpacked"),
        ("/long", "announces 999,999,999 bytes"),
        ("/odd", "not asked for"),
        ("/missing", "answered 404"),
    ],
)
def test_what_is_refused(server: str, fetcher: HttpFetcher, path: str, words: str) -> None:
    with pytest.raises(FetchError, match=words):
        fetcher.fetch(server + path)


def test_the_deadline_is_for_the_whole_fetch(server: str) -> None:
    ticks = iter(range(0, 10_000, 30))
    with pytest.raises(FetchError, match=r"time|seconds"):
        HttpFetcher(allow_private=True, seconds=20, clock=lambda: float(next(ticks))).fetch(server)


def test_a_page_is_fetched_once_and_again_only_on_request(server: str, tmp_path: Path) -> None:
    calls: list[str] = []

    class Counting:
        def fetch(self, url: str) -> Fetched:
            calls.append(url)
            return Fetched(url, b"<p>Version %d</p>" % len(calls), {"content-type": "text/html"})

    url = "https://a.example/x"
    for refresh, expected in ((False, "Version 1"), (False, "Version 1"), (True, "Version 2"), (False, "Version 2")):
        assert read(web(url), fetcher=Counting(), snapshots=tmp_path, refresh=refresh).text == expected
    assert calls == [url, url]
    assert read(web(url), fetcher=None, snapshots=tmp_path).text == "Version 2"
    assert snapshot_hash(url, tmp_path)
    with pytest.raises(FrozenError, match="never been fetched"):
        read(web("https://b.example/"), fetcher=None, snapshots=tmp_path)


def test_a_damaged_snapshot_is_none(tmp_path: Path) -> None:
    url = "https://a.example/x"

    class Once:
        def fetch(self, address: str) -> Fetched:
            return Fetched(address, b"<p>x</p>")

    open_page(url, fetcher=Once(), snapshots=tmp_path)
    assert load_snapshot(url, tmp_path)
    (tmp_path / f"{snapshot_name(url)}.bin").write_bytes(b"<p>other</p>")
    assert load_snapshot(url, tmp_path) is None
    (tmp_path / f"{snapshot_name(url)}.json").write_text("{")
    assert load_snapshot(url, tmp_path) is None


def test_kinds_by_content(server: str, fetcher: HttpFetcher, tmp_path: Path) -> None:
    pdf = read(web(f"{server}/pdf"), fetcher=fetcher, snapshots=tmp_path)
    assert pdf.n_pages == 1
    assert read(web(f"{server}/latin"), fetcher=fetcher, snapshots=tmp_path).text == "Renée"
    with pytest.raises(ReadError, match="PNG"):
        read(web(f"{server}/png"), fetcher=fetcher, snapshots=tmp_path)


def test_wikipedia_over_http(server: str, fetcher: HttpFetcher, tmp_path: Path) -> None:
    document = read(web(f"{server}/wiki/Lumen_Works"), fetcher=fetcher, snapshots=tmp_path)
    assert document.title == "Lumen Works"
    assert [mark.href for mark in document.marks if mark.kind == "link"] == [
        f"{server}/wiki/Ghent",
        f"{server}/wiki/Ada_Northgate",
    ]
    assert not {"Coordinates", "edit", "Founded", "citation", "Smith", "Category", "film"} & set(document.text.split())


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "http://",
        "http://a b/",
        "http://a/\\b",
        "http://[",
        "ftp://a/",
        "http://a:22/",
        "http://u@a/",
        "x" * 3000,
        "http://a:99999/",
    ],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(FetchError):
        checked_url(url)


def test_urls_for_people_and_files() -> None:
    assert checked_url(" HTTPS://A.example/x#frag ") == "https://A.example/x"
    assert shown_url("https://user:pw@a.example/x") == "https://a.example/x"
    assert name_of("https://en.wikipedia.org/wiki/Ada_Lovelace").startswith("en.wikipedia.org-Ada_Lovelace-")
    assert len(name_of("https://a.example/" + "ü" * 500)) < 100
    assert len({name_of(f"https://a.example/{n}") for n in range(100)}) == 100


def test_listing_limits(document: Callable[..., object]) -> None:
    many = "\n".join(f"https://a.example/{n}" for n in range(6_000)).encode()
    assert len(listed(many, single=False)) == 5_000
    assert listed("https://a.example/".encode("utf-16"), single=True)[0].url == "https://a.example/"
