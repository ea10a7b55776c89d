"""Finds the server and sends uploads to its ingest URL: POST {url}/t/{tenant}/ingest/{kind}, one gzip member of protobuf, bearer token.

Invariant: an upload was stored or an UploadError says why not; equal messages are equal bytes, so sending one again has the same id and is stored once.
"""
import email.utils
import gzip
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Callable, Mapping, NamedTuple, Optional

from .version import AGENT_VERSION

TRIES_MAX = 6
WAIT_SECONDS_MAX = 60.0  # of one wait, whatever Retry-After says
TIMEOUT_SECONDS = 30.0


class UploadError(Exception):
    """What went wrong, where, and how to fix it."""


class Server(NamedTuple):
    url: str  # e.g. "http://127.0.0.1:8787", without a slash at the end
    tenant: str
    token: str


def find_server(data_dir: str = "", environment: Optional[Mapping[str, str]] = None, directory: str = "") -> Server:
    """`data_dir` (--data-dir) wins; else LAMELLA_URL; else LAMELLA_DATA_DIR; else .lamella/ in `directory` (the working directory) or above it."""
    env = os.environ if environment is None else environment
    if not data_dir and env.get("LAMELLA_URL"):
        return _from_url(env["LAMELLA_URL"], env.get("LAMELLA_TENANT", ""), env.get("LAMELLA_TOKEN", ""))
    data_dir = data_dir or env.get("LAMELLA_DATA_DIR", "")
    folder = data_dir or _search_upwards(os.path.abspath(directory or os.getcwd()))
    if not folder:
        ways = "start one with `npm start`, or set LAMELLA_URL (http://host/t/TENANT) and LAMELLA_TOKEN, or name its data folder with --data-dir"
        raise UploadError("No server was found: %s." % ways)
    path = os.path.join(folder, "stack.json")
    try:
        with open(path, encoding="utf-8") as file:
            stack = json.load(file)
        return Server(str(stack["url"]).rstrip("/"), str(stack["tenant"]), str(stack["token"]))
    except OSError as error:
        raise UploadError("%s cannot be read (%s): no embedded stack runs there. Start it with `npm start`, with the same --data-dir." % (path, error.strerror))
    except (ValueError, KeyError, TypeError):
        raise UploadError("%s is not what an embedded stack writes there: expected url, tenant and token. Start the stack anew." % path)


def _search_upwards(directory: str) -> str:
    while True:
        folder = os.path.join(directory, ".lamella")
        if os.path.isfile(os.path.join(folder, "stack.json")):
            return folder
        above = os.path.dirname(directory)
        if above == directory:
            return ""
        directory = above


def _from_url(url: str, tenant: str, token: str) -> Server:
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UploadError("LAMELLA_URL is %r: it must be like https://lamella.example.com/t/TENANT." % url)
    before, marker, after = parts.path.partition("/t/")
    in_path = after.split("/")[0] if marker else ""
    if in_path and tenant and in_path != tenant:
        raise UploadError("LAMELLA_URL names the tenant %r and LAMELLA_TENANT %r: unset one of them." % (in_path, tenant))
    if not (in_path or tenant):
        raise UploadError("LAMELLA_URL names no tenant: end it with /t/TENANT, or set LAMELLA_TENANT.")
    if not token:
        raise UploadError("LAMELLA_URL is set but LAMELLA_TOKEN is not: create a token with `lamella token create --scope ingest`.")
    return Server("%s://%s%s" % (parts.scheme, parts.netloc, before.rstrip("/")), in_path or tenant, token)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token to another place and turn POST into GET."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _opener(url: str) -> urllib.request.OpenerDirector:
    local = urllib.parse.urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")
    handlers = [_NoRedirect()] + ([urllib.request.ProxyHandler({})] if local else [])
    return urllib.request.build_opener(*handlers)


def retry_after_seconds(header: Optional[str], attempt: int, now_s: float) -> float:
    """Seconds to wait before the next try: Retry-After (seconds or a date) bounded by WAIT_SECONDS_MAX; without it 1, 2, 4, …"""
    wait = float(2**attempt)
    if header:
        try:
            wait = float(header)
        except ValueError:
            parsed = email.utils.parsedate_tz(header)
            wait = email.utils.mktime_tz(parsed) - now_s if parsed else wait
    return min(max(wait, 0.0), WAIT_SECONDS_MAX) if wait == wait else WAIT_SECONDS_MAX


def _problem_text(status: int, body: bytes) -> str:
    """The title and detail of a problem+json answer, else the beginning of whatever came."""
    try:
        problem = json.loads(body.decode("utf-8"))
        text = "%s (%s %s)" % (problem["title"], status, problem.get("code", ""))
        return text + ": " + problem["detail"] if problem.get("detail") else text
    except (ValueError, KeyError, TypeError):
        return "status %d: %s" % (status, body[:200].decode("utf-8", "replace").strip() or "an empty answer")


def send(server: Server, kind: str, message: bytes, sleep: Callable[[float], None] = time.sleep) -> str:
    """Sends one encoded upload and returns its id. Tries again on 429 and 503 as the server asks, TRIES_MAX times in all."""
    url = "%s/t/%s/ingest/%s" % (server.url, urllib.parse.quote(server.tenant, safe=""), kind)
    headers = {
        "Content-Type": "application/x-protobuf",
        "Content-Encoding": "gzip",
        "Authorization": "Bearer " + server.token,
        "User-Agent": AGENT_VERSION.replace(" ", "/"),
    }
    body = gzip.compress(message, mtime=0)
    opener = _opener(url)
    for attempt in range(TRIES_MAX):
        try:
            with opener.open(urllib.request.Request(url, data=body, headers=headers, method="POST"), timeout=TIMEOUT_SECONDS) as answer:
                return str(json.loads(answer.read().decode("utf-8"))["uploadId"])
        except urllib.error.HTTPError as error:
            said = _problem_text(error.code, error.read())
            if error.code not in (429, 503):
                raise UploadError("%s refused the %s: %s" % (url, kind, said))
            if attempt + 1 == TRIES_MAX:
                raise UploadError("%s did not take the %s in %d tries: %s" % (url, kind, TRIES_MAX, said))
            sleep(retry_after_seconds(error.headers.get("Retry-After"), attempt, time.time()))
        except (ValueError, KeyError, TypeError):
            raise UploadError("%s answered with something that is no receipt of an upload; is LAMELLA_URL a Lamella server?" % url)
        except OSError as error:
            raise UploadError("%s cannot be reached: %s. Is the server running?" % (url, getattr(error, "reason", error)))
    raise AssertionError("unreachable")
