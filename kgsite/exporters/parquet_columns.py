"""Columns and types of GraphRAG's tables, in its order; what follows the columns of GraphRAG is kgsite's own.

Types: text, int, float, bool, finding (a struct), and `list` of one of them.
"""

from __future__ import annotations

from collections.abc import Mapping

_COMMUNITY = {
    "id": "text",
    "human_readable_id": "int",
    "community": "int",
    "level": "int",
    "parent": "int",
    "children": "list int",
    "title": "text",
}
TABLES: Mapping[str, Mapping[str, str]] = {
    "entities": {
        "id": "text",
        "human_readable_id": "int",
        "title": "text",
        "type": "text",
        "description": "text",
        "text_unit_ids": "list text",
        "frequency": "int",
        "degree": "int",
        "name": "text",
        "community_id": "int",
        "aliases": "list text",
        "attributes": "text",
    },
    "relationships": {
        "id": "text",
        "human_readable_id": "int",
        "source": "text",
        "target": "text",
        "description": "text",
        "weight": "float",
        "combined_degree": "int",
        "text_unit_ids": "list text",
        "type": "text",
        "source_name": "text",
        "source_type": "text",
        "target_name": "text",
        "target_type": "text",
        "inferred": "bool",
        "method": "text",
        "via": "text",
        "evidence": "text",
    },
    "communities": {
        **_COMMUNITY,
        "entity_ids": "list text",
        "relationship_ids": "list text",
        "text_unit_ids": "list text",
        "period": "text",
        "size": "int",
        "topics": "list text",
        "description": "text",
        "members": "list text",
    },
    "community_reports": {
        **_COMMUNITY,
        "summary": "text",
        "full_content": "text",
        "rank": "float",
        "rating_explanation": "text",
        "findings": "list finding",
        "full_content_json": "text",
        "period": "text",
        "size": "int",
    },
    "text_units": {
        "id": "text",
        "human_readable_id": "int",
        "text": "text",
        "n_tokens": "int",
        "document_id": "text",
        "entity_ids": "list text",
        "relationship_ids": "list text",
        "covariate_ids": "list text",
        "attributes": "text",
    },
    "documents": {
        "id": "text",
        "human_readable_id": "int",
        "title": "text",
        "text": "text",
        "text_unit_ids": "list text",
        "creation_date": "text",
        "raw_data": "text",
        "metadata": "text",
        "kgsite": "text",
    },
    "covariates": dict.fromkeys(("id",), "text")
    | {"human_readable_id": "int"}
    | dict.fromkeys(
        (
            "covariate_type",
            "type",
            "description",
            "subject_id",
            "object_id",
            "status",
            "start_date",
            "end_date",
            "source_text",
            "text_unit_id",
        ),
        "text",
    ),
}
