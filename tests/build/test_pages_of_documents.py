"""What a document's page and the landing page show of their sources, build after build."""

from __future__ import annotations

from pathlib import Path

from tests.build.site import three


def test_warnings_of_the_reader_stay_on_the_page(tmp_path: Path) -> None:
    site = three(tmp_path)
    (tmp_path / "content" / "old.txt").write_bytes(
        "Fran\xe7ois Arago met Marie Curie in Orl\xe9ans. ".encode("latin-1") * 4
    )
    site.build()
    first = site.page("documents/old/index.html")
    assert "encoding" in first
    site.config('[site]\ntitle = "Another"\n[extract]\nextractor = "offline"\n')
    built = site.build()
    assert built.counts["documents_extracted"] == 0
    again = site.page("documents/old/index.html")
    assert "Another" in again
    assert "encoding" in again


def test_links_of_the_landing_text_and_dead_ones(tmp_path: Path) -> None:
    site = three(tmp_path)
    site.write(
        "index.md", "# Site\n\nRead [about her](curie.md), [her page](entities/marie-curie/) and [nothing](gone.md).\n"
    )
    built = site.build()
    page = site.page("index.html")
    assert '<a href="documents/curie/index.html">about her</a>' in page
    assert '<a href="entities/marie-curie/index.html">her page</a>' in page
    assert '<span class="dead-link">nothing</span>' in page
    assert [n.message for n in built.report.warnings if n.code == "site"] == [
        "index.md: a link leads nowhere and is shown as text: 'gone.md'"
    ]
