"""What is on disk: projects and their folders, files read whole and written whole."""
