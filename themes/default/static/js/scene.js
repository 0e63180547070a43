// What one drawing shows, worked out once for canvas and SVG alike: sizes on the screen, what is inside, and how much.

/** Radius of a node on the screen in px: grows with the zoom, but hubs never fill the view. */
export function screenRadius(graph, node, k, fitScale) {
  if (graph.kind === "map") return Math.max(3, graph.radius[node] * k);
  const zoomed = Math.max(1, k / fitScale) ** 0.35;
  const most = (3.6 + 1.9 * Math.sqrt(Math.min(graph.degree[node], 60))) * zoomed;
  return Math.max(1.3, Math.min(graph.radius[node] * k, most));
}

/**
 * The nodes and links inside a view, with screen positions: {nodes, links, sx, sy, sr}. `margin` px around count too.
 * sx, sy, sr are indexed by node and valid for visible nodes.
 */
export function projectScene(scene, transform, width, height, margin) {
  const { graph, visible, fitScale } = scene;
  const { k, x, y } = transform;
  const sx = new Float32Array(graph.size);
  const sy = new Float32Array(graph.size);
  const sr = new Float32Array(graph.size);
  const nodes = [];
  for (let node = graph.size - 1; node >= 0; node -= 1) {
    if (!visible.node[node]) continue;
    sx[node] = graph.x[node] * k + x;
    sy[node] = graph.y[node] * k + y;
    sr[node] = screenRadius(graph, node, k, fitScale);
    const reach = sr[node] + margin;
    if (sx[node] > -reach && sy[node] > -reach && sx[node] < width + reach && sy[node] < height + reach) nodes.push(node);
  }
  return { nodes, links: linksInside(graph, visible, sx, sy, width, height, margin), sx, sy, sr };
}

function linksInside(graph, visible, sx, sy, width, height, margin) {
  const links = [];
  for (let link = 0; link < graph.links; link += 1) {
    if (!visible.link[link]) continue;
    const a = graph.linkA[link];
    const b = graph.linkB[link];
    if (Math.max(sx[a], sx[b]) < -margin || Math.min(sx[a], sx[b]) > width + margin) continue;
    if (Math.max(sy[a], sy[b]) < -margin || Math.min(sy[a], sy[b]) > height + margin) continue;
    links.push(link);
  }
  return links;
}

/** How strongly ordinary links are drawn: the more of them, the fainter, so that groups stay readable. */
export function linkStrength(shown) {
  return Math.min(0.62, Math.max(0.16, 0.62 - 0.2 * Math.log10(Math.max(shown, 100) / 100)));
}

/** Width of an ordinary link in px. */
export function linkWidth(shown) {
  return shown > 2500 ? 0.7 : 1;
}

/** The corners of an arrow head at the end of the line from (x0, y0) to the rim of the node at (x1, y1). */
export function arrowHead(x0, y0, x1, y1, r, size) {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const ux = (x1 - x0) / length;
  const uy = (y1 - y0) / length;
  const tipX = x1 - ux * (r + 1.5);
  const tipY = y1 - uy * (r + 1.5);
  const backX = tipX - ux * size;
  const backY = tipY - uy * size;
  const half = size * 0.42;
  return [tipX, tipY, backX - uy * half, backY + ux * half, backX + uy * half, backY - ux * half];
}
