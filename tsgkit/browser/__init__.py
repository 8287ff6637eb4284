"""Modules for the browser, and the pages made of them.

The modules are plain JavaScript. A server hands them out as they are, and :mod:`~tsgkit.browser.modules` joins them for
pages that are one file. They refer to nothing outside this folder, and write all data as text.
"""
