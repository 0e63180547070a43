// Mouse, pen and touch on the drawing: hover, click and tap, double-click.

import {eachLink} from "./data.js";
import {screenRadius} from "./scene.js";

const SLACK = { mouse: 4, pen: 8, touch: 14 }; // px around a node that still count as the node
const LINK_SLACK = 5;

export class Pointer {
  constructor(explorer) {
    this.explorer = explorer;
    this.hovered = -1;
    const { stage } = explorer;
    stage.addEventListener("pointermove", (event) => this.move(event));
    stage.addEventListener("pointerleave", () => this.leave());
    stage.addEventListener("click", (event) => this.click(event));
    stage.addEventListener("dblclick", (event) => this.doubleClick(event), true);
  }

  place(event) {
    const box = this.explorer.stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  nodeAt([x, y], slack) {
    const { explorer } = this;
    const { transform, fitScale } = explorer.camera;
    return explorer.hit.nodeAt(x, y, transform, slack, (node) => screenRadius(explorer.graph, node, transform.k, fitScale));
  }

  move(event) {
    if (event.pointerType === "touch" || event.buttons || !this.explorer.ready) return;
    cancelAnimationFrame(this.frame);
    const place = this.place(event);
    this.frame = requestAnimationFrame(() => this.hover(place));
  }

  hover([x, y]) {
    const { explorer } = this;
    const { tooltip, graph, visible } = explorer;
    const node = this.nodeAt([x, y], SLACK.mouse);
    const link = node < 0 ? explorer.hit.linkAt(x, y, explorer.camera.transform, LINK_SLACK) : -1;
    if (node >= 0) tooltip.node(node, x, y);
    else if (link >= 0) tooltip.link(link, x, y);
    else tooltip.hide();
    explorer.stage.classList.toggle("is-over", node >= 0);
    if (node === this.hovered) return;
    this.hovered = node;
    const links = [];
    if (node >= 0) eachLink(graph, node, (_, index) => visible.link[index] && links.push(index));
    explorer.painter.point(explorer.scene(), node, links);
  }

  leave() {
    cancelAnimationFrame(this.frame);
    this.explorer.tooltip.hide();
    this.explorer.painter.point(this.explorer.scene(), -1, []);
    this.hovered = -1;
  }

  click(event) {
    const { explorer } = this;
    if (!explorer.ready || event.target.closest("button")) return;
    const node = this.nodeAt(this.place(event), SLACK[event.pointerType] || SLACK.mouse);
    if (node >= 0) explorer.select(node, {});
    else if (explorer.selected >= 0) explorer.select(-1, {});
  }

  /** In the map a double-click on a community enters it; everywhere else d3-zoom zooms in. */
  doubleClick(event) {
    const { explorer } = this;
    if (explorer.graph.kind !== "map") return;
    const node = this.nodeAt(this.place(event), SLACK.mouse);
    if (node < 0) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    explorer.travel.enter(node);
  }
}
