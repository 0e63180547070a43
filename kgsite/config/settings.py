"""Every key of site.toml: its type, default, meaning and what is allowed.

This is the one list: the reader of site.toml, `kgsite config`, `kgsite init` and the test of
docs/configuration.md all work from these fields. A key whose part of kgsite does not exist yet is
known (so a typo of it is still a typo) and marked `pending`: setting it is answered with "not yet".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal


def option(
    doc: str,
    *,
    pending: bool = False,
    low: float | None = None,
    high: float | None = None,
    shape: str = "",
) -> dict[str, Any]:
    """Metadata of a key: one sentence, limits (inclusive), and `shape` for what the type can't say (url, env…)."""
    return {"doc": doc, "pending": pending, "low": low, "high": high, "shape": shape}


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """What the site says of itself."""

    title: str = field(default="Knowledge graph", metadata=option("Name of the collection."))
    tagline: str = field(default="", metadata=option("One line under the title."))
    description: str = field(default="", metadata=option("For search engines and previews; the tagline when empty."))
    base_url: str = field(
        default="",
        metadata=option("Where the site is published, for canonical links, feed and sitemap.", shape="site-url"),
    )
    language: str = field(
        default="en",
        metadata=option("Language of the site's own words: en, de, fr, es, nl, it, pt or zh.", shape="language"),
    )
    author: str = field(default="", metadata=option("Who publishes the collection."))
    license: str = field(default="", metadata=option("Licence of the collection, as text or an SPDX id."))
    repository: str = field(
        default="",
        metadata=option("Where readers report errors; a GitHub repository gets an issue link.", shape="page-url"),
    )
    theme: str = field(default="default", metadata=option("A folder under themes/, or the packaged default."))
    downloads: tuple[str, ...] = field(
        default=("json",),
        metadata=option(
            "Formats offered on the site: json, gml, graphml, gexf, csv, cypher, jsonld, parquet, html.",
            shape="download",
        ),
    )


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """Where things lie and how the build runs."""

    content: str = field(default="content", metadata=option("Folder of the documents.", shape="path"))
    output: str = field(default="_site", metadata=option("Folder that is published.", shape="path"))
    drafts: bool = field(default=False, metadata=option("Build documents marked `draft = true` too."))
    jobs: int | Literal["auto"] = field(default="auto", metadata=option("Worker processes.", low=1, high=256))


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """How a graph is read from a document."""

    extractor: Literal["auto", "openai", "offline"] = field(
        default="auto", metadata=option("`auto` takes the model only when [llm] names a model or preset.")
    )
    language: str = field(
        default="auto",
        metadata=option("Language of names and descriptions; `auto` follows each document.", shape="language-or-auto"),
    )
    max_requests: int = field(
        default=0, metadata=option("Stop before sending more requests than this in one build; 0 = no limit.", low=0)
    )
    max_tokens_total: int = field(
        default=0, metadata=option("Stop before spending more tokens than this in one build; 0 = no limit.", low=0)
    )
    strict_evidence: bool = field(
        default=False, metadata=option("Drop relations whose quote does not occur in the text.")
    )
    noise_filter: bool = field(
        default=True, metadata=option("Drop stop words, bare numbers and entities without any relation.")
    )
    rephrase: bool = field(default=False, metadata=option("Write a plain-language version of each chunk (model only)."))
    summarize: bool = field(
        default=True, metadata=option("Write a title and a summary where the document states none (model only).")
    )
    merge_descriptions: bool = field(
        default=True, metadata=option("Write one description of a thing that several passages describe (model only).")
    )


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """The OpenAI-compatible endpoint."""

    model: str = field(default="", metadata=option("Model name; naming one (or a preset) turns the model on."))
    preset: Literal["", "ollama", "openai", "lmstudio", "gemini", "openrouter", "github", "anthropic"] = field(
        default="", metadata=option("Fills base_url and a default model.")
    )
    base_url: str = field(default="", metadata=option("Endpoint, with or without /chat/completions.", shape="url"))
    api_key: str = field(
        default="env:OPENAI_API_KEY",
        metadata=option("`env:NAME` names the environment variable that holds the key.", shape="secret"),
    )
    discovery_model: str = field(
        default="", metadata=option("Model for schema discovery, title and summary; `model` when empty.")
    )
    max_tokens: int = field(default=32768, metadata=option("Most tokens of one reply.", low=16))
    temperature: float = field(default=0.2, metadata=option("Sampling temperature.", low=0, high=2))
    reasoning_effort: Literal["", "none", "minimal", "low", "medium", "high"] = field(
        default="", metadata=option("For reasoning models; empty leaves it to the endpoint.")
    )
    timeout: float = field(default=300.0, metadata=option("Total seconds for one request, waiting included.", low=1))
    max_retries: int = field(default=3, metadata=option("Tries after the first one.", low=0, high=20))
    token_param: Literal["auto", "max_tokens", "max_completion_tokens"] = field(
        default="auto", metadata=option("Name of the length parameter.")
    )
    json_mode: Literal["auto", "schema", "object", "off"] = field(
        default="auto", metadata=option("How structured output is asked for.")
    )
    concurrency: int = field(default=8, metadata=option("Requests in flight.", low=1, high=256))
    extra_body: Mapping[str, Any] = field(default_factory=dict, metadata=option("Merged into each request body."))
    extra_headers: Mapping[str, str] = field(
        default_factory=dict, metadata=option("Added to each request.", shape="secret")
    )


@dataclass(frozen=True, slots=True)
class ChunkingSettings:
    """How a document is cut for extraction."""

    max_tokens: int = field(default=400, metadata=option("Most tokens (cl100k_base) of a chunk.", low=50, high=100_000))
    overlap_tokens: int = field(
        default=50, metadata=option("Tokens shared with the chunk before; at most half of max_tokens.", low=0)
    )


@dataclass(frozen=True, slots=True)
class SchemaSettings:
    """Which types an extraction may use."""

    path: str = field(default="", metadata=option("A schema file (TOML or JSON).", shape="path"))
    entity_types: tuple[str, ...] = field(default=(), metadata=option("Entity types offered to the extractor."))
    relation_types: tuple[str, ...] = field(
        default=(), metadata=option("Relation types; `Person-WORKS_FOR->Company` is a pattern.")
    )
    synonyms: Mapping[str, str] = field(
        default_factory=dict, metadata=option("Type or predicate → the one to use for it.")
    )
    discover: Literal["site", "document", False] = field(
        default="site", metadata=option("Let the model propose a schema for the site, for each document, or not.")
    )
    strict: bool = field(
        default=False, metadata=option("Drop what the schema does not name; otherwise it is reported.")
    )


@dataclass(frozen=True, slots=True)
class StandardizationSettings:
    """How spellings of one thing become one entity."""

    enabled: bool = field(default=True, metadata=option("Unite spellings that differ in case, articles or plural."))
    use_llm_for_entities: bool = field(default=False, metadata=option("Ask the model for remaining variants."))
    auto_merge: bool = field(default=False, metadata=option("Apply the model's proposals without review."))
    merge_word_subsets: bool = field(
        default=False, metadata=option("Unite a name with a longer one that holds all of its words.")
    )


@dataclass(frozen=True, slots=True)
class InferenceSettings:
    """Relations added by a named method; each is marked as inferred everywhere."""

    enabled: bool = field(default=False, metadata=option("Add inferred relations."))
    llm_bridge: bool = field(default=True, metadata=option("Ask the model to connect separate components."))
    max_bridge_components: int = field(default=10, metadata=option("Components considered for bridges.", low=0))
    bridge_groups_per_call: int = field(default=5, metadata=option("Components in one request.", low=1))
    llm_hub: bool = field(default=True, metadata=option("Ask the model to connect the most connected entities."))
    hub_entities: int = field(default=10, metadata=option("Hubs considered.", low=0))
    hub_max_new: int = field(default=20, metadata=option("Most relations from hubs.", low=0))
    llm_within: bool = field(default=True, metadata=option("Ask the model for relations inside communities."))
    taxonomy: bool = field(default=True, metadata=option("Ask the model for is-a relations."))
    apply_transitive: bool = field(default=True, metadata=option("a→b→c over transitive predicates gives a→c."))
    transitive_predicate_groups: tuple[tuple[str, ...], ...] = field(
        default=(("part of", "located in"), ("is a",)), metadata=option("Predicates that chain with each other.")
    )
    transitive_max_hub_degree: int = field(
        default=20, metadata=option("Middles with more neighbours are skipped.", low=1)
    )
    transitive_max_per_subject: int = field(
        default=5, metadata=option("Most transitive relations of one entity.", low=0)
    )
    lexical: bool = field(default=True, metadata=option("Connect names that share a rare word."))
    lexical_min_word_length: int = field(default=5, metadata=option("Shortest word that counts.", low=1))
    max_inferred_ratio: float = field(
        default=0.5, metadata=option("Most inferred relations per extracted one.", low=0, high=10)
    )


@dataclass(frozen=True, slots=True)
class QuerySettings:
    """`kgsite ask`."""

    hops: int = field(default=2, metadata=option("Steps from the entities a question names.", low=0, high=6))
    max_triples: int = field(default=150, metadata=option("Most facts given to the model.", low=1))
    max_seed_entities: int = field(default=8, metadata=option("Most entities taken from a question.", low=1))
    history_turns: int = field(default=3, metadata=option("Earlier turns a follow-up sees.", low=0))


@dataclass(frozen=True, slots=True)
class VisualizationSettings:
    """What the drawings show first."""

    name_communities: bool = field(default=True, metadata=option("Name communities (by the model when there is one)."))
    show_inferred: bool = field(default=True, metadata=option("Draw inferred relations at the start."))
    theme: Literal["auto", "light", "dark"] = field(
        default="auto", metadata=option("Colours; `auto` follows the reader's system.")
    )
    edge_labels: Literal["all", "selection", "none"] = field(
        default="selection", metadata=option("Labels on edges at the start.")
    )
    title_case: Literal["auto", True, False] = field(
        default="auto",
        metadata=option("Show lower-case names in title case; `auto` when the source wrote them lower-cased."),
    )
    collapse_parallel_edges: bool = field(default=True, metadata=option("Draw parallel relations once, with +N."))


@dataclass(frozen=True, slots=True)
class ImportSettings:
    """Ready-made graphs."""

    recompute: bool = field(
        default=False, metadata=option("Compute communities and layout anew instead of keeping those of the file.")
    )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The site's search."""

    full_text: bool = field(
        default=False, metadata=option("Index the documents' whole text with Pagefind (extra kgsite[search]).")
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """site.toml after layering: what the stages get. `root` is where site.toml lies."""

    root: Path
    site: SiteSettings = field(default_factory=SiteSettings)
    build: BuildSettings = field(default_factory=BuildSettings)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    chunking: ChunkingSettings = field(default_factory=ChunkingSettings)
    schema: SchemaSettings = field(default_factory=SchemaSettings)
    standardization: StandardizationSettings = field(default_factory=StandardizationSettings)
    inference: InferenceSettings = field(default_factory=InferenceSettings)
    query: QuerySettings = field(default_factory=QuerySettings)
    visualization: VisualizationSettings = field(default_factory=VisualizationSettings)
    imports: ImportSettings = field(default_factory=ImportSettings)  # the table [import]
    search: SearchSettings = field(default_factory=SearchSettings)
    theme: Mapping[str, Any] = field(default_factory=dict)  # [theme]: declared and checked by theme.toml
    prices: Mapping[str, Mapping[str, float]] = field(
        default_factory=dict
    )  # model → {input, output} per million tokens
    questions: tuple[str, ...] = ()  # [questions] ask = [...]: answered at build time
    encodings: Mapping[str, str] = field(default_factory=dict)  # [encodings] content path or glob → encoding
