"""Do 8 requests in flight keep a 200 ms server busy? 200 chunks in under 1.15 × (200 / 8 × 0.2 s).

    python -m benchmarks.llm_concurrency

The server is a process of its own and answers each chat completion after exactly 200 ms. The import of openai is
reported by itself: it is paid once in a build, and only if a request is needed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHUNKS, INFLIGHT, LATENCY, FACTOR, ROUNDS = 200, 8, 0.2, 1.15, 3
IDEAL = CHUNKS / INFLIGHT * LATENCY

SERVER = f"""
import asyncio, json, sys
reply = json.dumps({{"entities": [{{"text": "Ada", "label": "person", "description": "A."}}] * 8, "relations": [], "gist": "g"}})
body = json.dumps({{"id": "x", "object": "chat.completion", "model": "m", "choices": [{{"index": 0, "finish_reason": "stop",
    "message": {{"role": "assistant", "content": reply}}}}], "usage": {{"prompt_tokens": 900, "completion_tokens": 200}}}}).encode()
answer = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: " + str(len(body)).encode() + b"\\r\\n\\r\\n" + body
async def serve(reader, writer):
    while True:
        try:
            head = await reader.readuntil(b"\\r\\n\\r\\n")
            length = next(int(line.split(b":")[1]) for line in head.split(b"\\r\\n") if line.lower().startswith(b"content-length"))
            await reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            return writer.close()
        await asyncio.sleep({LATENCY})
        writer.write(answer)
        await writer.drain()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


def run(url: str, folder: Path) -> tuple[float, float]:
    """(seconds, seconds of processor time) for 200 chunks that the reply store does not know."""
    from kgsite.extract.llm import llm_extractor
    from kgsite.replystore import ReplyStore
    from tests.llm.kit import chunks_only, job, settings

    words = "The weather was mild and the story went on for a while without anything that had to be remembered. "
    jobs = [
        job(*(f"Passage {part} of {document}. {words * 12}" for part in range(50)), path=f"{document}.md")
        for document in range(4)
    ]
    chosen = chunks_only(settings(folder, url, concurrency=INFLIGHT))
    with llm_extractor(chosen, store=ReplyStore(folder / "replies"), environ={}) as extractor:
        extractor.client.wire()  # the import of openai is measured by itself
        began, worked = time.perf_counter(), time.process_time()
        assert sum(len(outcome.chunks) for _, outcome in extractor.extract(jobs)) == CHUNKS  # type: ignore[union-attr]
        return time.perf_counter() - began, time.process_time() - worked


def main() -> int:
    began = time.perf_counter()
    import kgsite.extract.llm.transport  # noqa: F401
    from kgsite.extract import tokens

    tokens.count("warm")
    imports = time.perf_counter() - began
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        times = []
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as folder:
                times.append(run(f"http://127.0.0.1:{port}/v1", Path(folder)))
        server.terminate()
    best = min(wall for wall, _ in times)
    shown = ", ".join(f"{wall:.2f} s ({busy:.2f} s of processor time)" for wall, busy in times)
    print(f"imports {imports:.2f} s; {CHUNKS} chunks, {INFLIGHT} in flight: {shown}")
    print(
        f"best {best:.2f} s = {best / IDEAL:.3f} × the ideal {IDEAL:.1f} s; goal {FACTOR} ×: {'met' if best < FACTOR * IDEAL else 'missed'}"
    )
    return 0 if best < FACTOR * IDEAL else 1


if __name__ == "__main__":
    raise SystemExit(main())
