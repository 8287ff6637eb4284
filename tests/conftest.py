"""What all tests share: property tests are never judged by the clock, and say how to repeat a failure."""

from __future__ import annotations

try:
    from hypothesis import settings
except ImportError:  # a base install tests without property tests
    pass
else:
    settings.register_profile("tsgkit", deadline=None, print_blob=True)
    settings.load_profile("tsgkit")
