"""From recorded runs to what people read: one item explained, plots, pages."""
