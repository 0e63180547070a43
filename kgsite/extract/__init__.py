"""Document → DocumentGraph."""
