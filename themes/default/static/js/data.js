// The graph as the explorer works with it, read from the columnar JSON that the build writes.
//
// Nodes are numbers (0 is the most connected). A *fact* is one relation; a *link* is the line between two nodes that
// all facts between them share. Neighbours are stored as offsets into one flat array, so that nothing grows with
// nodes × nodes and a graph of 10,000 nodes is ready in a few milliseconds.

/** Thrown when a file is no graph of a format that this script knows. */
export class GraphFormatError extends Error {}

/** The graph in `json` (a parsed graph file). Scope "map" becomes a graph whose nodes are communities. */
export function readGraph(json) {
  if (!json || json.format !== 1) throw new GraphFormatError("not a graph of format 1");
  return json.scope === "map" ? readMap(json) : readEntities(json);
}

function readEntities(json) {
  const { nodes } = json;
  const size = nodes.name.length;
  for (const column of [nodes.slug, nodes.type, nodes.community, nodes.degree, nodes.x, nodes.y]) {
    if (column.length !== size) throw new GraphFormatError("columns of different lengths");
  }
  const communities = json.communities || [];
  const places = new Map(communities.map((community, index) => [community.id, index]));
  const graph = {
    kind: "entities",
    scope: json.scope,
    title: json.title || "",
    size,
    names: nodes.name,
    slugs: nodes.slug,
    types: json.types,
    type: Uint16Array.from(nodes.type),
    communities,
    community: Int32Array.from(nodes.community, (id) => (places.has(id) ? places.get(id) : -1)),
    degree: Int32Array.from(nodes.degree),
    x: Float64Array.from(nodes.x),
    y: Float64Array.from(nodes.y),
    radius: new Float64Array(size),
    aliases: new Map(Object.entries(nodes.aliases || {}).map(([index, names]) => [Number(index), names])),
    predicates: json.predicates,
    methods: json.methods,
    documents: json.documents || [],
    quotesFolder: json.quotes || null,
    total: json.total || { nodes: size, edges: json.edges.target.length },
    indexOf: new Map(nodes.slug.map((slug, index) => [slug, index])),
  };
  readFacts(graph, json.edges);
  setRadii(graph, json.unit);
  return graph;
}

function readFacts(graph, edges) {
  const facts = edges.target.length;
  graph.facts = facts;
  graph.target = Int32Array.from(edges.target);
  graph.source = new Int32Array(facts);
  for (let fact = 0, source = 0; fact < facts; fact += 1) {
    source += edges.source[fact];
    graph.source[fact] = source;
    if (source >= graph.size || graph.target[fact] >= graph.size) throw new GraphFormatError("an edge leads nowhere");
  }
  graph.predicate = Int32Array.from(edges.predicate);
  graph.method = Int32Array.from(edges.method);
  graph.strength = Float64Array.from(edges.strength || []);
  graph.quotes = Int32Array.from(edges.quotes || new Array(facts).fill(0));
  linkFacts(graph);
  listNeighbours(graph);
}

/** Bundle facts into links: linkA < linkB (or equal for a loop), and the facts of each link in order. */
function linkFacts(graph) {
  const numbers = new Map();
  const linkOf = new Int32Array(graph.facts);
  const ends = [];
  const sizes = [];
  for (let fact = 0; fact < graph.facts; fact += 1) {
    const a = Math.min(graph.source[fact], graph.target[fact]);
    const b = Math.max(graph.source[fact], graph.target[fact]);
    const key = a * graph.size + b;
    let link = numbers.get(key);
    if (link === undefined) {
      link = sizes.length;
      numbers.set(key, link);
      ends.push(a, b);
      sizes.push(0);
    }
    linkOf[fact] = link;
    sizes[link] += 1;
  }
  graph.links = sizes.length;
  graph.linkA = Int32Array.from(sizes, (_, link) => ends[2 * link]);
  graph.linkB = Int32Array.from(sizes, (_, link) => ends[2 * link + 1]);
  graph.linkOf = linkOf;
  graph.linkStart = offsets(sizes);
  graph.linkFacts = new Int32Array(graph.facts);
  const next = graph.linkStart.slice();
  for (let fact = 0; fact < graph.facts; fact += 1) graph.linkFacts[next[linkOf[fact]]++] = fact;
}

function listNeighbours(graph) {
  const sizes = new Array(graph.size).fill(0);
  for (let link = 0; link < graph.links; link += 1) {
    sizes[graph.linkA[link]] += 1;
    if (graph.linkA[link] !== graph.linkB[link]) sizes[graph.linkB[link]] += 1;
  }
  graph.nodeStart = offsets(sizes);
  graph.nodeLinks = new Int32Array(graph.nodeStart[graph.size]);
  const next = graph.nodeStart.slice();
  for (let link = 0; link < graph.links; link += 1) {
    const a = graph.linkA[link];
    const b = graph.linkB[link];
    graph.nodeLinks[next[a]++] = link;
    if (a !== b) graph.nodeLinks[next[b]++] = link;
  }
}

function offsets(sizes) {
  const starts = new Int32Array(sizes.length + 1);
  for (let index = 0; index < sizes.length; index += 1) starts[index + 1] = starts[index] + sizes[index];
  return starts;
}

/** Calls `visit(neighbour, link)` for every link of `node`. */
export function eachLink(graph, node, visit) {
  for (let at = graph.nodeStart[node]; at < graph.nodeStart[node + 1]; at += 1) {
    const link = graph.nodeLinks[at];
    visit(graph.linkA[link] === node ? graph.linkB[link] : graph.linkA[link], link);
  }
}

/** The facts that a link stands for, as a typed array. */
export function factsOf(graph, link) {
  return graph.linkFacts.subarray(graph.linkStart[link], graph.linkStart[link + 1]);
}

/**
 * Radii in units of the layout, as the layout reckoned with them (kgsite/collection/layout/sizes.py). A file without
 * `unit` gets one from how much room there is: a share of the side of the square that each node would have if all
 * shared the drawing evenly.
 */
function setRadii(graph, unit) {
  const box = bounds(graph);
  const area = Math.max(1, (box.right - box.left) * (box.bottom - box.top));
  graph.unit = unit || Math.sqrt(area / Math.max(graph.size, 12)) * 0.125;
  for (let node = 0; node < graph.size; node += 1) {
    graph.radius[node] = graph.unit * Math.min(4, 1 + 0.4 * Math.sqrt(graph.degree[node]));
  }
}

/** The box around all nodes (or those that `wanted` marks), with their radii. */
export function bounds(graph, wanted) {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (let node = 0; node < graph.size; node += 1) {
    if (wanted && !wanted[node]) continue;
    const r = graph.radius[node] || 0;
    box.left = Math.min(box.left, graph.x[node] - r);
    box.right = Math.max(box.right, graph.x[node] + r);
    box.top = Math.min(box.top, graph.y[node] - r);
    box.bottom = Math.max(box.bottom, graph.y[node] + r);
  }
  return box.left <= box.right ? box : { left: -1, right: 1, top: -1, bottom: 1 };
}

/** A map: its nodes are the communities, its links how many relations lead from one to the other. */
function readMap(json) {
  const communities = json.communities;
  const links = json.links || { source: [], target: [], weight: [] };
  const size = communities.length;
  const neighbours = new Array(size).fill(0);
  links.source.forEach((source, at) => {
    neighbours[source] += 1;
    neighbours[links.target[at]] += 1;
  });
  const slug = (community) => community.slug || String(community.id);
  const graph = {
    kind: "map",
    scope: "map",
    title: json.title || "",
    size,
    names: communities.map((community) => community.name),
    slugs: communities.map(slug),
    types: [],
    type: new Uint16Array(size),
    communities,
    community: Int32Array.from(communities, (_, index) => index),
    degree: Int32Array.from(neighbours),
    x: Float64Array.from(communities, (community) => community.x),
    y: Float64Array.from(communities, (community) => community.y),
    radius: Float64Array.from(communities, (community) => community.r),
    weight: links.weight,
    aliases: new Map(),
    predicates: [""],
    methods: [""],
    documents: json.documents || [],
    quotesFolder: null,
    total: json.total,
    indexOf: new Map(communities.map((community, index) => [slug(community), index])),
    unit: 1,
  };
  const order = links.source.map((_, at) => at).sort((a, b) => links.source[a] - links.source[b]);
  const zeros = order.map(() => 0);
  graph.weight = order.map((at) => links.weight[at]);
  readFacts(graph, {
    source: order.map((at, place) => links.source[at] - (place ? links.source[order[place - 1]] : 0)),
    target: order.map((at) => links.target[at]),
    predicate: zeros,
    method: zeros,
  });
  return graph;
}
