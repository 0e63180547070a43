"""Where the nodes of a drawing lie: seeded, stable, made once at build time.

The front door needs no numpy; it is imported only when a graph has to be laid out anew.
"""

from kgsite.collection.layout.plan import MAP_LIMIT, layout, layouts
from kgsite.collection.layout.sizes import node_size
from kgsite.collection.layout.stored import dump_layout, load_layout

__all__ = ["MAP_LIMIT", "dump_layout", "layout", "layouts", "load_layout", "node_size"]
