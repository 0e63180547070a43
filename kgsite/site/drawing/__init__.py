"""Small drawings as SVG for pages: made by the build, readable without JavaScript, styled by drawing.css."""

from kgsite.site.drawing.drawings import Drawings

__all__ = ["Drawings"]
