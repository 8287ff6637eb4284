"""Make new benchmark items, checked by code; items that cannot be proved sound are rejected with the reason.

  tsgkit make formalimg --k 6 --n 20 -o items.jsonl                  sampled, worded by rules: no model
  tsgkit make formalimg --k 6 --n 20 --model openai/gpt-4o -o items.jsonl
  tsgkit make spatialgen --scene Kitchen --count 5 --model openai/gpt-4o -o mine.jsonl
  tsgkit make spatialt2i --from runs/mine --model openai/gpt-4o -o pairs
  tsgkit make tsg stories.jsonl -o mine                                a benchmark from graphs of stories
  tsgkit make repairs --from runs/mine -o repairs.jsonl              the wrong graphs of a run: no model
  tsgkit make sceneeval --items 12 -o annotations.csv                sentence patterns: no model
  tsgkit make sceneeval --items 12 --model openai/gpt-4o --review -o annotations.csv

tsgkit make MAKER --help says more about each. With a model, its calls are kept beside the file, and the same command
goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import warnings
from importlib import import_module

from tsgkit.cli.suites import makers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One verb for each maker."""
    verbs = parser.add_subparsers(dest="maker", required=True, metavar="MAKER")
    for name, command in makers().items():
        try:
            maker = import_module(command.module)
        except Exception as error:  # noqa: BLE001 - a package fails in every way there is
            told = f"the maker {name} cannot be loaded from {command.module}: {type(error).__name__}: {error}"
            warnings.warn(told, RuntimeWarning, stacklevel=2)
            continue
        verb = verbs.add_parser(
            name, help=command.summary, description=maker.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        maker.add_arguments(verb)


def run(arguments: argparse.Namespace) -> int:
    """Let the chosen maker do it."""
    code: int = import_module(makers()[arguments.maker].module).run(arguments)
    return code
