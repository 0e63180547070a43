// What is on the screen, for tests and scripts: it only reads.

import {screenRadius} from "./scene.js";

/** Counts, choice and labels (with their boxes in CSS px from the stage's corner). */
export function reportOf(explorer) {
  const { graph, visible, camera, painter, emphasis, path, selected } = explorer;
  return {
    kind: graph.kind,
    nodes: visible.nodes,
    facts: visible.facts,
    selected: selected < 0 ? null : graph.slugs[selected],
    path: path ? path.nodes.map((node) => graph.slugs[node]) : null,
    entered: explorer.travel.entered,
    labels: (painter.labels || []).map(({ kind, text, box }) => ({ kind, text, box })),
    emphasised: emphasis ? emphasis.node.reduce((sum, mark) => sum + mark, 0) : 0,
    scale: camera.transform.k / camera.fitScale,
    cost: painter.cost,
    settled: painter.settled,
  };
}

/** Where a node is: {x, y, r, visible}, or null for an unknown slug. */
export function locate(explorer, slug) {
  const { graph, camera, visible } = explorer;
  const node = graph.indexOf.get(slug);
  if (node === undefined) return null;
  const { transform, fitScale } = camera;
  const [x, y] = transform.apply([graph.x[node], graph.y[node]]);
  return { x, y, r: screenRadius(graph, node, transform.k, fitScale), visible: visible.node[node] === 1 };
}
