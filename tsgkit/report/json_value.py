"""Report as JSON: every row with its scores as fractions of 1; unknown values are null.

``{"metrics", "by", "rows": [...], "published": [...]}``; a row has the content of ``tsgkit eval --json``, and
``groups`` like ``by`` of ``score --json``.
"""

from __future__ import annotations

import json
from typing import Any

from tsgkit.report.report_rows import PublishedMatch, Report, ReportRow
from tsgkit.suites.scoreboard import board_value


def write(report: Report) -> str:
    """Return the report as JSON; everything beyond ASCII is an escape, so nothing in it is obeyed."""
    return json.dumps(report_value(report), indent=2) + "\n"


def report_value(report: Report) -> dict[str, Any]:
    """Return the JSON value of a report."""
    return {
        "metrics": report.metrics,
        "by": list(report.by),
        "rows": [row_value(row) for row in report.rows],
        "published": [_match_value(match) for match in report.beside],
    }


def row_value(row: ReportRow) -> dict[str, Any]:
    """Return the JSON value of a row."""
    copied = ("run", "name", "subject", "task", "solver", "repeat", "data", "data_sha256", "seed", "protocol")
    return {
        **{name: getattr(row, name) for name in copied},
        "style": row.style or None,
        "protocol_note": row.protocol_note or None,
        "parameters": row.parameters,
        "prompts": row.prompts,
        **({} if row.axes[0] is None else {"shots": row.axes[0]}),
        "metric": row.metric,
        "metrics": {
            name: {
                "meaning": metric.meaning,
                "better": "more" if metric.more_is_better else "less",
                "headline": metric.is_headline,
            }
            for name, metric in row.metrics.items()
        },
        **board_value(row.board),
        "outcomes": row.outcomes,
        "unasked": row.unasked,
        "errors": row.errors,
        "by": {
            group: {name: board_value(board) for name, board in members.items()}
            for group, members in row.groups.items()
        },
        "usage": row.usage,
        "usage_by": row.group_usage,
    }


def _match_value(match: PublishedMatch) -> dict[str, Any]:
    row = match.row
    return {
        **{name: getattr(row, name) for name in ("run", "subject", "task", "solver", "repeat")},
        "style": row.style or None,
        **row.cell.own_axes,
        "published_style": match.style,
        "source": match.source,
        "differences": list(match.differences),
        "figures": [figure._asdict() | {"doubt": figure.doubt or None} for figure in match.figures],
        **({"ours": board_value(row.board)} if match.are_results else {}),
    }
