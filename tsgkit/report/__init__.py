"""Reports of runs: tables in several formats, beside the published ones.

``report_rows`` makes one row of every row of every run, ``published_tables`` knows the published tables, ``table`` says
in words and cells what a report shows, and each format writes that: ``terminal``, ``markdown``, ``spreadsheet``,
``json_value``, ``latex``, ``page``. ``junit`` and ``summary`` speak to continuous integration. ``comparison_rows`` puts
rows on the same items, ``comparison`` says how far apart they are and how sure that is, ``grid`` shows styles by tasks.
``paper`` makes figures: ``charts`` and ``comparison_charts`` arrange what they show, ``plot_style`` and
``comparison_plots`` draw it.
"""
