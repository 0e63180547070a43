// The shortest path between two nodes: breadth first, the most connected neighbours first, so always the same one.

import {eachLink, factsOf} from "./data.js";

/**
 * The fewest steps from `from` to `to` along relations in either direction: {nodes, links}, or null when there is no
 * path. `usable(fact)` says which relations count.
 */
export function shortestPath(graph, from, to, usable) {
  const cameFrom = new Int32Array(graph.size).fill(-1);
  const cameBy = new Int32Array(graph.size).fill(-1);
  cameFrom[from] = from;
  let wave = [from];
  while (wave.length && cameFrom[to] < 0) {
    const next = [];
    for (const node of wave) {
      eachLink(graph, node, (neighbour, link) => {
        if (cameFrom[neighbour] >= 0 || !factsOf(graph, link).some(usable)) return;
        cameFrom[neighbour] = node;
        cameBy[neighbour] = link;
        next.push(neighbour);
      });
    }
    wave = next.sort((a, b) => a - b);
  }
  return cameFrom[to] < 0 ? null : walkBack(from, to, cameFrom, cameBy);
}

function walkBack(from, to, cameFrom, cameBy) {
  const nodes = [to];
  const links = [];
  for (let node = to; node !== from; node = cameFrom[node]) {
    links.push(cameBy[node]);
    nodes.push(cameFrom[node]);
  }
  return { nodes: nodes.reverse(), links: links.reverse() };
}
