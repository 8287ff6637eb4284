"""Make new benchmark items, checked by code; what cannot be proved sound is rejected with the reason.

  tsgkit make formalimg --k 6 --n 20 -o items.jsonl                  sampled, worded by rules: no model
  tsgkit make formalimg --k 6 --n 20 --model openai/gpt-4o -o items.jsonl
  tsgkit make spatialgen --scene Kitchen --count 5 --model openai/gpt-4o -o mine.jsonl
  tsgkit make spatialt2i --from runs/mine --model openai/gpt-4o -o pairs
  tsgkit make sceneeval --items 12 -o annotations.csv                sentence patterns: no model
  tsgkit make sceneeval --items 12 --model openai/gpt-4o --review -o annotations.csv

tsgkit make MAKER --help says more about each. With a model, its calls are kept beside the file, and the same command
goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
from importlib import import_module

MAKERS = {
    "formalimg": ("tsgkit.cli.making_formulas", "instructions for pictures with their formulas"),
    "spatialgen": ("tsgkit.cli.making_questions", "dense prompts of scenes, with ten questions each about the picture"),
    "sceneeval": ("tsgkit.cli.making_annotations", "descriptions of furnished rooms with what they demand"),
    "spatialt2i": ("tsgkit.cli.making_pairs", "prompts that are true of judged pictures, to train image models with"),
}
"""Every maker: the module with its options and what it does, and what it makes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One verb for each maker."""
    verbs = parser.add_subparsers(dest="maker", required=True, metavar="MAKER")
    for name, (module, summary) in MAKERS.items():
        maker = import_module(module)
        verb = verbs.add_parser(
            name, help=summary, description=maker.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        maker.add_arguments(verb)


def run(arguments: argparse.Namespace) -> int:
    """Let the chosen maker do it."""
    code: int = import_module(MAKERS[arguments.maker][0]).run(arguments)
    return code
