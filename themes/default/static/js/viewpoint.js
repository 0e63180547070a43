// Where the reader looks: fitting the graph into the stage, and bringing what was chosen into view.

import {bounds} from "./data.js";

const NARROW = 600; // px: a stage of a phone
const MARGIN = 56; // px around the graph, in which the labels of its outermost entities stand
const MARGIN_NARROW = 28;

export class Viewpoint {
  constructor(explorer) {
    this.explorer = explorer;
    this.size = [1, 1];
  }

  /** Take the stage's size; false when it has not changed. */
  measure() {
    const { stage, painter } = this.explorer;
    const width = Math.max(1, stage.clientWidth);
    const height = Math.max(1, stage.clientHeight);
    if (width === this.size[0] && height === this.size[1]) return false;
    painter.resize(width, height);
    this.size = [width, height];
    return true;
  }

  frame() {
    const { camera, graph, inPart, visible } = this.explorer;
    const [width, height] = this.size;
    camera.frame(bounds(graph, inPart ? visible.node : null), width, height, width < NARROW ? MARGIN_NARROW : MARGIN);
  }

  resized() {
    const { explorer } = this;
    const { camera } = explorer;
    if (!explorer.ready || !this.measure()) return;
    const view = camera.touched ? camera.view : null;
    this.frame();
    if (view) camera.view = view;
    else camera.fit(false);
    explorer.paint();
  }

  fit(animate = true) {
    this.frame();
    this.explorer.camera.fit(animate);
    this.explorer.writeAddress();
  }

  /** Look where the address says, else at the path, the selection or everything. */
  open(asked) {
    const { camera, path, selected } = this.explorer;
    this.frame();
    if (asked) {
      camera.view = asked;
      return;
    }
    camera.fit(false);
    if (path) this.showNodes(path.nodes);
    else if (selected >= 0) this.lookAtSelection();
  }

  /** The opening view of a link to one node: near enough to read, and beside the panel's sheet on a phone. */
  lookAtSelection() {
    const { camera, graph, panel, selected, stage } = this.explorer;
    const covered = panel.covers(stage);
    if (graph.size <= 400 && !covered) return;
    const nearer = covered ? 1.7 : 1;
    camera.look(graph.x[selected], graph.y[selected], Math.max(camera.fitScale * nearer, this.readableScale()), false, covered);
    camera.touched = true;
  }

  /** The scale from which on single nodes of a large graph can be told apart. */
  readableScale() {
    const { camera, graph } = this.explorer;
    return graph.kind === "map" ? camera.fitScale : Math.max(camera.fitScale, 5 / (graph.unit * 2));
  }

  /** Bring a node into view; one that was clicked is seen already, unless the panel's sheet now covers it. */
  reveal(node, wanted) {
    const { camera, graph, panel, stage } = this.explorer;
    const covered = panel.covers(stage);
    if (!wanted && !covered) return;
    camera.reveal(graph.x[node], graph.y[node], wanted ? this.readableScale() : 0, covered);
  }

  /** Bring some nodes into view together. */
  showNodes(nodes) {
    const { camera, graph, panel, ready, stage } = this.explorer;
    const wanted = new Uint8Array(graph.size);
    for (const node of nodes) wanted[node] = 1;
    const box = bounds(graph, wanted);
    const [width, height] = this.size;
    const k = Math.min((width * 0.7) / (box.right - box.left), (height * 0.7) / (box.bottom - box.top), camera.fitScale * 6);
    camera.touched = true;
    const covered = panel.covers(stage);
    camera.look((box.left + box.right) / 2, (box.top + box.bottom) / 2, covered ? k * 0.6 : k, ready, covered);
  }
}
