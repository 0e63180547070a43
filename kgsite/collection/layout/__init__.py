"""Where the nodes of a drawing lie: seeded, stable, made once at build time.

The front door needs no numpy; it is imported only when a graph has to be laid out anew.
"""

from kgsite.collection.layout.parts import DocumentPart, document_parts
from kgsite.collection.layout.plan import MAP_LIMIT, community_links, layout, layouts, map_size
from kgsite.collection.layout.sizes import node_size
from kgsite.collection.layout.stored import dump_layout, load_layout

__all__ = [
    "MAP_LIMIT",
    "DocumentPart",
    "community_links",
    "document_parts",
    "dump_layout",
    "layout",
    "layouts",
    "load_layout",
    "map_size",
    "node_size",
]
