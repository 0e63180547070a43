"""The small drawings on pages: where they come from, and when a page has none."""

from __future__ import annotations

from markupsafe import Markup

from kgsite.site.views.context import SiteContext


def of_entity(context: SiteContext, page: str, key: str) -> Markup | None:
    return None


def of_document(context: SiteContext, page: str, document: str) -> Markup | None:
    return None


def of_community(context: SiteContext, page: str, community: int) -> Markup | None:
    return None


def of_collection(context: SiteContext, page: str) -> Markup | None:
    return None
