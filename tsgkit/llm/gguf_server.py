"""A server of llama.cpp in a process of its own, which ends with the process that started it.

The first line of its input says what it serves, as JSON; the end of its input is the end of the server. It writes its
address as one line once the model is loaded, and everything else to the standard error. This file runs as it stands:
it imports nothing of tsgkit.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any


def end_with_input() -> None:
    """End the process when its input ends."""
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    """Load the model, and serve until the input ends."""
    wanted = json.loads(sys.stdin.buffer.readline())
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the library may write to either
    threading.Thread(target=end_with_input, daemon=True).start()
    import xllamacpp

    parameters: Any = xllamacpp.CommonParams()
    parameters.model.path, parameters.model_alias = wanted["file"], {wanted["name"]}
    parameters.hostnames, parameters.port, parameters.api_keys = ["127.0.0.1"], 0, [wanted["key"]]
    parameters.n_parallel, parameters.n_ctx = wanted["slots"], wanted["slots"] * wanted["ctx"]
    parameters.cache_ram_mib, parameters.ui, parameters.verbosity = wanted["cache_mib"], False, 2
    if "threads" in wanted:
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = wanted["threads"]
    if "gpu_layers" in wanted:
        parameters.n_gpu_layers = wanted["gpu_layers"]
    if "template" in wanted:
        parameters.chat_template = wanted["template"]
    try:
        server = xllamacpp.Server(parameters)
    except RuntimeError:  # what it logged says why
        os._exit(1)
    print(server.listening_address, file=out, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
