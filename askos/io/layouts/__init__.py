"""Maps of CSV layouts that are known by name."""
