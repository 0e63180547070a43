// Every sentence that the explorer says. A page may replace them with a data island (id "explorer-words"),
// which is how another language gets in; `{name}` marks what is filled in.

const ENGLISH = new Map(Object.entries({
  "explorer": "Graph explorer",
  "stage": "The graph. Arrow keys move to neighbours, plus and minus zoom, Escape clears, question mark shows all keys.",
  "search": "Find an entity",
  "search.key": "/",
  "search.none": "Nothing here is called “{text}”.",
  "search.count.one": "1 match",
  "search.count.other": "{count} matches",
  "search.none.site": "Nothing on this site matches “{text}”.",
  "search.failed": "The search index could not be loaded.",
  "search.kind.entities": "Entities",
  "search.kind.documents": "Documents",
  "search.kind.communities": "Communities",
  "search.kind.texts": "Descriptions and quotes",
  "legend": "Legend",
  "legend.types": "Types",
  "legend.types.note": "The shape is the type.",
  "legend.communities": "Communities",
  "legend.communities.note": "The colour is the community: entities that are closely connected.",
  "legend.grey": "smaller communities and entities without one are grey",
  "legend.size": "The larger, the more connections.",
  "legend.extracted": "found in the text",
  "legend.inferred": "inferred",
  "legend.map.size": "The larger, the more entities.",
  "legend.all": "Show all",
  "legend.none": "Hide all",
  "legend.only": "only",
  "legend.only.label": "Show only {name}",
  "legend.more": "{count} more",
  "filter.minimum": "Connections, at least",
  "filter.inferred": "Inferred relations",
  "filter.labels": "Relation labels",
  "filter.labels.selection": "around the selection",
  "filter.labels.all": "all that fit",
  "filter.labels.none": "none",
  "filter.all": "Show all {count} entities",
  "filter.reset": "Reset all filters",
  "count.all": "{entities}, {relations}",
  "count.part": "showing {shown} of {entities}, {relations}",
  "entity.one": "1 entity",
  "entity.other": "{count} entities",
  "relation.one": "1 relation",
  "relation.other": "{count} relations",
  "document.one": "1 document",
  "document.other": "{count} documents",
  "community.one": "1 community",
  "community.other": "{count} communities",
  "theme.one": "One theme",
  "theme.other": "{count} themes",
  "step.one": "1 step",
  "step.other": "{count} steps",
  "zoom.in": "Zoom in",
  "zoom.out": "Zoom out",
  "zoom.fit": "Show everything",
  "fullscreen": "Full screen",
  "fullscreen.leave": "Leave full screen",
  "theme.switch": "Light or dark",
  "help": "Keys",
  "close": "Close",
  "back": "All communities",
  "export": "Export",
  "export.png": "Picture (PNG)",
  "export.svg": "Drawing (SVG)",
  "export.json": "Visible graph (JSON)",
  "export.csv": "Visible relations (CSV)",
  "export.link": "Copy link to this view",
  "export.copied": "Link copied",
  "panel": "Details",
  "panel.picture": "What this shows",
  "panel.page": "Open page",
  "panel.aliases": "also {names}",
  "panel.outgoing": "Outgoing",
  "panel.incoming": "Incoming",
  "panel.extracted": "found in the text",
  "panel.inferred": "inferred",
  "panel.inferred.method": "inferred: {method}",
  "panel.quotes.one": "1 quote",
  "panel.quotes.other": "{count} quotes",
  "panel.quotes.loading": "Fetching the quotes …",
  "panel.quotes.failed": "The quotes could not be fetched.",
  "panel.unverified": "not found word for word in the source",
  "panel.page.number": "p. {page}",
  "panel.passage": "Read in context",
  "panel.hidden": "hidden by a filter",
  "panel.community": "Community",
  "panel.enter": "Show its {entities}",
  "panel.links": "Connected communities",
  "panel.top": "Most connected",
  "panel.path.from": "Find a path from here",
  "panel.more": "{count} more",
  "path": "Path between two entities",
  "path.from": "From",
  "path.to": "To",
  "path.find": "Find path",
  "path.swap": "Swap",
  "path.clear": "Clear path",
  "path.extracted": "only relations found in the text",
  "path.none": "No path connects them.",
  "path.none.extracted": "No path of relations found in the text connects them.",
  "path.same": "That is the same entity twice.",
  "path.unknown": "There is no entity called “{name}” here.",
  "table": "The graph as a table",
  "table.note": "What the picture shows now, most connected first.",
  "table.entity": "Entity",
  "table.type": "Type",
  "table.community": "Community",
  "table.relations": "Connections",
  "table.more": "Show {count} more",
  "table.select": "Show in the graph",
  "keys.search": "search",
  "keys.arrows": "move to the neighbour in that direction",
  "keys.enter": "open the details; in the map, the community",
  "keys.escape": "clear the selection or the path",
  "keys.zoom": "zoom in, zoom out, show everything",
  "keys.pan": "pan",
  "keys.labels": "relation labels: selection, all, none",
  "keys.inferred": "inferred relations on or off",
  "keys.path": "path from the selection",
  "keys.fullscreen": "full screen",
  "keys.help": "this list",
  "touch.hint": "Use {key} + wheel to zoom",
  "loading": "Fetching the graph …",
  "loading.failed": "The graph could not be loaded. The tables below hold everything it shows.",
  "loading.disk": "A browser does not let a page fetch files from disk. Serve the site (kgsite serve), or read the tables below.",
  "count.plain": "{count}",
  "empty": "This graph has no entities.",
  "said.selected": "{name}, {type}, {relations}",
  "said.cleared": "Selection cleared",
  "summary.themes": "{themes}; the largest, {entities}, is about {name}.",
  "summary.connects": "{name} connects {count} of them.",
  "summary.hub": "{name} has the most connections, {count}.",
  "summary.inferred": "{count} of the relations are inferred, and dashed.",
  "summary.map": "Each disc is a community of closely connected entities. Open one to see them.",
  "summary.first": "The most connected are shown first.",
  "badge.title": "{count} relations",
}));

let words = ENGLISH;
let locale = "en";

/** Read the page's own words, if it brings some; unknown keys are ignored. */
export function readWords(page) {
  locale = page.documentElement.lang || "en";
  const island = page.getElementById("explorer-words");
  if (!island) return;
  words = new Map(ENGLISH);
  for (const [key, value] of Object.entries(JSON.parse(island.textContent))) {
    if (ENGLISH.has(key) && typeof value === "string") words.set(key, value);
  }
}

/** The sentence for `key` with its places filled from `values`. */
export function say(key, values) {
  const sentence = words.get(key) || key;
  if (!values) return sentence;
  const filled = new Map(Object.entries(values));
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => (filled.has(name) ? String(filled.get(name)) : whole));
}

/** A number with its unit: `count("relation", 31)` is “31 relations”. */
export function count(noun, number) {
  return say(`${noun}.${number === 1 ? "one" : "other"}`, { count: figure(number) });
}

/** A number as the page's language writes it. */
export function figure(number) {
  try {
    return new Intl.NumberFormat(locale).format(number);
  } catch {
    return String(number);
  }
}

/** Cut a long name between graphemes, so that no letter loses its accent and no emoji its half. */
export function shorten(name, limit) {
  if (name.length <= limit) return name;
  if (typeof Intl.Segmenter !== "function") return `${Array.from(name).slice(0, limit - 1).join("")}…`;
  const parts = [];
  for (const { segment } of new Intl.Segmenter().segment(name.slice(0, limit * 20))) {
    parts.push(segment);
    if (parts.length > limit) return `${parts.slice(0, limit - 1).join("").trimEnd()}…`;
  }
  return name;
}
