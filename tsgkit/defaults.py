"""Choices and defaults that help texts show, for the modules that apply them, which take long to load."""

from typing import Literal

Client = Literal["direct", "litellm"]
"""The clients by which services are asked."""
Level = Literal["low", "medium", "high"]
"""The effort of agents: how often they may ask a model about one sentence."""
Repair = Literal["exact", "hands", "none"]
"""The repairs that agents make before a model is asked."""
TIMEOUT, ATTEMPTS = 300.0, 8
"""Seconds of an attempt at a request, and attempts."""
EXAMINATION_TIMEOUT = 120.0
"""Seconds of a request of the doctor."""
SCENE_TIME = 120.0
"""Seconds for measuring a scene; scenes of usual size take one or two."""
