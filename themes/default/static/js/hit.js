// What is under the pointer: nodes by a quadtree, links by their distance to the point.

const { quadtree } = window.d3;

export class HitTest {
  constructor(graph) {
    this.graph = graph;
    this.tree = null;
    this.largest = 1;
  }

  /** Index the visible nodes; called when the filters change, not when the view does. */
  index(visible) {
    this.visible = visible;
    this.tree = null;
  }

  build() {
    const { graph, visible } = this;
    const nodes = [];
    this.largest = 0;
    for (let node = 0; node < graph.size; node += 1) {
      if (!visible.node[node]) continue;
      nodes.push(node);
      this.largest = Math.max(this.largest, graph.radius[node]);
    }
    this.tree = quadtree(nodes, (node) => graph.x[node], (node) => graph.y[node]);
  }

  /** The node whose outline is nearest to a point of the screen, within `slack` px of it; −1 when there is none. */
  nodeAt(px, py, transform, slack, radiusOf) {
    if (!this.tree) this.build();
    const { graph } = this;
    const [x, y] = transform.invert([px, py]);
    const reach = this.largest + (slack + 16) / transform.k;
    let best = -1;
    let bestDistance = slack;
    this.tree.visit((quad, x0, y0, x1, y1) => {
      if (x0 > x + reach || x1 < x - reach || y0 > y + reach || y1 < y - reach) return true;
      if (quad.length) return false;
      for (let at = quad; at; at = at.next) {
        const node = at.data;
        const distance = Math.hypot(graph.x[node] - x, graph.y[node] - y) * transform.k - radiusOf(node);
        if (distance < bestDistance || (distance === bestDistance && node < best)) {
          best = node;
          bestDistance = distance;
        }
      }
      return false;
    });
    return best;
  }

  /** The visible link nearest to a point of the screen, within `slack` px; −1 when there is none. */
  linkAt(px, py, transform, slack) {
    const { graph, visible } = this;
    const [x, y] = transform.invert([px, py]);
    let best = -1;
    let bestDistance = (slack / transform.k) ** 2;
    for (let link = 0; link < graph.links; link += 1) {
      if (!visible.link[link]) continue;
      const distance = squaredDistance(graph, link, x, y);
      if (distance < bestDistance) {
        best = link;
        bestDistance = distance;
      }
    }
    return best;
  }
}

function squaredDistance(graph, link, x, y) {
  const ax = graph.x[graph.linkA[link]];
  const ay = graph.y[graph.linkA[link]];
  const dx = graph.x[graph.linkB[link]] - ax;
  const dy = graph.y[graph.linkB[link]] - ay;
  const length = dx * dx + dy * dy;
  const along = length ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length)) : 0;
  return (x - ax - along * dx) ** 2 + (y - ay - along * dy) ** 2;
}
