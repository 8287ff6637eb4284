"""Files of furnished scenes: our own form, published scene states, GLB files, and their meshes."""
