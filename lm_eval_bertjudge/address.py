"""Addresses of servers."""

from __future__ import annotations

from urllib.parse import urlsplit

from lm_eval_bertjudge.errors import InputError

EXAMPLE = "http://localhost:8000/v1"


def check_address(url: str, name: str) -> None:
    """Checks that `url`, which the option `name` has, is a server's address.

    Raises:
        InputError: It is none, or it holds a user or password, which the message does not repeat.
    """
    host = _host(url)
    if "@" in (host or url):
        raise InputError(
            f"{name} holds a user or password, and would end up in logs; leave it out, as in {EXAMPLE} (an LLM "
            "server's key goes into the environment variable that api_key_env names)",
            option=name,
        )
    if not host:
        raise InputError(
            f"{name} is {url!r}; a server's address was expected, such as {EXAMPLE}", option=name
        )


def _host(url: str) -> str:
    """Host, port and what stands before them; nothing where `url` is no address of a web server."""
    try:
        parts = urlsplit(url)
    except ValueError:  # "http://["
        return ""
    return parts.netloc if parts.scheme in ("http", "https") and parts.hostname else ""
