// The whole state as the fragment of the address, so that a link shows exactly what its sender saw.
//
// #node=marie-curie&path=a..b&types=person,place&communities=!physics&min=2&inferred=0&labels=all&extracted=1&all=1
//  &community=physics&view=120,-40,900
//
// Lists name what is shown, or after "!" what is hidden, whichever is shorter. Unknown names are ignored.

/** The pairs of a fragment (with or without "#") as a Map; a damaged escape is taken as it stands. */
export function parseFragment(fragment) {
  const pairs = new Map();
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at > 0) pairs.set(part.slice(0, at), part.slice(at + 1));
  }
  return pairs;
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function writeList(names, hidden) {
  const shown = names.filter((_, index) => !hidden.has(index));
  const gone = names.filter((_, index) => hidden.has(index));
  const list = (items) => items.map(encodeURIComponent).join(",");
  return gone.length <= shown.length ? `!${list(gone)}` : list(shown);
}

function readList(text, names) {
  const listed = new Set(text.replace(/^!/, "").split(",").map(decode));
  const hides = text.startsWith("!");
  return new Set(names.map((_, index) => index).filter((index) => listed.has(names[index]) === hides));
}

const NO_COMMUNITY = "-";
const LABELS = ["selection", "all", "none"];

/**
 * Communities by slug (with the id where a slug is missing or comes twice), then one name for the entities that have
 * none, whose index is −1.
 */
function communityNames(graph) {
  const seen = new Set();
  const names = graph.communities.map(({ slug, id }) => {
    const name = slug && !seen.has(slug) ? slug : `${slug || ""}.${id}`;
    seen.add(name);
    return name;
  });
  return [...names, NO_COMMUNITY];
}

/** The fragment (without "#") for a state {graph, filters, defaults, selected, ends, extractedOnly, entered, view}. */
export function writeState(state) {
  const { graph, filters } = state;
  const parts = [];
  const put = (name, value) => parts.push(`${name}=${value}`);
  if (state.entered) put("community", encodeURIComponent(state.entered));
  if (state.selected >= 0) put("node", encodeURIComponent(graph.slugs[state.selected]));
  if (state.ends) put("path", state.ends.map((node) => encodeURIComponent(graph.slugs[node])).join(".."));
  if (state.extractedOnly) put("extracted", 1);
  if (filters.hiddenTypes.size) put("types", writeList(graph.types.map((type) => type.name), filters.hiddenTypes));
  if (filters.hiddenCommunities.size) {
    const names = communityNames(graph);
    const hidden = new Set([...filters.hiddenCommunities].map((index) => (index < 0 ? names.length - 1 : index)));
    put("communities", writeList(names, hidden));
  }
  if (filters.minimum) put("min", filters.minimum);
  if (filters.inferred !== state.defaults.inferred) put("inferred", filters.inferred ? 1 : 0);
  if (filters.labels !== state.defaults.labels) put("labels", filters.labels);
  if (filters.all) put("all", 1);
  if (state.view) put("view", state.view.join(","));
  return parts.join("&");
}

/** Which community of a map a fragment asks to enter, or null. */
export function communityAsked(pairs) {
  return pairs.has("community") ? decode(pairs.get("community")) : null;
}

/** The state that a fragment asks for on a graph: the filters in full, the rest as far as the graph has it. */
export function readState(pairs, graph, filters, defaults) {
  const node = (text) => graph.indexOf.get(decode(text)) ?? -1;
  const types = pairs.get("types");
  const communities = pairs.get("communities");
  filters.hiddenTypes = types === undefined ? new Set() : readList(types, graph.types.map((type) => type.name));
  filters.hiddenCommunities = new Set();
  if (communities !== undefined) {
    const names = communityNames(graph);
    for (const index of readList(communities, names)) {
      filters.hiddenCommunities.add(index === names.length - 1 ? -1 : index);
    }
  }
  filters.minimum = Math.max(0, Number.parseInt(pairs.get("min"), 10) || 0);
  filters.inferred = pairs.has("inferred") ? pairs.get("inferred") !== "0" : defaults.inferred;
  filters.labels = LABELS.includes(pairs.get("labels")) ? pairs.get("labels") : defaults.labels;
  filters.all = pairs.get("all") === "1";
  const ends = (pairs.get("path") || "").split("..").map(node);
  const view = (pairs.get("view") || "").split(",").map(Number);
  return {
    selected: pairs.has("node") ? node(pairs.get("node")) : -1,
    ends: ends.length === 2 && ends.every((end) => end >= 0) ? ends : null,
    extractedOnly: pairs.get("extracted") === "1",
    view: view.length === 3 && view.every(Number.isFinite) ? view : null,
  };
}
