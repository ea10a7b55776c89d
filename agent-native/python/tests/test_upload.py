"""Finding the server and sending to it, against a real HTTP server on this machine."""
import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from lamella.upload import TRIES_MAX, Server, UploadError, find_server, retry_after_seconds, send


class Ingest:
    """A server that gives the scripted answers in turn, the last one for ever, and keeps what it was sent."""

    def __init__(self):
        self.requests, self.answers = [], [(202, {}, {"uploadId": "a" * 64})]
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append((self.path, dict(self.headers.items()), body))
                status, headers, answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer if isinstance(answer, bytes) else json.dumps(answer).encode())

            def log_message(self, *_):
                pass

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.server = Server("http://127.0.0.1:%d" % self.http.server_port, "demo", "lml_x")
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def ingest():
    one = Ingest()
    yield one
    one.http.shutdown()
    one.http.server_close()


def problem(status, code="internal", **headers):
    return status, headers, {"title": "A title", "detail": "what, where and how to fix it", "status": status, "code": code}


def test_an_upload_is_one_gzip_member_with_token_and_type_and_equal_messages_are_equal_bytes(ingest):
    assert send(ingest.server, "shapes", b"abc" * 100) == "a" * 64
    send(ingest.server, "shapes", b"abc" * 100)
    (path, headers, body), (_, _, again) = ingest.requests
    assert path == "/t/demo/ingest/shapes"
    assert (headers["Content-Type"], headers["Content-Encoding"], headers["Authorization"]) == ("application/x-protobuf", "gzip", "Bearer lml_x")
    assert gzip.decompress(body) == b"abc" * 100 and body.count(b"\x1f\x8b\x08") == 1
    assert body == again


def test_it_waits_as_the_server_asks_and_tries_again(ingest):
    waits = []
    ingest.answers = [problem(503, "store_unavailable", **{"Retry-After": "7"}), problem(429, "rate_limited"), (202, {}, {"uploadId": "b" * 64})]
    assert send(ingest.server, "shapes", b"x", waits.append) == "b" * 64
    assert waits == [7.0, 2.0] and len(ingest.requests) == 3


def test_it_gives_up_after_a_bounded_number_of_tries_and_says_what_the_server_said(ingest):
    waits = []
    ingest.answers = [problem(503, "store_unavailable", **{"Retry-After": "99999"})]
    with pytest.raises(UploadError, match="did not take the shapes in 6 tries: A title .503 store_unavailable.: what, where and how to fix it"):
        send(ingest.server, "shapes", b"x", waits.append)
    assert waits == [60.0] * (TRIES_MAX - 1)


def test_a_refusal_is_not_tried_again(ingest):
    ingest.answers = [problem(401, "token_invalid")]
    with pytest.raises(UploadError, match="refused the shapes: A title .401 token_invalid.: what, where"):
        send(ingest.server, "shapes", b"x")
    assert len(ingest.requests) == 1


def test_a_redirect_never_carries_the_token_along(ingest):
    ingest.answers = [(302, {"Location": ingest.server.url + "/elsewhere"}, b"")]
    with pytest.raises(UploadError, match="status 302"):
        send(ingest.server, "shapes", b"x")
    assert len(ingest.requests) == 1


def test_another_kind_of_server_is_named(ingest):
    ingest.answers = [(200, {}, b"<html>")]
    with pytest.raises(UploadError, match="no receipt of an upload"):
        send(ingest.server, "shapes", b"x")


def test_a_closed_port_is_named():
    with pytest.raises(UploadError, match="127.0.0.1:1/t/demo/ingest/shapes cannot be reached"):
        send(Server("http://127.0.0.1:1", "demo", "t"), "shapes", b"x")


@pytest.mark.parametrize(
    "header, attempt, expected",
    [(None, 3, 8.0), ("5", 0, 5.0), ("-5", 0, 0.0), ("nan", 0, 60.0), ("Sat, 29 Nov 2025 00:00:30 GMT", 0, 30.0), ("soon", 1, 2.0)],
)
def test_retry_after(header, attempt, expected):
    assert retry_after_seconds(header, attempt, now_s=1764374400.0) == expected


def test_the_embedded_stack_is_found_from_below(tmp_path):
    (tmp_path / ".lamella").mkdir()
    (tmp_path / ".lamella" / "stack.json").write_text('{"url": "http://127.0.0.1:5/", "tenant": "demo", "token": "lml_a", "pid": 1}')
    (tmp_path / "a" / "b").mkdir(parents=True)
    expected = Server("http://127.0.0.1:5", "demo", "lml_a")
    assert find_server("", {}, str(tmp_path / "a" / "b")) == expected
    assert find_server("", {"LAMELLA_DATA_DIR": str(tmp_path / ".lamella")}, "/") == expected
    assert find_server(str(tmp_path / ".lamella"), {"LAMELLA_URL": "http://other/t/x", "LAMELLA_TOKEN": "t"}) == expected


@pytest.mark.parametrize(
    "environment, expected",
    [
        ({"LAMELLA_URL": "https://h/t/team"}, Server("https://h", "team", "k")),
        ({"LAMELLA_URL": "https://h:8/below/t/team/"}, Server("https://h:8/below", "team", "k")),
        ({"LAMELLA_URL": "https://h/", "LAMELLA_TENANT": "team"}, Server("https://h", "team", "k")),
    ],
)
def test_another_server_is_found_by_its_url(environment, expected):
    assert find_server("", dict(environment, LAMELLA_TOKEN="k")) == expected


@pytest.mark.parametrize(
    "environment, said",
    [
        ({"LAMELLA_URL": "h"}, "must be like https"),
        ({"LAMELLA_URL": "https://h", "LAMELLA_TOKEN": "k"}, "names no tenant"),
        ({"LAMELLA_URL": "https://h/t/a", "LAMELLA_TENANT": "b", "LAMELLA_TOKEN": "k"}, "unset one of them"),
        ({"LAMELLA_URL": "https://h/t/a"}, "LAMELLA_TOKEN is not"),
        ({"LAMELLA_DATA_DIR": "/nowhere"}, "no embedded stack runs there"),
        ({}, "npm start"),
    ],
)
def test_a_missing_server_says_how_to_fix_it(environment, said, tmp_path):
    with pytest.raises(UploadError, match=said):
        find_server("", environment, str(tmp_path))
