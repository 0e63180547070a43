// Which labels fit: the important ones first, none over another, about eighty at a time.

import {shorten, say, figure} from "./words.js";
import {factsOf} from "./data.js";
import {curvesOf, isApart, pointOn} from "./parallel.js";

const MOST = 80;
const FEW = 16; // nodes that are named beside the names of communities
const TRIES = 420;
const CELL = 64;
const NARROW = 600; // px: a stage of a phone
const NARROWEST = 0.22; // width of a letter for its size: less than almost every text needs
const STRICT = 0;
const COVERS = 1;
const MUST = 2;
const LINKS_FIRST = 8; // relations of a selection that are named before its neighbours are
const SPOTS = [0.5, 0.64, 0.36, 0.78, 0.22];
const RTL_START = /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

/** Whether a name starts in a script that is written from right to left. */
export function isRightToLeft(name) {
  return RTL_START.test(name);
}

/** The room that is taken, as boxes in a coarse grid. */
class Room {
  constructor() {
    this.cells = new Map();
  }

  each(box, visit) {
    for (let cx = Math.floor(box[0] / CELL); cx <= Math.floor(box[2] / CELL); cx += 1) {
      for (let cy = Math.floor(box[1] / CELL); cy <= Math.floor(box[3] / CELL); cy += 1) {
        const key = cx * 100003 + cy;
        if (visit(key) === false) return;
      }
    }
  }

  isFree(box) {
    return this.overlaps(box, 1) === 0;
  }

  /** How many boxes this one overlaps (one in several cells counts as often), counted up to `most`. */
  overlaps(box, most = Infinity) {
    let found = 0;
    this.each(box, (key) => {
      for (const other of this.cells.get(key) || []) {
        if (box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1]) found += 1;
      }
      return found < most;
    });
    return found;
  }

  take(box) {
    this.each(box, (key) => {
      if (!this.cells.has(key)) this.cells.set(key, []);
      this.cells.get(key).push(box);
    });
  }
}

/**
 * Labels for a projected scene, as {kind, text, x, y, size, weight, align, node | link | community}; x, y is the
 * anchor at the middle of the text's height. `measure(text, size, weight)` gives a width in px.
 */
export function placeLabels(scene, view, width, height, measure) {
  const placer = new Placer(scene, view, width, height, measure);
  if (scene.graph.kind === "map") {
    placer.discs();
    return placer.labels;
  }
  placer.chosen();
  if (scene.emphasis) placer.links(LINKS_FIRST);
  placer.neighbours();
  placer.occupyNodes();
  placer.communities();
  if (scene.emphasis || scene.filters.labels === "all") placer.links(MOST);
  placer.nodes();
  if (!scene.emphasis && scene.filters.labels !== "all") placer.links(MOST);
  return placer.labels;
}

class Placer {
  constructor(scene, view, width, height, measure) {
    Object.assign(this, { scene, view, width, height, measure });
    this.labels = [];
    this.text = new Room(); // labels, which nothing may cover
    this.signs = new Room(); // nodes, which labels avoid
    this.done = new Set(); // nodes that have their name
    this.named = new Set(); // links that have their word or badge
  }

  put(label, box) {
    this.text.take(box);
    this.labels.push({ ...label, box });
  }

  /** Whether a box is wholly on the stage. */
  inside(box) {
    return box[0] > 2 && box[1] > 2 && box[2] < this.width - 2 && box[3] < this.height - 2;
  }

  /** The selection and the stations of a path come before everything else. */
  chosen() {
    const { emphasis, selected, path } = this.scene;
    if (!emphasis) return;
    for (const node of [selected, ...(path ? path.nodes : [])]) {
      if (node >= 0) this.beside(node, 14, 650, MUST);
    }
  }

  neighbours() {
    const { emphasis } = this.scene;
    if (!emphasis) return;
    const near = this.view.nodes.filter((node) => emphasis.node[node] && !this.done.has(node));
    for (const node of near.sort((a, b) => a - b).slice(0, MOST)) {
      this.beside(node, 12, 450, COVERS);
    }
  }

  occupyNodes() {
    const { view } = this;
    if (view.nodes.length > 1500) return;
    for (const node of view.nodes) {
      const r = view.sr[node] * 0.8;
      this.signs.take([view.sx[node] - r, view.sy[node] - r, view.sx[node] + r, view.sy[node] + r]);
    }
  }

  nodes() {
    if (this.scene.emphasis) return;
    const sorted = this.view.nodes.slice().sort((a, b) => a - b);
    const size = sorted.length > 500 ? 11.5 : 12.5;
    const hubs = Math.min(24, Math.ceil(sorted.length * 0.06));
    const most = this.labels.length ? Math.min(MOST, this.labels.length + FEW) : MOST;
    for (let at = 0; at < sorted.length && at < TRIES && this.labels.length < most; at += 1) {
      const hub = at < hubs;
      this.beside(sorted[at], hub ? size + 1 : size, hub ? 650 : 400, hub ? COVERS : STRICT);
    }
  }

  /**
   * Try right, left, above, below of a node. STRICT keeps free of labels and nodes, COVERS of labels only (taking the
   * place that covers the fewest nodes), MUST of nothing: its label is moved into the stage when no place is wholly
   * on it.
   */
  beside(node, size, weight, care) {
    if (this.done.has(node)) return;
    const best = care === MUST ? this.anywhere(node, size, weight) : this.freePlace(node, size, weight, care);
    if (!best) return;
    this.done.add(node);
    this.put({ kind: "node", node, text: best.text, x: best.x, y: best.y, size, weight, align: best.align }, best.box);
  }

  freePlace(node, size, weight, care) {
    if (!this.mayHaveRoom(node, size)) return null;
    let best = null;
    for (const place of this.places(node, size, weight)) {
      if (!this.inside(place.box) || !this.text.isFree(place.box)) continue;
      const covered = this.signs.overlaps(place.box);
      if (care === STRICT && covered) continue;
      if (!best || covered < best.covered) best = { ...place, covered };
      if (!covered) break;
    }
    return best;
  }

  /** Whether a text of the narrowest letters would fit somewhere: most that do not are so found without measuring. */
  mayHaveRoom(node, size) {
    const least = Math.min(38, this.scene.graph.names[node].length) * size * NARROWEST;
    return this.boxes(node, size, least).some(({ box }) => this.inside(box) && this.text.isFree(box));
  }

  /** The first place wholly on the stage, else the one above or below, moved in; null for a node that is not in view. */
  anywhere(node, size, weight) {
    const [x, y] = [this.view.sx[node], this.view.sy[node]];
    if (x < 0 || y < 0 || x > this.width || y > this.height) return null;
    const places = this.places(node, size, weight);
    const whole = places.find((place) => this.inside(place.box));
    if (whole) return whole;
    const place = y > this.height / 2 ? places[2] : places[3];
    const [left, top, right, bottom] = place.box;
    const dx = Math.max(4 - left, Math.min(0, this.width - 4 - right));
    const dy = Math.max(4 - top, Math.min(0, this.height - 4 - bottom));
    return { ...place, x: place.x + dx, y: place.y + dy, box: [left + dx, top + dy, right + dx, bottom + dy] };
  }

  places(node, size, weight) {
    const text = shorten(this.scene.graph.names[node], 38);
    return this.boxes(node, size, this.measure(text, size, weight)).map((place) => ({ ...place, text }));
  }

  /** The places for a text `wide` px: right, left, above, below. */
  boxes(node, size, wide) {
    const { view } = this;
    const x = view.sx[node];
    const y = view.sy[node];
    const gap = view.sr[node] + 4;
    const half = size * 0.62;
    const at = (align, ax, ay, left) => (
      { align, x: ax, y: ay, box: [left - 2, ay - half - 1, left + wide + 2, ay + half + 1] });
    return [
      at("left", x + gap, y, x + gap), at("right", x - gap, y, x - gap - wide),
      at("center", x, y - gap - half, x - wide / 2), at("center", x, y + gap + half, x - wide / 2),
    ];
  }

  /** Names of communities, when their members stand too close for names of their own. */
  communities() {
    const { scene, view } = this;
    const { graph, visible, fitScale, transform } = scene;
    if (scene.emphasis || graph.communities.length < 2 || view.nodes.length < 60 || transform.k > fitScale * 3) return;
    const room = Math.sqrt((this.width * this.height) / Math.max(1, visible.nodes)) * (transform.k / fitScale);
    if (room > 36) return;
    const largest = graph.communities.reduce((most, { size }) => Math.max(most, size), 1);
    const letters = this.width < NARROW ? 18 : 28;
    const shown = new Int32Array(graph.communities.length);
    for (const node of view.nodes) if (graph.community[node] >= 0) shown[graph.community[node]] += 1;
    for (let index = 0; index < graph.communities.length; index += 1) {
      const community = graph.communities[index];
      if (shown[index] < 3 || !Number.isFinite(community.x)) continue;
      const size = 11 + (this.width < NARROW ? 2.5 : 4.5) * Math.sqrt(community.size / largest);
      const x = community.x * transform.k + transform.x;
      const y = community.y * transform.k + transform.y;
      this.within({ kind: "community", community: index, text: shorten(community.name, letters), x, y, size, weight: 650 });
    }
  }

  /** Put a label in the middle of something, a little above or below it at need, and inwards at the stage's edge. */
  within(label) {
    const half = this.measure(label.text, label.size, label.weight) / 2 + 9;
    if (label.x < 0 || label.x > this.width || 2 * half > this.width) return false;
    const x = Math.min(Math.max(label.x, half), this.width - half);
    return [0, -1.5, 1.5].some((lines) => this.middle({ ...label, x, y: label.y + lines * label.size }));
  }

  middle(label) {
    const wide = this.measure(label.text, label.size, label.weight);
    const half = label.size * 0.66;
    const box = [label.x - wide / 2 - 6, label.y - half - 2, label.x + wide / 2 + 6, label.y + half + 2];
    if (!this.inside(box) || !this.text.isFree(box)) return false;
    this.put({ ...label, align: "center" }, box);
    return true;
  }

  /** Relation labels and +N badges on their lines. */
  links(most) {
    const { scene, view } = this;
    const { emphasis, filters } = scene;
    const links = emphasis ? view.links.filter((link) => emphasis.link[link]) : view.links;
    const named = filters.labels === "all" || (filters.labels === "selection" && emphasis !== null);
    if (!emphasis && links.length > 1200 && !named) return;
    let put = 0;
    for (const link of links) {
      if (put >= most || this.labels.length >= MOST * 2) break;
      if (this.named.has(link)) continue;
      if (isApart(scene, link)) {
        if (named) put += this.curves(link);
        continue;
      }
      const extra = scene.visible.parallel[link] - 1;
      const badge = extra > 0 ? `+${figure(extra)}` : "";
      const text = named ? linkText(scene, link) : "";
      if (text && this.along(link, 30, { kind: "link", text: badge ? `${text} ${badge}` : text, size: 11, weight: 400 })) put += 1;
      else if (badge && this.along(link, emphasis ? 20 : 40, { kind: "badge", text: badge, size: 10, weight: 600 })) put += 1;
    }
  }

  /** The words of parallel relations, each on its own curve; returns how many found room. */
  curves(link) {
    this.named.add(link);
    return curvesOf(this.scene, this.view, link).filter((curve) => {
      const text = shorten(predicateText(this.scene.graph, curve.fact), 28);
      return SPOTS.some((share) => {
        const [x, y] = pointOn(curve, share);
        return this.middle({ kind: "link", link, text, size: 11, weight: 400, x, y });
      });
    }).length;
  }

  /** Put a label on a line that shows at least `shortest` px, at the middle or, when that is taken, towards an end. */
  along(link, shortest, label) {
    const { scene, view } = this;
    const [a, b] = [scene.graph.linkA[link], scene.graph.linkB[link]];
    const [dx, dy] = [view.sx[b] - view.sx[a], view.sy[b] - view.sy[a]];
    if (Math.hypot(dx, dy) - view.sr[a] - view.sr[b] < shortest) return false;
    for (const share of scene.emphasis ? SPOTS : SPOTS.slice(0, 1)) {
      const [x, y] = [view.sx[a] + share * dx, view.sy[a] + share * dy];
      if (label.kind === "badge" && !scene.emphasis && !this.signs.isFree([x - 14, y - 9, x + 14, y + 9])) continue;
      if (!this.middle({ ...label, link, x, y })) continue;
      this.named.add(link);
      return true;
    }
    return false;
  }

  /** In the map: each disc carries its name, and its size where there is room. */
  discs() {
    const { scene, view } = this;
    const { graph, selected, emphasis } = scene;
    const order = view.nodes.slice().sort((a, b) => (b === selected) - (a === selected) || view.sr[b] - view.sr[a]);
    for (const node of order) {
      if (this.labels.length >= MOST) break;
      const r = view.sr[node];
      if (emphasis && !emphasis.node[node]) continue;
      if (r < 7 && node !== selected) continue;
      const size = Math.max(10.5, Math.min(20, r * 0.26));
      const text = shorten(graph.names[node], r > 40 ? 30 : 22);
      const x = view.sx[node];
      const y = view.sy[node];
      const label = { kind: "community", community: node, node, text, x, y, size, weight: 650 };
      if (!this.middle(label)) this.within(label);
      else if (r > 30) {
        const amount = say("count.plain", { count: figure(graph.communities[node].size) });
        this.middle({ kind: "amount", node, text: amount, x, y: y + size * 1.55, size: Math.max(10, size * 0.72), weight: 400 });
      }
    }
  }
}

/** The word on a link: the predicate of its first visible fact, the extracted ones first. */
export function linkText(scene, link) {
  const { graph, filters } = scene;
  const facts = Array.from(factsOf(graph, link)).filter((fact) => filters.inferred || !graph.method[fact]);
  facts.sort((a, b) => graph.method[a] - graph.method[b] || a - b);
  return facts.length ? shorten(predicateText(graph, facts[0]), 28) : "";
}

/** A predicate as words: graphs write `member_of` as often as “member of”. */
export function predicateText(graph, fact) {
  return graph.predicates[graph.predicate[fact]].replaceAll("_", " ");
}
