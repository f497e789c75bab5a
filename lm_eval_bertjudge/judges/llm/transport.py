"""What a chat client may receive: so many bytes, within so many seconds, from the host that it was given."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires
from typing import Any

from lm_eval_bertjudge.errors import MissingExtraError

try:
    _needs = requires("openai") or []
except PackageNotFoundError as error:
    raise MissingExtraError("openai", "llm") from error

# Its newer versions use httpx2, whose names are those of httpx.
httpx: Any = import_module("httpx2" if any(n.startswith("httpx2") for n in _needs) else "httpx")

MISDIRECTED = 421  # the status that says so in HTTP


class ReplyTooLargeError(Exception):
    """A reply has more bytes than a reply of so many tokens can have."""


class BoundedTransport(httpx.BaseTransport):  # type: ignore[misc]
    """Sends requests as httpx does, and gives up where a reply is too long or takes too long."""

    def __init__(self, *, max_bytes: int, host: str, allow_redirects: bool) -> None:
        """Opens nothing yet.

        Args:
            max_bytes: Of a reply's body.
            host: An address on the host that requests may go to.
            allow_redirects: Whether they may go anywhere else that it names.
        """
        self._inner = httpx.HTTPTransport()
        self._max_bytes = max_bytes
        self._host = httpx.URL(host)
        self._allow_redirects = allow_redirects
        self._thread = threading.local()

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """Requests of this thread end within so many seconds from now, all of them together."""
        before = getattr(self._thread, "end", math.inf)
        self._thread.end = time.monotonic() + seconds
        try:
            yield
        finally:
            self._thread.end = before

    def handle_request(self, request: Any) -> Any:
        """The reply to a request; one that a redirect sends to another host is refused unless that is allowed."""
        if not (self._allow_redirects or self._is_at_home(request.url)):
            text = f"it redirects to {request.url.host}, which is another host or not encrypted"
            return httpx.Response(MISDIRECTED, json={"error": {"message": text}}, request=request)
        end = getattr(self._thread, "end", math.inf)
        timeouts = request.extensions.get("timeout", {})
        left = max(end - time.monotonic(), 0.001)
        request.extensions["timeout"] = {
            name: left if limit is None else min(limit, left) for name, limit in timeouts.items()
        }
        reply = self._inner.handle_request(request)
        stream = _BoundedStream(reply.stream, self._max_bytes, end)
        return httpx.Response(
            reply.status_code, headers=reply.headers, stream=stream, extensions=reply.extensions
        )

    def close(self) -> None:
        """Closes the connections."""
        self._inner.close()

    def _is_at_home(self, url: Any) -> bool:
        is_downgraded = self._host.scheme == "https" and url.scheme != "https"
        return bool(url.host == self._host.host and not is_downgraded)


class _BoundedStream(httpx.SyncByteStream):  # type: ignore[misc]
    def __init__(self, stream: Any, max_bytes: int, end: float) -> None:
        self._stream = stream
        self._max_bytes = max_bytes
        self._end = end

    def __iter__(self) -> Iterator[bytes]:
        n_bytes = 0
        for part in self._stream:
            n_bytes += len(part)
            if n_bytes > self._max_bytes:
                raise ReplyTooLargeError
            if time.monotonic() > self._end:
                raise httpx.ReadTimeout("the reply takes longer than deadline_s")
            yield part

    def close(self) -> None:
        self._stream.close()


def bounded_client(transport: BoundedTransport) -> Any:
    """The HTTP client that a client of `openai` takes."""
    return httpx.Client(transport=transport, follow_redirects=True)
