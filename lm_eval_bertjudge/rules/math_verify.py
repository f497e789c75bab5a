"""Math-Verify in a process of its own, which answers one JSON line per question.

Math-Verify stops runaway expressions with signals, which only work in a process's main thread. The harness and its
users call filters from other threads too, and a hostile expression can hang sympy outside any signal's reach. So the
checks run in a child whose main thread is its own, and the parent kills it when an answer takes longer than
`TIMEOUT_S`.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import queue
import subprocess
import sys
import threading

TIMEOUT_S = 10.0
_START_TIMEOUT_S = 60.0
logger = logging.getLogger(__name__)


class MathWorker:
    """A child process that compares mathematical expressions; started at the first call, restarted after a time-out."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str] = queue.Queue()
        self._pid = os.getpid()

    def equal(self, gold: str, answer: str) -> bool | None:
        """Whether Math-Verify takes `answer` for `gold`; None when it gave no answer in `TIMEOUT_S`, or never began."""
        with self._lock:
            try:
                child = self._running()
                assert child.stdin is not None
                child.stdin.write(json.dumps([gold, answer]) + "\n")
                child.stdin.flush()
                return bool(json.loads(self._answers.get(timeout=TIMEOUT_S)))
            except (queue.Empty, json.JSONDecodeError, OSError):
                logger.warning(
                    "Math-Verify gave no answer in %.0f s on %.80r; left undecided",
                    TIMEOUT_S,
                    answer,
                )
                self.close()
                return None

    def close(self) -> None:
        """Ends the child process, if there is one."""
        if self._child is not None and self._pid == os.getpid():
            self._child.kill()
            self._child.wait()
        self._child = None

    def _running(self) -> subprocess.Popen[str]:
        if self._child is not None and self._pid == os.getpid() and self._child.poll() is None:
            return self._child
        self._pid, self._answers = os.getpid(), queue.Queue()
        command = [sys.executable, "-m", __name__]
        pipe = subprocess.PIPE
        child = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, encoding="utf-8"
        )
        self._child = child
        threading.Thread(target=_collect, args=(child, self._answers), daemon=True).start()
        self._answers.get(timeout=_START_TIMEOUT_S)
        return child


def _collect(child: subprocess.Popen[str], answers: queue.Queue[str]) -> None:
    assert child.stdout is not None
    for line in child.stdout:
        answers.put(line)
    answers.put("")  # the child ended: wake the waiting caller


worker = MathWorker()
atexit.register(worker.close)


def _serve() -> None:
    with contextlib.redirect_stdout(sys.stderr):
        from math_verify import parse, verify
    print("ready", flush=True)
    for line in sys.stdin:
        gold, answer = json.loads(line)
        parsed_gold, parsed_answer = parse(_as_math(gold)), parse(_as_math(answer))
        print(json.dumps(bool(parsed_gold and verify(parsed_gold, parsed_answer))), flush=True)


def _as_math(text: str) -> str:
    """LaTeX needs its delimiters to be read as LaTeX."""
    return f"${text}$" if "$" not in text and ("\\" in text or "^" in text) else text


if __name__ == "__main__":
    _serve()
