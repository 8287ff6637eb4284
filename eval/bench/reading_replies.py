"""Benchmark: strict reading against an earlier version, on the same replies in the same run.

    python eval/bench/reading_replies.py --before before/tsgkit-0.2.0-py3-none-any.whl

Each version reads in processes of its own, in turn, from its wheel (or, today's, from the checkout); the median of the
rounds counts. The limit is 1.15 times as long. The replies are made up here: what well-behaved models write.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from smoke import SMOKE, sized

LIMIT = 1.15
ROUNDS = sized(7, 1)
REPLIES = sized(4_000, 10)
NAMES = ("cup", "lid", "kettle", "tap", "tea-bag", "spoon", "table", "cloth")
REASONED = "Step 1: she lifts it.\nStep 2: she rinses it.\n\nFinal answer: [{}]"
VERBS = ("wash", "dry", "hold", "fill", "open", "pick-up", "put-down")


def letters() -> list[str]:
    """Replies to a choice: mostly the letter as it was asked for, some with reasons before it."""
    forms = (
        "[{}]",
        "[{}]",
        "[{}]",
        "{}",
        "**{}**",
        REASONED,
    )
    choose = random.Random(1)
    return [choose.choice(forms).format(choose.choice("ABCDE")) for _ in range(REPLIES)]


def words() -> list[str]:
    """Replies that name something."""
    forms = ("[{}]", "[{}]", "[{}]", "{}", "{}.", REASONED)
    choose = random.Random(2)
    return [choose.choice(forms).format(choose.choice(NAMES)) for _ in range(REPLIES)]


def graphs() -> list[str]:
    """Replies of one to five graphs, a quarter of them with another arrow."""
    choose = random.Random(3)

    def graph() -> str:
        verb = choose.choice(VERBS)
        return f"person -> verb -> {verb}\n{verb} -> dobj -> {choose.choice(NAMES)}\n{verb} -> with -> hand1"

    texts = ["\n\n".join(graph() for _ in range(choose.randint(1, 5))) for _ in range(REPLIES)]
    return [text.replace("->", choose.choice(("->", "->", "->", "→"))) for text in texts]


def times() -> dict[str, float]:
    """Read all replies with the version that is imported; the seconds by kind."""
    from tsg_tasks import read_reply

    from tsgkit.graph.model import ActionGraph, Vocabulary
    from tsgkit.suites.replies import CollectedReply
    from tsgkit.suites.tsg import items

    held = (ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup")),)
    shared: dict[str, Any] = {"item_id": "0", "cluster": "0"}
    vocabulary = Vocabulary(NAMES, ("verb", "dobj"), VERBS)
    samples: dict[str, tuple[Any, Callable[[], list[str]]]] = {
        "letters": (
            items.SelectionSample(**shared, context=(), graph=held[0], candidates=tuple("abcde"), position=0),
            letters,
        ),
        "words": (items.QuestionSample(**shared, graphs=held, question="", answer="cup"), words),
        "graphs": (
            items.GenerationSample(
                **shared,
                context=(),
                sentence="",
                vocabulary=vocabulary,
                references=held * 3,
            ),
            graphs,
        ),
    }
    found = {}
    for kind, (sample, made) in samples.items():
        replies = [CollectedReply(text) for text in made()]
        start = process_time()
        for reply in replies:
            read_reply(sample, reply)
        found[kind] = process_time() - start
    return found


def measured(place: Path) -> dict[str, float]:
    """Measure the version that lies in a folder."""
    bench = Path(__file__).resolve().parent
    paths = [str(place), str(bench), str(bench.parents[1] / "tests")]
    code = f"import json, sys; sys.path[:0] = {paths!r}; from reading_replies import times; print(json.dumps(times()))"
    command = [sys.executable, "-c", code, *["--smoke"] * SMOKE]
    value: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return value


def main() -> int:
    """Print the table; the result is 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, metavar="WHEEL", help="the version to compare with")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        places = {"before": Path(folder), "now": Path(__file__).parents[2]}
        if arguments.before is None:
            print("no --before WHEEL: compared with itself")
            places["before"] = places["now"]
        else:
            zipfile.ZipFile(arguments.before).extractall(folder)
        rounds = [{name: measured(place) for name, place in places.items()} for _ in range(ROUNDS)]
    print(f"{REPLIES:,} replies, median of {ROUNDS} rounds")
    print(f"  {'kind':<12}{'before, ms':>12}{'now, ms':>12}{'ratio':>8}")
    is_met = True
    for kind in rounds[0]["now"]:
        before, now = (median(one[name][kind] for one in rounds) for name in ("before", "now"))
        ratio = median(one["now"][kind] / one["before"][kind] for one in rounds)
        is_met = is_met and ratio <= LIMIT
        print(f"  {kind:<12}{1e3 * before:>12.0f}{1e3 * now:>12.0f}{ratio:>8.2f}")
    print(f"limit: {LIMIT} times as long: {'kept' if is_met else 'missed'}")
    return 0 if is_met or SMOKE else 1


if __name__ == "__main__":
    sys.exit(main())
