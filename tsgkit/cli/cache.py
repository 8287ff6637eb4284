"""Show or clear the cache of replies.

tsgkit cache info
tsgkit cache clear
"""

from __future__ import annotations

import argparse

from tsgkit.cli.terminal import count, inert, say, say_json
from tsgkit.errors import GOOD


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verbs of this command."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    info = verbs.add_parser("info", help="how many replies are kept, and where")
    info.add_argument("--json", action="store_true", help="print one JSON object")
    verbs.add_parser("clear", help="forget all of them; runs keep their own records")


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    from tsgkit.llm.cache import FILE, ReplyCache, clear
    from tsgkit.user_folders import cache_home

    path = cache_home() / FILE
    if arguments.verb == "clear":
        say(f"cleared: {inert(str(path))}" if clear() else f"nothing was kept in {inert(str(path))}")
        return GOOD
    replies = size = 0
    if path.exists():
        cache = ReplyCache()
        replies, size = cache.size()
        cache.close()
    if arguments.json:
        say_json({"file": str(path), "replies": replies, "bytes": size}, None)
    else:
        say(f"{count(replies, 'reply', 'replies')}, {size:,} bytes in {inert(str(path))}")
    return GOOD
