// Several relations between the same two entities, each on a line of its own: what the site shows when its publisher
// set `collapse_parallel_edges = false`.

import {factsOf} from "./data.js";

const GAP = 11; // px between the middles of neighbouring curves
const MOST = 9; // curves between two entities; the panel has the rest

/** Whether the relations of a link are drawn one by one. */
export function isApart(scene, link) {
  return scene.filters.apart && scene.visible.parallel[link] > 1 && scene.graph.linkA[link] !== scene.graph.linkB[link];
}

/**
 * The visible relations of a link as quadratic curves from their source to their target:
 * [{fact, inferred, x0, y0, cx, cy, x1, y1, r}], r the radius of the target.
 */
export function curvesOf(scene, view, link) {
  const { graph, filters } = scene;
  const { sx, sy } = view;
  const [a, b] = [graph.linkA[link], graph.linkB[link]];
  const facts = Array.from(factsOf(graph, link)).filter((fact) => filters.inferred || !graph.method[fact]).slice(0, MOST);
  const length = Math.hypot(sx[b] - sx[a], sy[b] - sy[a]) || 1;
  const [nx, ny] = [(sy[a] - sy[b]) / length, (sx[b] - sx[a]) / length];
  const [mx, my] = [(sx[a] + sx[b]) / 2, (sy[a] + sy[b]) / 2];
  const gap = Math.min(GAP, (length * 0.5) / facts.length);
  return facts.map((fact, at) => {
    const off = (at - (facts.length - 1) / 2) * gap;
    const [from, to] = graph.source[fact] === a ? [a, b] : [b, a];
    return {
      fact, inferred: graph.method[fact] > 0, x0: sx[from], y0: sy[from], x1: sx[to], y1: sy[to], r: view.sr[to],
      cx: mx + 2 * off * nx, cy: my + 2 * off * ny,
    };
  });
}

/** The point at a share (0 to 1) of a curve. */
export function pointOn({ x0, y0, cx, cy, x1, y1 }, share) {
  const [p, q, r] = [(1 - share) ** 2, 2 * share * (1 - share), share ** 2];
  return [p * x0 + q * cx + r * x1, p * y0 + q * cy + r * y1];
}
