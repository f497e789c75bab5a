"""What `vllm serve MODEL --served-model-name NAME --port N` looks like to a recipe: it does sums, and judges them.

As a generator it is right on even sums and one off on odd ones; as a labeller it is always right.
"""

from __future__ import annotations

import argparse
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fake_llm import completion


def reply(prompt: str) -> str:
    if "[CANDIDATE starts here]" in prompt:
        reference, candidate = re.findall(
            r"\[(?:REFERENCE|CANDIDATE) starts here\]\n(.*?)\n\[", prompt, re.DOTALL
        )
        return f"Final answer: {candidate.endswith(f'Final answer: {reference}')}"
    total = sum(map(int, re.findall(r"\d+", prompt)))
    return f"I add them. Final answer: {total + total % 2}"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.send({})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send(completion(reply(body["messages"][-1]["content"])))

    def send(self, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    for flag in ("--served-model-name", "--host", "--max-model-len"):
        parser.add_argument(flag)
    parser.add_argument("--port", type=int)
    ThreadingHTTPServer.request_queue_size = 64
    ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler).serve_forever()
