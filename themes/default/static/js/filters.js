// What is visible: pure functions from a graph and the reader's choices to marks on nodes and links.

import {eachLink, factsOf} from "./data.js";

export const SHOW_ALL_UP_TO = 3000;
export const FIRST_SHOWN = 2000;

/** What the publisher chose for readers who have chosen nothing yet: {labels, inferred, apart}, from the page's data-*. */
export function readDefaults(dataset) {
  return {
    labels: ["all", "none"].includes(dataset.edgeLabels) ? dataset.edgeLabels : "selection",
    inferred: dataset.showInferred !== "no",
    apart: dataset.parallel === "apart",
  };
}

/** Choices of a reader who has chosen nothing yet. */
export function freshFilters(defaults) {
  return {
    hiddenTypes: new Set(), // indexes into graph.types
    hiddenCommunities: new Set(), // indexes into graph.communities, −1 for entities without one
    minimum: 0, // connections
    inferred: defaults.inferred,
    labels: defaults.labels, // relation labels: selection, all, none
    apart: defaults.apart, // parallel relations on lines of their own
    all: false, // show more than the most connected of a large graph
  };
}

/** Whether a graph is too large to open with everything in view. */
export function opensInPart(graph) {
  return graph.kind === "entities" && graph.size > SHOW_ALL_UP_TO;
}

/**
 * Marks for drawing: `node[i]` 1 when visible; `link[i]` 0 hidden, 1 extracted, 2 only inferred;
 * `parallel[i]` how many visible facts a link stands for; `arrows[i]` 1 towards B, 2 towards A, 3 both.
 * `focus` are nodes that stay visible whatever the amount rule says (the selection), with their neighbours;
 * `pinned` are nodes that stay visible whatever any filter says (a path that was asked for).
 */
export function computeVisible(graph, filters, focus, pinned) {
  const node = new Uint8Array(graph.size);
  const shown = opensInPart(graph) && !filters.all ? FIRST_SHOWN : graph.size;
  const near = new Set();
  for (const index of focus) {
    near.add(index);
    if (shown < graph.size) eachLink(graph, index, (neighbour) => near.add(neighbour));
  }
  const keep = new Set([...pinned, ...focus]);
  let nodes = 0;
  for (let index = 0; index < graph.size; index += 1) {
    const within = index < shown || near.has(index);
    if (keep.has(index) || (within && passes(graph, filters, index))) {
      node[index] = 1;
      nodes += 1;
    }
  }
  return { node, nodes, ...visibleLinks(graph, filters, node) };
}

/** Whether the filters alone (not the amount) let a node be seen. */
export function passes(graph, filters, index) {
  return graph.degree[index] >= filters.minimum
    && !(graph.types.length && filters.hiddenTypes.has(graph.type[index]))
    && !filters.hiddenCommunities.has(graph.community[index]);
}

function visibleLinks(graph, filters, node) {
  const link = new Uint8Array(graph.links);
  const parallel = new Uint16Array(graph.links);
  const arrows = new Uint8Array(graph.links);
  let facts = 0;
  for (let index = 0; index < graph.links; index += 1) {
    const a = graph.linkA[index];
    if (!node[a] || !node[graph.linkB[index]]) continue;
    for (const fact of factsOf(graph, index)) {
      const inferred = graph.method[fact] > 0;
      if (inferred && !filters.inferred) continue;
      parallel[index] = Math.min(parallel[index] + 1, 65535);
      facts += 1;
      arrows[index] |= graph.source[fact] === a ? 1 : 2;
      if (!inferred) link[index] = 1;
      else if (!link[index]) link[index] = 2;
    }
  }
  return { link, parallel, arrows, facts };
}

/** Nodes and links that stand out around a selection or along a path; null when nothing is chosen. */
export function computeEmphasis(graph, visible, selected, path) {
  if (selected < 0 && !path) return null;
  const node = new Uint8Array(graph.size);
  const link = new Uint8Array(graph.links);
  if (path) {
    for (const index of path.nodes) node[index] = 1;
    for (const index of path.links) link[index] = 1;
  }
  if (selected >= 0) {
    node[selected] = 1;
    eachLink(graph, selected, (neighbour, index) => {
      if (!visible.link[index] || !visible.node[neighbour]) return;
      node[neighbour] = 1;
      link[index] = 1;
    });
  }
  return { node, link };
}
