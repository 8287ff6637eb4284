"""Files on disk: projects and their folders, cards, templates, datasets, and whole files read and written."""
