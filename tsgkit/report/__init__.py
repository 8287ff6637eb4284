"""Reports of runs: tables in several formats, beside the published ones.

``report_rows`` makes one row of every row of every run, ``published_tables`` loads the published tables,
``report_tables`` arranges the content as cells, and each format writes it: ``terminal``, ``markdown``, ``spreadsheet``,
``json_value``, ``latex``, ``page``. ``continuous_integration`` writes JUnit XML and a summary. ``comparison_rows`` puts
rows on the same items, ``comparison`` computes their differences, ``grid`` those of styles by tasks, and
``comparison_formats`` writes both. ``paper`` makes figures: ``charts`` arranges their content and ``chart_plots`` draws
it, for ``page`` too.
"""
