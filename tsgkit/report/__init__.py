"""Reports of runs: tables in several formats, beside the published ones.

``report_rows`` makes one row of every row of every run, ``published_tables`` loads the published tables, ``tables``
arranges the content as cells, and each format writes it: ``terminal``, ``markdown``, ``spreadsheet``, ``json_value``,
``latex``, ``page``. ``junit`` and ``summary`` are for continuous integration. ``comparison_rows`` puts rows on the same
items, ``comparison`` computes their differences, ``grid`` shows styles by tasks. ``paper`` makes figures: ``charts``
and ``comparison_charts`` arrange their content, ``chart_plots`` draws it, for ``page`` too.
"""
