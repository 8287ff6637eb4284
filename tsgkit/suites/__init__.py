"""The families of tasks: what their data look like, how they are asked, read and scored."""
