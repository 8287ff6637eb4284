"""Furnished rooms as files have them: our own form, published scene states, GLB files, and the meshes they name."""
