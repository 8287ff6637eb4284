"""Weights of the features, written by eval/bench/fitting_repairs.py."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

WEIGHTS: Mapping[str, float] = MappingProxyType({})
