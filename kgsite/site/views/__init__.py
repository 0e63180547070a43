"""What each kind of page shows: frozen records made from the collection, one module for each kind."""
