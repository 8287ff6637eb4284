"""The hand-written sentences of the bundled narratives, with accounts of their words made from names and synonyms."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tsgkit.graph.model import HANDS, ActionGraph, Vocabulary
from tsgkit.graph.narratives import Narrative
from tsgkit.lexicon import every_mention
from tsgkit.suites.tsg.makers.sentence_checks import Surroundings
from tsgkit.suites.tsg.makers.sentences import Sentence
