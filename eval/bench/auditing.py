"""Benchmark: an audit of 12,300 questions; the limit is 20 seconds.

The questions are made up: ten to an image, four options and a refusal, as the largest published set has them.
"""

from __future__ import annotations

import random
import sys
import time

from smoke import sized

from tsgkit.suites.audits import Auditable, AuditedItem, audit

LIMIT = 20.0
IMAGES, QUESTIONS = sized(1230, 3), 10
WORDS = [a + b for a in ("bri", "cal", "dor", "fen", "gal", "hus", "jor", "kel", "lum", "mor") for b in
         ("ack", "ent", "ine", "old", "urn", "ask", "ith", "ogs", "amp", "elt")]  # fmt: skip


def made(number: int, draw: random.Random) -> AuditedItem:
    """Return one question of made-up words."""
    options = [" ".join(draw.choices(WORDS, k=5)) for _ in range(4)]
    return AuditedItem(
        item_id=f"{number // QUESTIONS}/{number % QUESTIONS}",
        cluster=str(number // QUESTIONS),
        question=" ".join(draw.choices(WORDS, k=11)),
        options=(*options, "None"),
        key=draw.randrange(4),
        refusal=4,
        group=str(number % QUESTIONS),
        context=str(number // QUESTIONS),
        prompt=" ".join(draw.choices(WORDS, k=60)),
        beside=tuple(" ".join(draw.choices(WORDS, k=11)) for _ in range(QUESTIONS - 1)),
    )


def main() -> int:
    """Audit once, and say how long it took."""
    draw = random.Random(0)
    items = [made(number, draw) for number in range(IMAGES * QUESTIONS)]
    began = time.perf_counter()
    found = audit(Auditable(items))
    seconds = time.perf_counter() - began
    share = seconds / LIMIT
    print(f"{found.n:,} questions audited in {seconds:.1f} s: {share:.2f} of the limit of {LIMIT:.0f} s")
    return int(share > 1)


if __name__ == "__main__":
    sys.exit(main())
