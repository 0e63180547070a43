// The view: d3-zoom turns wheel, drag, pinch and double-click into a transform (screen = graph · k + (x, y), CSS px).

const { zoom, zoomIdentity, select } = window.d3;

const FLIGHT = 380; // ms
const REACH = 40; // how many times closer than the fitted view one can get

export class Camera {
  /** `embedded`: the wheel scrolls the page unless Ctrl or ⌘ is held; `moved(transform, done)` hears of every change. */
  constructor(stage, { embedded, moved, blocked }) {
    this.stage = stage;
    this.embedded = embedded;
    this.fitScale = 1;
    this.touched = false; // whether the reader moved the view, so that it belongs into the address
    this.selection = select(stage);
    this.behaviour = zoom()
      .clickDistance(5)
      .filter((event) => this.accepts(event))
      .on("zoom", (event) => {
        if (event.sourceEvent) this.touched = true;
        moved(event.transform, false);
      })
      .on("end", (event) => moved(event.transform, true));
    this.blocked = blocked;
    this.selection.call(this.behaviour);
    if (embedded) stage.classList.add("is-embedded");
  }

  accepts(event) {
    if (event.type === "wheel" && this.embedded && !event.ctrlKey && !event.metaKey) {
      this.blocked();
      return false;
    }
    return !event.button && (!event.ctrlKey || event.type === "wheel");
  }

  get transform() {
    return window.d3.zoomTransform(this.stage);
  }

  /** Tell the camera how large the stage is and what the whole graph's box is; both bound its movement. */
  frame(box, width, height, padding) {
    this.width = width;
    this.height = height;
    const spanX = Math.max(box.right - box.left, 1e-6);
    const spanY = Math.max(box.bottom - box.top, 1e-6);
    const inner = (size, span) => Math.max(size - 2 * padding, size * 0.5) / span;
    this.fitScale = Math.min(inner(width, spanX), inner(height, spanY));
    this.centre = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const slack = Math.max(spanX, spanY);
    this.behaviour
      .extent([[0, 0], [width, height]])
      .scaleExtent([this.fitScale / 4, this.fitScale * REACH])
      .translateExtent([[box.left - slack, box.top - slack], [box.right + slack, box.bottom + slack]]);
  }

  /** Show everything. */
  fit(animate) {
    this.look(this.centre[0], this.centre[1], this.fitScale, animate);
    this.touched = false;
  }

  /** Centre on a point of the graph at scale k; `covered` px at the bottom do not count as view. */
  look(x, y, k, animate, covered = 0) {
    const target = zoomIdentity.translate(this.width / 2 - x * k, (this.height - covered) / 2 - y * k).scale(k);
    const still = !animate || window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.selection.interrupt();
    if (still) this.selection.call(this.behaviour.transform, target);
    else this.selection.transition().duration(FLIGHT).call(this.behaviour.transform, target);
  }

  /**
   * Bring a point of the graph into view, moving only when it is outside or near the border; `covered` px at the bottom
   * lie under a sheet.
   */
  reveal(x, y, minimumScale, covered) {
    const { k } = this.transform;
    const [px, py] = this.transform.apply([x, y]);
    const border = Math.min(this.width, this.height) * 0.12;
    const inside = px > border && py > border && px < this.width - border && py < this.height - covered - border;
    if (inside && k >= minimumScale) return;
    this.touched = true;
    this.look(x, y, Math.max(k, minimumScale), true, covered);
  }

  zoomBy(factor) {
    this.touched = true;
    const { k } = this.transform;
    const [x, y] = this.transform.invert([this.width / 2, this.height / 2]);
    const [least, most] = this.behaviour.scaleExtent();
    this.look(x, y, Math.min(most, Math.max(least, k * factor)), true);
  }

  panBy(dx, dy) {
    this.touched = true;
    this.selection.call(this.behaviour.translateBy, dx / this.transform.k, dy / this.transform.k);
  }

  /** The view for the address: centre and how many graph units the shorter side shows; independent of the screen. */
  get view() {
    const [x, y] = this.transform.invert([this.width / 2, this.height / 2]);
    return [Math.round(x), Math.round(y), Math.round(Math.min(this.width, this.height) / this.transform.k)];
  }

  set view([x, y, span]) {
    this.touched = true;
    const [least, most] = this.behaviour.scaleExtent();
    const k = Math.min(this.width, this.height) / Math.max(span, 1);
    this.look(x, y, Math.min(most, Math.max(least, k)), false);
  }
}
