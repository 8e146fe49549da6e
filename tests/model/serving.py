"""The server's own process: an OpenAI-compatible endpoint on a free loopback port, until stdin ends.

It runs with xllamacpp's folder on its path and imports nothing of ours. Its first line on stdout is the address.
"""

import sys

import xllamacpp  # type: ignore[import-not-found] # lives in a folder of its own, see weights.py

#: Conversations whose prompts stay computed: extraction and judgment each keep their instructions.
SLOTS = 2
#: Tokens of prompt and reply together.
CONTEXT = 8192


def serve(weights: str, threads: int, longest_reply: int) -> None:
    asked = xllamacpp.CommonParams()
    asked.model.path = weights
    asked.n_parallel, asked.n_ctx, asked.n_predict = SLOTS, SLOTS * CONTEXT, longest_reply
    asked.hostnames, asked.port = ["127.0.0.1"], 0
    asked.use_jinja = True
    asked.cpuparams.n_threads = asked.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(asked)
    print(server.listening_address, flush=True)  # noqa: T201 - it is what the parent waits for
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1], threads=int(sys.argv[2]), longest_reply=int(sys.argv[3]))
