"""First-order formulas about layouts: read, written, checked, taken apart and judged.

Pure: nothing here touches the network, the clock, the disk or a model.
"""
