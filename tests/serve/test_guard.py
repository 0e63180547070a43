"""The server answers only this machine, this Host, this Origin; nothing outside the site is served."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

from kgsite.serve.guard import Guard, is_loopback, make_guard, mount_of
from kgsite.serve.paths import locate
from tests.serve.serving import Served, make_project, served

SECRET = "this must never be served"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = make_project(tmp_path_factory.mktemp("guarded"), base_url="https://example.org/project/")
    (root / "secret.txt").write_text(SECRET)
    with served(root) as running:
        (root / "_site" / "link.txt").symlink_to(root / "secret.txt")
        (root / "_site" / "linked").symlink_to(root, target_is_directory=True)
        (root / "_site" / ".hidden").write_text(SECRET)
        yield running


def request(line: str, **headers: str) -> bytes:
    lines = [line, *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()), "Connection: close"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


PAGE = "GET /project/ HTTP/1.1"
WS = {"Upgrade": "websocket", "Sec_WebSocket_Version": "13", "Sec_WebSocket_Key": base64.b64encode(b"0" * 16).decode()}


def foreign(port: int, token: str) -> dict[str, bytes]:
    """Requests that a foreign page, a rebound name or a curious program could send."""
    here = f"127.0.0.1:{port}"
    socket = "GET /-kgsite/livereload HTTP/1.1"
    start = "POST /-kgsite/api/library/add?name=x.md HTTP/1.1"
    return {
        "rebound name": request(PAGE, Host=f"evil.example:{port}"),
        "rebound name without port": request(PAGE, Host="evil.example"),
        "name that ends like ours": request(PAGE, Host=f"localhost.evil.example:{port}"),
        "name that begins like ours": request(PAGE, Host=f"127.0.0.1.nip.io:{port}"),
        "other port": request(PAGE, Host="127.0.0.1:1"),
        "no port": request(PAGE, Host="127.0.0.1"),
        "no host": request(PAGE),
        "empty host": request(PAGE, Host=""),
        "two hosts": f"{PAGE}\r\nHost: {here}\r\nHost: evil.example\r\nConnection: close\r\n\r\n".encode(),
        "host with a user": request(PAGE, Host=f"evil@{here}"),
        "address of all": request(PAGE, Host=f"0.0.0.0:{port}"),
        "decimal address": request(PAGE, Host=f"2130706433:{port}"),
        "absolute target": request(f"GET http://{here}/project/ HTTP/1.1", Host=here),
        "absolute foreign target": request("GET http://evil.example/project/ HTTP/1.1", Host=here),
        "foreign origin": request(PAGE, Host=here, Origin="https://evil.example"),
        "null origin": request(PAGE, Host=here, Origin="null"),
        "origin of another port": request(PAGE, Host=here, Origin="http://127.0.0.1:1"),
        "origin over https": request(PAGE, Host=here, Origin=f"https://{here}"),
        "script of a foreign page": request(
            "GET /project/search/index.js HTTP/1.1", Host=here, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors"
        ),
        "frame of a neighbour port": request(
            PAGE, Host=here, Sec_Fetch_Site="same-site", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="iframe"
        ),
        "post to the site": request("POST /project/ HTTP/1.1", Host=here, Content_Length="0", X_Kgsite_Token=token),
        "put": request("PUT /project/x.html HTTP/1.1", Host=here, Content_Length="0"),
        "delete": request("DELETE /project/index.html HTTP/1.1", Host=here),
        "options": request("OPTIONS /project/ HTTP/1.1", Host=here),
        "trace": request("TRACE /project/ HTTP/1.1", Host=here),
        "no token": request(start, Host=here, Content_Length="0"),
        "wrong token": request(start, Host=here, Content_Length="0", X_Kgsite_Token=token[:-1] + "~"),
        "token in the address": request(
            f"POST /-kgsite/api/library/add?name=x.md&token={token} HTTP/1.1", Host=here, Content_Length="0"
        ),
        "form of a foreign page": request(
            start, Host=here, Origin="https://evil.example", Content_Length="0", X_Kgsite_Token=token
        ),
        "websocket among others": request(PAGE, Host=here, Connection="Upgrade", Upgrade="WebSocket, h2c"),
        "port twice": request(PAGE, Host=f"{here}:{port}"),
        "port with a zero": request(PAGE, Host=f"127.0.0.1:0{port}"),
        "short address": request(PAGE, Host=f"127.1:{port}"),
        "mapped address": request(PAGE, Host=f"[::ffff:127.0.0.1]:{port}"),
        "host and a path": request(PAGE, Host=f"{here}/x"),
        "two names": request(PAGE, Host=f"{here},evil.example"),
        "dot at the end": request(PAGE, Host=f"localhost.:{port}"),
        "forwarded host": request(PAGE, Host="evil.example", X_Forwarded_Host=here),
        "target of two slashes": request("GET //evil.example/project/ HTTP/1.1", Host=here),
        "target in capitals": request(f"GET HTTP://{here}/project/ HTTP/1.1", Host=here),
        "origin with a slash": request(PAGE, Host=here, Origin=f"http://{here}/"),
        "origin of the other name": request(PAGE, Host=here, Origin=f"http://localhost:{port}"),
        "empty origin": request(PAGE, Host=here, Origin=""),
        "overridden method": request(
            "GET /-kgsite/api/library/start HTTP/1.1", Host=here, X_HTTP_Method_Override="POST"
        ),
        "overridden to read": request(
            "POST /project/?_method=GET HTTP/1.1", Host=here, X_HTTP_Method_Override="GET", Content_Length="0"
        ),
        "reading what is posted": request("GET /-kgsite/api/library/add?name=x.md HTTP/1.1", Host=here),
        "token in a cookie": request(start, Host=here, Content_Length="0", Cookie=f"X-Kgsite-Token={token}"),
        "token of two": request(start, Host=here, Content_Length="0", X_Kgsite_Token=f"{token},{token}"),
        "length below nothing": request(start, Host=here, Content_Length="-1", X_Kgsite_Token=token),
        "length and chunks": request(
            start, Host=here, Content_Length="5", Transfer_Encoding="chunked", X_Kgsite_Token=token
        ),
        "long header": request(PAGE, Host=here, X_Long="a" * 100_000),
        "long host": request(PAGE, Host="a" * 60_000),
        "another protocol": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "no protocol": b"GET /project/\r\n\r\n",
        "force reload": request("GET /forcereload HTTP/1.1", Host=here),
        "socket of a foreign page": request(
            socket, Host=here, Origin="https://evil.example", Connection="Upgrade", **WS
        ),
        "socket of a neighbour port": request(
            socket, Host=here, Origin="http://127.0.0.1:1", Connection="Upgrade", **WS
        ),
        "socket without origin": request(socket, Host=here, Connection="Upgrade", **WS),
        "socket of a rebound name": request(
            socket, Host=f"evil.example:{port}", Origin=f"http://evil.example:{port}", Connection="Upgrade", **WS
        ),
        **{
            f"traversal {path}": request(f"GET /project/{path} HTTP/1.1", Host=here)
            for path in (
                "../secret.txt",
                "%2e%2e/secret.txt",
                "..%2fsecret.txt",
                "%2e%2e%2fsecret.txt",
                "..%5csecret.txt",
                "..\\secret.txt",
                "%252e%252e/secret.txt",
                "link.txt",
                "linked/secret.txt",
                "linked/site.toml",
                ".hidden",
                "//secret.txt",
                "index.html%00.txt",
                "documents/../../secret.txt",
                "%c0%ae%c0%ae/secret.txt",
                "....//secret.txt",
                "documents%2findex.html",
                "documents%252findex.html",
                "..;/secret.txt",
                "%2ekgsite/cache/report.json",
                "index.html%2f",
                "index.html.",
                "%e0%80%ae%e0%80%ae/secret.txt",
            )
        },
    }


def test_foreign_requests_are_not_answered(server: Served) -> None:
    asked = foreign(server.port, server.token)
    assert len(asked) >= 80
    answered = {}
    for name, data in asked.items():
        answer = server.send(data)
        status = answer.split(b" ", 2)[1:2]
        if status[:1] not in ([b"400"], [b"403"], [b"404"], [b"405"], []) or SECRET.encode() in answer:
            answered[name] = answer[:200]
        assert b"Marie Curie" not in answer, name
        assert server.token.encode() not in answer or name.startswith(("traversal", "force", "target of two")), name
    assert answered == {}
    assert not (server.root / "content" / "x.md").exists()


def test_nothing_of_the_request_comes_back(server: Served) -> None:
    answer = server.send(request("GET /project/<script>alert(1)</script> HTTP/1.1", Host=f"127.0.0.1:{server.port}"))
    assert b"alert(1)" not in answer


def test_our_own_pages_are_answered(server: Served) -> None:
    here = f"127.0.0.1:{server.port}"
    assert server.send(request(PAGE, Host=here)).startswith(b"HTTP/1.1 200")
    assert server.send(request(PAGE, Host=f"localhost:{server.port}")).startswith(b"HTTP/1.1 200")
    assert server.send(request(PAGE, Host=here, Origin=f"http://{here}")).startswith(b"HTTP/1.1 200")
    followed = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert server.send(request(PAGE, Host=here, **followed)).startswith(b"HTTP/1.1 200")
    assert server.send(request("HEAD /project/ HTTP/1.1", Host=here)).startswith(b"HTTP/1.1 200")


def test_the_channel_opens_to_our_own_pages(server: Served) -> None:
    here = f"127.0.0.1:{server.port}"
    answer = server.send(
        request("GET /-kgsite/livereload HTTP/1.1", Host=here, Origin=f"http://{here}", **WS).replace(
            b"Connection: close", b"Connection: Upgrade"
        )
    )
    assert answer.startswith(b"HTTP/1.1 101")


def test_the_same_bytes_at_the_same_address(server: Served) -> None:
    """Only HTML differs from the disk, by one tag; MIME types and charset are right; cached is what its name changes with."""
    site = server.root / "_site"
    kinds = {
        "html": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "json": "application/json; charset=utf-8",
    }
    for file in sorted(path for path in site.rglob("*") if path.is_file() and not path.is_symlink()):
        name = file.relative_to(site).as_posix()
        if name.startswith("."):
            continue
        status, headers, body = server.raw("GET", f"/project/{name}")
        assert status == 200, name
        named_by_content = re.search(r"^static/.*\.[0-9a-f]{10}\.[a-z0-9]+$", name)
        assert headers["cache-control"] == ("max-age=31536000, immutable" if named_by_content else "no-cache")
        kind = file.suffix.lstrip(".")
        assert headers["content-type"] == kinds.get(kind, headers["content-type"])
        if kind == "html":
            assert body.count(b'id="kgsite-serve"') == 1
            start = body.index(b'<link rel="stylesheet" href="/-kgsite/')
            end = body.rindex(b"</body>")
            body = body[:start] + body[end:]
        assert body == file.read_bytes(), name
    assert b"kgsite-serve" not in (site / "index.html").read_bytes()


def test_folders_slashes_and_unknown_paths(server: Served) -> None:
    assert server.raw("GET", "/")[1]["location"] == "/project/"
    status, headers, _ = server.raw("GET", "/project/documents?a=b")
    assert (status, headers["location"]) == (302, "/project/documents/?a=b")
    status, headers, body = server.raw("GET", "/project/a/b/c")
    assert status == 404
    assert b"/project/static/" in body  # 404.html with its absolute links, at any depth
    assert server.raw("GET", "/elsewhere/")[0] == 404


def test_etags_spare_a_second_transfer(server: Served) -> None:
    tag = server.raw("GET", "/project/")[1]["etag"]
    assert server.raw("GET", "/project/", {"If-None-Match": tag})[0] == 304


def test_who_is_a_known_host() -> None:
    guard = make_guard("127.0.0.1", 8000, network=False)
    assert guard.knows("localhost:8000")
    assert guard.knows("[::1]:8000")
    assert not guard.knows("192.168.0.7:8000")
    network = make_guard("0.0.0.0", 8000, network=True, machine="box")
    assert network.knows("192.168.0.7:8000")
    assert network.knows("box.local:8000")
    assert not network.knows("evil.example:8000")
    assert make_guard("127.0.0.1", 80, network=False).knows("localhost")


def test_each_run_has_its_own_token() -> None:
    tokens = {make_guard("127.0.0.1", 8000, network=False).token for _ in range(50)}
    assert len(tokens) == 50
    assert min(map(len, tokens)) >= 32


def test_loopback_and_mount() -> None:
    assert [is_loopback(host) for host in ("localhost", "127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "box")] == [
        True, True, True, True, False, False,
    ]  # fmt: skip
    assert [mount_of(url) for url in ("", "https://a.org", "https://a.org/p", "https://a.org/p/q/")] == [
        "/", "/", "/p/", "/p/q/",
    ]  # fmt: skip


def test_a_refusal_comes_before_any_route() -> None:
    guard = Guard(8000, "token", frozenset({"localhost"}))
    asked = HTTPServerRequest(
        headers=HTTPHeaders({"Host": "localhost:8000"}),
        start_line=RequestStartLine("POST", "/-kgsite/anything", "HTTP/1.1"),
    )
    refusal = guard.refusal(asked)
    assert refusal is not None
    assert refusal.status == 403


def test_paths_stay_inside(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "a b").mkdir(parents=True)
    (site / "a b" / "index.html").write_text("x")
    (site / "ü.txt").write_text("x")
    assert locate(site, "/", "/a%20b/").file == site / "a b" / "index.html"
    assert locate(site, "/", "/a%20b").redirect == "/a%20b/"
    assert locate(site, "/", "/%C3%BC.txt").file == site / "ü.txt"
    assert locate(site, "/", "/ü.txt/").file is None
    assert locate(site, "/p/", "/a%20b/").file is None


def test_other_machines_need_two_flags(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from kgsite.cli import main

    make_project(tmp_path)
    result = CliRunner().invoke(main, ["-C", str(tmp_path), "serve", "--host", "0.0.0.0", "--port", "0"])
    assert result.exit_code == 2
    assert "--allow-network" in result.output


def test_on_a_network_nothing_can_be_added(tmp_path: Path) -> None:
    make_project(tmp_path)
    with served(tmp_path, "--host", "0.0.0.0", "--allow-network", wait=False) as running:
        assert running.raw("GET", "/-kgsite/library")[0] == 404
        assert running.raw("POST", "/-kgsite/api/library/add?name=x.md", {"X-Kgsite-Token": ""}, b"x")[0] == 403
        assert 'data-token=""' in running.get("")[1]


def test_the_channel_speaks_livereload(server: Served) -> None:
    import asyncio

    from tornado.httpclient import HTTPRequest
    from tornado.websocket import websocket_connect

    async def talk() -> dict[str, object]:
        url = f"ws://127.0.0.1:{server.port}/-kgsite/livereload"
        socket = await websocket_connect(HTTPRequest(url, headers={"Origin": f"http://127.0.0.1:{server.port}"}))
        await socket.write_message(json.dumps({"command": "hello", "protocols": []}))
        answer = await socket.read_message()
        await socket.write_message("{" * 20_000)
        closed = await socket.read_message()
        assert closed is None
        socket.close()
        assert isinstance(answer, str)
        said = json.loads(answer)
        assert isinstance(said, dict)
        return said

    said = asyncio.run(talk())
    assert said["command"] == "hello"
    assert said["protocols"] == ["http://livereload.com/protocols/official-7"]
