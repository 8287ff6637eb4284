"""From runs to what people and programs read: tables in several formats, beside the published ones.

``gathering`` makes one row of every row of every run, ``published`` knows the published tables, ``table`` says in words
and cells what a report shows, and each format writes that: ``terminal``, ``markdown``, ``csv_rows``, ``json_value``,
``latex``, ``page``. ``junit`` and ``summary`` speak to continuous integration.
"""
