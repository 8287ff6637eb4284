"""Make new items of a benchmark, or sets to train with: a model writes, code checks what code can check.

  tsgkit make spatialgen --model openai/gpt-4o -o mine.jsonl --scene Kitchen --scene Zoo --count 5
  tsgkit make spatialt2i --from runs/mine --model openai/gpt-4o -o pairs

What was asked is kept beside what is made (OUT.calls): the same command goes on where it was stopped. What does not
pass the checks is left out, counted, and written with its reasons.
"""

from __future__ import annotations

import argparse
from importlib import import_module

MAKERS = {
    "spatialgen": "dense prompts of scenes, with ten questions each about the picture",
    "spatialt2i": "prompts that are true of the pictures a run judged, to train image models with",
}
"""What can be made; a module ``tsgkit.cli.making_NAME`` makes it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of each maker."""
    makers = parser.add_subparsers(dest="maker", metavar="WHAT", required=True)
    for name, summary in MAKERS.items():
        module = _module(name)
        own = makers.add_parser(
            name, help=summary, description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        module.add_arguments(own)


def run(arguments: argparse.Namespace) -> int:
    """Make it."""
    code: int = _module(arguments.maker).run(arguments)
    return code


def _module(name: str):  # type: ignore[no-untyped-def]  # noqa: ANN202  (a module)
    return import_module(f"tsgkit.cli.making_{name}")
