"""kgsite: a folder of documents becomes a published knowledge graph."""

__version__ = "0.1.0"
