// The Canvas 2D renderer. While the view moves, the last bitmap is moved by the compositor; when it rests, the scene is
// painted sharp. Paths are batched by colour, because in software a fill costs more to start than to fill.

import {projectScene, linkStrength, linkWidth, arrowHead} from "./scene.js";
import {placeLabels, isRightToLeft} from "./labels.js";
import {curvesOf, isApart} from "./parallel.js";
import {traceShape} from "./shapes.js";
import {communityColour} from "./theme.js";

const OVERSCAN = 0.12; // of the stage on each side, so that a small pan shows no empty rim
const BATCH = 240; // segments a stroke; one path of thousands is slower than many of hundreds
const QUICK = 400; // nodes and links: a scene with fewer is painted on every frame
const SETTLE = 110; // ms without movement before the sharp painting

export class Painter {
  constructor(canvas, overlay) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.context = canvas.getContext("2d", { alpha: false });
    this.over = overlay.getContext("2d");
    this.widths = new Map();
    this.cost = 0; // ms of the last sharp painting
    this.painted = null; // the transform of the bitmap
    this.timer = 0;
    this.frame = 0;
  }

  /** Fit both canvases to the stage (CSS px) and the screen's pixel ratio. */
  resize(width, height) {
    this.width = width;
    this.height = height;
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.margin = Math.round(Math.max(width, height) * OVERSCAN);
    this.fit(this.canvas, this.margin);
    this.fit(this.overlay, 0);
    this.painted = null;
  }

  fit(canvas, margin) {
    canvas.width = Math.round((this.width + 2 * margin) * this.ratio);
    canvas.height = Math.round((this.height + 2 * margin) * this.ratio);
    canvas.style.width = `${this.width + 2 * margin}px`;
    canvas.style.height = `${this.height + 2 * margin}px`;
    canvas.style.left = `${-margin}px`;
    canvas.style.top = `${-margin}px`;
    canvas.style.transformOrigin = `${margin}px ${margin}px`;
  }

  /** Show the scene at its transform soon: by moving the bitmap while in motion, sharp when `done`. */
  show(scene, done) {
    this.scene = scene;
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    if (!this.painted || this.view.nodes.length + this.view.links.length < QUICK) {
      this.frame = requestAnimationFrame(() => this.paint(scene));
      return;
    }
    this.frame = requestAnimationFrame(() => this.move(scene.transform));
    this.timer = setTimeout(() => this.paint(this.scene), done ? 16 : SETTLE);
  }

  /** Whether what is on the screen is the sharp painting of the latest scene. */
  get settled() {
    return this.painted !== null && this.painted === this.scene.transform;
  }

  move(transform) {
    const from = this.painted;
    const scale = transform.k / from.k;
    const x = transform.x - scale * from.x;
    const y = transform.y - scale * from.y;
    this.canvas.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    this.over.clearRect(0, 0, this.overlay.width, this.overlay.height);
  }

  /** Paint sharp, now. */
  paint(scene) {
    const start = performance.now();
    clearTimeout(this.timer);
    this.scene = scene;
    const view = projectScene(scene, scene.transform, this.width, this.height, this.margin);
    const { context } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, this.margin * this.ratio, this.margin * this.ratio);
    context.fillStyle = scene.palette.paper;
    context.fillRect(-this.margin, -this.margin, this.width + 2 * this.margin, this.height + 2 * this.margin);
    paintGrounds(context, scene);
    paintLinks(context, scene, view);
    paintNodes(context, scene, view);
    this.font = ""; // of the context, which has been used for other things since it was last known
    this.labels = placeLabels(scene, view, this.width, this.height, (...text) => this.measure(scene, ...text));
    paintLabels(context, scene, this.labels, (...text) => this.measure(scene, ...text));
    this.canvas.style.transform = "none";
    this.painted = scene.transform;
    this.view = view;
    this.cost = performance.now() - start;
    if (this.onpainted) this.onpainted();
  }

  /** Width of a text in px; remembered, because the same names are measured on every painting. */
  measure(scene, text, size, weight) {
    const font = `${weight} ${size}px ${scene.palette.font}`;
    const key = `${weight} ${size} ${text}`;
    let width = this.widths.get(key);
    if (width === undefined) {
      if (this.widths.size > 20000) this.widths.clear();
      if (font !== this.font) this.context.font = this.font = font;
      width = this.context.measureText(text).width;
      this.widths.set(key, width);
    }
    return width;
  }

  /** Ring a node and its links on the overlay, without touching the painting; −1 clears. */
  point(scene, node, links) {
    const { over } = this;
    over.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    over.clearRect(0, 0, this.width, this.height);
    if (node < 0 || !this.view || !this.settled) return;
    const { sx, sy, sr } = this.view;
    over.strokeStyle = scene.palette.accent;
    over.lineWidth = 1.4;
    over.globalAlpha = 0.8;
    over.beginPath();
    for (const link of links) {
      const a = scene.graph.linkA[link];
      const b = scene.graph.linkB[link];
      over.moveTo(sx[a], sy[a]);
      over.lineTo(sx[b], sy[b]);
    }
    over.stroke();
    over.globalAlpha = 1;
    over.lineWidth = 2;
    over.beginPath();
    over.arc(sx[node], sy[node], sr[node] + 4, 0, 2 * Math.PI);
    over.stroke();
  }
}

/** A faint ground under each community that has a colour, so that groups are seen before single nodes. */
function paintGrounds(context, scene) {
  const { graph, transform, palette, filters } = scene;
  if (graph.kind === "map" || graph.communities.length < 2) return;
  context.globalAlpha = palette.dark ? 0.09 : 0.07;
  graph.communities.forEach((community, index) => {
    if (!community.r || community.color === null || filters.hiddenCommunities.has(index)) return;
    context.fillStyle = communityColour(palette, graph, index);
    context.beginPath();
    context.arc(community.x * transform.k + transform.x, community.y * transform.k + transform.y,
      community.r * transform.k + 6, 0, 2 * Math.PI);
    context.fill();
  });
  context.globalAlpha = 1;
}

function paintLinks(context, scene, view) {
  const { emphasis, palette, visible, graph } = scene;
  const strength = linkStrength(view.links.length);
  const groups = [[], [], [], []]; // ordinary, ordinary inferred, emphasised, emphasised inferred
  for (const link of view.links) {
    const bright = emphasis && emphasis.link[link] ? 2 : 0;
    groups[bright + (visible.link[link] === 2 ? 1 : 0)].push(link);
  }
  const apart = [[], []]; // links whose relations are drawn one by one: ordinary, emphasised
  if (scene.filters.apart && graph.kind !== "map") {
    for (let group = 0; group < 4; group += 1) {
      apart[group >> 1].push(...groups[group].filter((link) => isApart(scene, link)));
      groups[group] = groups[group].filter((link) => !isApart(scene, link));
    }
  }
  context.lineCap = "butt";
  context.strokeStyle = context.fillStyle = palette.muted;
  context.globalAlpha = emphasis ? 0.14 : strength;
  strokeApart(context, scene, view, apart[0], linkWidth(view.links.length), 5.5);
  if (graph.kind === "map") paintWeighted(context, scene, view, groups[0]);
  else strokeLinks(context, scene, view, groups[0], linkWidth(view.links.length), []);
  strokeLinks(context, scene, view, groups[1], linkWidth(view.links.length), [5, 4]);
  if (view.links.length < 2200 && graph.kind !== "map") {
    context.globalAlpha = emphasis ? 0.14 : Math.min(1, strength + 0.2);
    fillArrows(context, scene, view, [...groups[0], ...groups[1]], 5.5);
  }
  context.strokeStyle = context.fillStyle = palette.accent;
  context.globalAlpha = 0.9;
  strokeLinks(context, scene, view, groups[2], 1.7, []);
  strokeLinks(context, scene, view, groups[3], 1.7, [6, 4]);
  strokeApart(context, scene, view, apart[1], 1.7, 8);
  if (graph.kind !== "map") fillArrows(context, scene, view, [...groups[2], ...groups[3]], 8);
  context.globalAlpha = 1;
}

function strokeLinks(context, scene, view, links, width, dash) {
  const { linkA, linkB } = scene.graph;
  const { sx, sy, sr } = view;
  context.lineWidth = width;
  context.setLineDash(dash);
  for (let start = 0; start < links.length; start += BATCH) {
    context.beginPath();
    for (const link of links.slice(start, start + BATCH)) {
      const a = linkA[link];
      const b = linkB[link];
      if (a === b) {
        const r = sr[a] + 5;
        context.moveTo(sx[a] + r * 0.7, sy[a] - r);
        context.arc(sx[a], sy[a] - r, r * 0.7, 0, 2 * Math.PI);
        continue;
      }
      context.moveTo(sx[a], sy[a]);
      context.lineTo(sx[b], sy[b]);
    }
    context.stroke();
  }
  context.setLineDash([]);
}

/** Parallel relations as curves, the inferred ones dashed, each with its own arrow. */
function strokeApart(context, scene, view, links, width, size) {
  const curves = links.flatMap((link) => curvesOf(scene, view, link));
  context.lineWidth = width;
  for (const inferred of [false, true]) {
    context.setLineDash(inferred ? [5, 4] : []);
    context.beginPath();
    for (const curve of curves) {
      if (curve.inferred !== inferred) continue;
      context.moveTo(curve.x0, curve.y0);
      context.quadraticCurveTo(curve.cx, curve.cy, curve.x1, curve.y1);
    }
    context.stroke();
  }
  context.setLineDash([]);
  context.beginPath();
  for (const { cx, cy, x1, y1, r } of curves) triangle(context, arrowHead(cx, cy, x1, y1, r, size));
  context.fill();
}

/** Links of the map: the more relations, the wider. */
function paintWeighted(context, scene, view, links) {
  const { linkFacts, linkStart, weight } = scene.graph;
  const classes = new Map();
  for (const link of links) {
    const width = Math.min(7, Math.max(1, Math.round(Math.log2(1 + weight[linkFacts[linkStart[link]]]) / 1.6)));
    if (!classes.has(width)) classes.set(width, []);
    classes.get(width).push(link);
  }
  context.globalAlpha *= 0.42;
  for (const [width, group] of classes) strokeLinks(context, scene, view, group, width, []);
}

function fillArrows(context, scene, view, links, size) {
  const { linkA, linkB } = scene.graph;
  const { sx, sy, sr } = view;
  context.beginPath();
  for (const link of links) {
    const a = linkA[link];
    const b = linkB[link];
    const length = Math.hypot(sx[a] - sx[b], sy[a] - sy[b]) - sr[a] - sr[b];
    if (a === b || length < size * 2) continue;
    const arrows = scene.visible.arrows[link];
    if (arrows & 1) triangle(context, arrowHead(sx[a], sy[a], sx[b], sy[b], sr[b], size));
    if (arrows & 2) triangle(context, arrowHead(sx[b], sy[b], sx[a], sy[a], sr[a], size));
  }
  context.fill();
}

function triangle(context, corners) {
  context.moveTo(corners[0], corners[1]);
  context.lineTo(corners[2], corners[3]);
  context.lineTo(corners[4], corners[5]);
  context.closePath();
}

function paintNodes(context, scene, view) {
  const { graph, emphasis, palette } = scene;
  const batches = new Map();
  for (const node of view.nodes) {
    const faint = emphasis && !emphasis.node[node] ? 1 : 0;
    const shape = graph.types.length ? graph.types[graph.type[node]].shape : 0;
    const colour = communityColour(palette, graph, graph.community[node]);
    const key = `${faint ? 0 : 1} ${colour} ${view.sr[node] < 2 ? -1 : shape}`;
    if (!batches.has(key)) batches.set(key, { faint, colour, shape, nodes: [] });
    batches.get(key).nodes.push(node);
  }
  const rimmed = view.nodes.length < 2500;
  for (const key of [...batches.keys()].sort()) {
    const { faint, colour, shape, nodes } = batches.get(key);
    context.fillStyle = colour;
    context.strokeStyle = palette.paper;
    for (let start = 0; start < nodes.length; start += BATCH) {
      context.beginPath();
      for (const node of nodes.slice(start, start + BATCH)) traceNode(context, view, node, shape);
      context.lineWidth = 2.4;
      context.globalAlpha = 1;
      if (rimmed) context.stroke();
      if (faint) fillWith(context, palette.paper, colour);
      context.globalAlpha = faint ? 0.22 : graph.kind === "map" ? 0.86 : 1;
      context.fill();
    }
  }
  context.globalAlpha = 1;
  ringChosen(context, scene, view);
}

/** Fill the open path with one colour and set another: so that lines do not shine through faint nodes. */
function fillWith(context, ground, next) {
  context.fillStyle = ground;
  context.fill();
  context.fillStyle = next;
}

function traceNode(context, view, node, shape) {
  const r = view.sr[node];
  if (r < 2) context.rect(view.sx[node] - r, view.sy[node] - r, 2 * r, 2 * r);
  else traceShape(context, shape, view.sx[node], view.sy[node], r);
}

function ringChosen(context, scene, view) {
  const chosen = [scene.selected, ...(scene.path ? scene.path.nodes : [])].filter((node) => node >= 0);
  context.strokeStyle = scene.palette.accent;
  for (const node of chosen) {
    context.lineWidth = node === scene.selected ? 3 : 2;
    context.beginPath();
    context.arc(view.sx[node], view.sy[node], view.sr[node] + 5, 0, 2 * Math.PI);
    context.stroke();
  }
}

function paintLabels(context, scene, labels, measure) {
  const { palette } = scene;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  for (const label of labels) {
    const italic = label.kind === "link" ? "italic " : "";
    context.font = `${italic}${label.weight} ${label.size}px ${palette.font}`;
    context.textAlign = label.align;
    context.direction = isRightToLeft(label.text) ? "rtl" : "ltr";
    if (label.kind === "badge") paintBadge(context, palette, label, measure(label.text, label.size, label.weight));
    context.strokeStyle = palette.paper;
    context.lineWidth = label.kind === "community" ? 4.5 : 3.5;
    context.globalAlpha = 0.92;
    if (label.kind !== "badge") context.strokeText(label.text, label.x, label.y);
    context.globalAlpha = 1;
    context.fillStyle = label.kind === "link" || label.kind === "amount" ? palette.muted : palette.ink;
    context.fillText(label.text, label.x, label.y);
  }
}

function paintBadge(context, palette, label, width) {
  context.fillStyle = palette.paper;
  context.strokeStyle = palette.muted;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(label.x - width / 2 - 4, label.y - 8, width + 8, 16, 8);
  context.fill();
  context.stroke();
}
