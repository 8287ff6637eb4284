"""Exports of runs for other tools: logs of Inspect, tables as Parquet or CSV, sample logs like those of lm-eval.

    from tsgkit.report.exports import export_run
    export_run(Path("runs/rules-tsg-0123456789abcdef"), "parquet", Path("tables"))

A format names the files that a run is written as, and writes them into a folder. The run is read once, sample by
sample, so that memory holds only the positions of records and calls.
"""

from tsgkit.report.exports.run_export import FORMATS, Exported, export_run

__all__ = ["FORMATS", "Exported", "export_run"]
