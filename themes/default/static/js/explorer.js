// The graph explorer: one state (what is chosen, filtered and in view) that drawing, panel, legend, table and address show.

import {element} from "./element.js";
import {readWords, say, count} from "./words.js";
import {loadGraph, fetchGraph, Quotes} from "./load.js";
import {bounds, eachLink, factsOf} from "./data.js";
import {readDefaults, freshFilters, computeVisible, computeEmphasis, opensInPart} from "./filters.js";
import {Camera} from "./camera.js";
import {Painter} from "./draw.js";
import {HitTest} from "./hit.js";
import {reportOf, locate} from "./report.js";
import {readPalette, watchTheme} from "./theme.js";
import {NameIndex} from "./match.js";
import {shortestPath} from "./paths.js";
import {readState, communityAsked} from "./address.js";
import {AddressBar} from "./address-bar.js";
import {Toolbar} from "./toolbar.js";
import {Legend} from "./legend.js";
import {Panel} from "./panel.js";
import {PathFinder} from "./pathfinder.js";
import {Tooltip} from "./tooltip.js";
import {TableTwin} from "./table.js";
import {Keyboard} from "./keyboard.js";
import {Pointer} from "./pointer.js";

const HINT_TIME = 1600; // ms

class Explorer {
  constructor(root) {
    this.root = root;
    this.ready = false;
    this.defaults = readDefaults(root.dataset);
    this.filters = freshFilters(this.defaults);
    this.map = null; // the map that a community was entered from
    this.entered = null; // slug of that community
    this.resetChoice();
    this.palette = readPalette(root);
    this.build();
  }

  resetChoice() {
    this.selected = -1;
    this.ends = null; // the two nodes that a path was asked for
    this.path = null;
    this.extractedOnly = false;
  }

  build() {
    const { root } = this;
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.overlay = element("canvas", { "aria-hidden": "true", class: "overlay" });
    this.hint = element("p", { class: "explorer-hint", hidden: true });
    this.message = element("p", { class: "explorer-message", role: "status" }, say("loading"));
    this.live = element("p", { class: "visually-hidden", "aria-live": "polite" });
    this.tooltip = new Tooltip(this);
    this.stage = element("div", { class: "explorer-stage", tabindex: 0, role: "application", "aria-label": say("stage") },
      this.canvas, this.overlay, this.tooltip.element, this.hint, this.message);
    this.toolbar = new Toolbar(this);
    this.legend = new Legend(this);
    this.pathFinder = new PathFinder(this);
    this.panel = new Panel(this, this.pathFinder);
    this.painter = new Painter(this.canvas, this.overlay);
    this.painter.onpainted = () => this.wasPainted();
    this.table = new TableTwin(this, document.getElementById("explorer-table"));
    const frame = element("div", { class: "explorer-frame" },
      this.toolbar.element, this.legend.element, this.stage, this.toolbar.zoom, this.panel.element, this.live);
    root.replaceChildren(frame);
    if (!this.table.element.isConnected) root.after(this.table.element);
    this.camera = new Camera(this.stage, {
      embedded: root.hasAttribute("data-embedded"), moved: (...change) => this.moved(...change), blocked: () => this.showHint(),
    });
    this.keyboard = new Keyboard(this);
    this.pointer = new Pointer(this);
    this.address = new AddressBar(this);
  }

  async start() {
    try {
      await this.load();
    } catch (error) {
      this.fail(error);
      return;
    }
    watchTheme(() => this.themeChanged());
    new ResizeObserver(() => this.resized()).observe(this.stage);
    if (document.fonts && document.fonts.status !== "loaded") document.fonts.ready.then(() => this.themeChanged());
  }

  async load() {
    const graph = await loadGraph(this.root);
    const pairs = this.address.read();
    if (graph.kind === "map") this.map = graph;
    this.measure();
    const asked = communityAsked(pairs);
    if (graph.kind === "map" && asked !== null && graph.indexOf.has(asked)) await this.openCommunity(asked);
    else this.open(graph);
    this.message.hidden = this.graph.size > 0;
    if (!this.graph.size) this.message.textContent = say("empty");
    this.applyState(pairs);
    this.compute();
    if (this.selected >= 0 || this.ends) this.present(); // the panel's sheet decides where a phone looks
    this.openView();
    this.painter.paint(this.scene());
    await nextFrame(); // the picture first, then what is around it
    this.present();
    this.ready = true;
    this.table.update();
  }

  fail(error) {
    this.root.classList.add("has-failed");
    this.table.giveBack();
    const disk = window.location.protocol === "file:";
    this.message.hidden = false;
    this.message.setAttribute("role", "alert");
    this.message.textContent = say(disk ? "loading.disk" : "loading.failed");
    console.warn(`explorer: ${error.message}`);
  }

  /** Make a graph the one that is shown; filters and choice start afresh. */
  open(graph) {
    this.ready = false;
    this.graph = graph;
    this.quotes = new Quotes(graph);
    this.nameIndex = null;
    this.hit = new HitTest(graph);
    this.filters = freshFilters(this.defaults);
    this.resetChoice();
    this.pathFinder.from.clear();
    this.pathFinder.to.clear();
    this.legend.stale = true;
    this.root.classList.toggle("is-map", graph.kind === "map");
  }

  /** The names of the graph, indexed when someone starts to search. */
  get names() {
    if (!this.nameIndex) this.nameIndex = new NameIndex(this.graph);
    return this.nameIndex;
  }

  get inPart() {
    return opensInPart(this.graph) && !this.filters.all;
  }

  // ── the state ──────────────────────────────────────────────────────────────

  /** Select a node (−1 for none). `reveal` brings it into view, `focus` moves the keyboard to the drawing. */
  select(node, { reveal, focus, silent }) {
    this.selected = node;
    this.update();
    if (node >= 0) {
      this.reveal(node, reveal);
      const type = this.graph.types[this.graph.type[node]];
      this.announce(say("said.selected", {
        name: this.graph.names[node], type: type ? type.label : say("panel.community"), relations: count("relation", this.relationsOf(node)),
      }));
    } else {
      this.announce(say("said.cleared"));
    }
    if (focus) this.stage.focus();
    if (!silent) this.writeAddress(true);
  }

  /** Bring a node into view; one that was clicked is seen already, unless the panel's sheet now covers it. */
  reveal(node, wanted) {
    const covered = this.panel.covers(this.stage);
    if (!wanted && !covered) return;
    const scale = wanted ? this.readableScale() : 0;
    this.camera.reveal(this.graph.x[node], this.graph.y[node], scale, covered);
  }

  /** The scale from which on single nodes of a large graph can be told apart. */
  readableScale() {
    return this.graph.kind === "map" ? this.camera.fitScale : Math.max(this.camera.fitScale, 5 / (this.graph.unit * 2));
  }

  relationsOf(node) {
    let facts = 0;
    eachLink(this.graph, node, (_, link) => { facts += factsOf(this.graph, link).length; });
    return facts;
  }

  clear() {
    if (this.selected >= 0) this.select(-1, {});
    else if (this.ends) this.clearPath();
  }

  setFilters(change) {
    Object.assign(this.filters, change);
    if (this.ends && "inferred" in change) this.path = this.searchPath();
    this.update();
    this.writeAddress();
  }

  toggle(set, index, hide) {
    const next = new Set(this.filters[set]);
    if (hide) next.add(index);
    else next.delete(index);
    this.setFilters({ [set]: next });
  }

  resetFilters() {
    this.setFilters(freshFilters(this.defaults));
  }

  usableInPath(fact) {
    return !this.graph.method[fact] || (this.filters.inferred && !this.extractedOnly);
  }

  searchPath() {
    return shortestPath(this.graph, this.ends[0], this.ends[1], (fact) => this.usableInPath(fact));
  }

  findPath(from, to) {
    this.ends = [from, to];
    this.selected = -1;
    this.path = this.searchPath();
    this.update();
    if (this.path) this.showNodes(this.path.nodes);
    this.writeAddress(true);
  }

  setExtractedOnly(only) {
    this.extractedOnly = only;
    if (this.ends) this.findPath(...this.ends);
    else this.writeAddress();
  }

  clearPath() {
    this.ends = this.path = null;
    this.update();
    this.writeAddress(true);
  }

  startPath() {
    this.root.classList.add("shows-path");
    this.pathFinder.startFrom(this.selected);
    if (this.selected < 0) this.pathFinder.from.input.focus();
  }

  // ── the map of communities ─────────────────────────────────────────────────

  async enter(index) {
    try {
      await this.openCommunity(this.map.slugs[index]);
    } catch (error) {
      this.announce(say("loading.failed"));
      console.warn(`explorer: ${error.message}`);
      return;
    }
    this.restoreFrom(new Map());
    this.stage.focus();
    this.writeAddress(true);
  }

  /** Fetch and open a community; when another one was asked for meanwhile, that one wins. */
  async openCommunity(slug) {
    this.asked = slug;
    const community = this.map.communities[this.map.indexOf.get(slug)];
    const graph = await fetchGraph(new URL(community.data, this.map.base || document.baseURI).href);
    if (this.asked !== slug) return;
    this.entered = slug;
    this.open(graph);
  }

  leave() {
    const slug = this.entered;
    this.asked = this.entered = null;
    this.open(this.map);
    this.restoreFrom(new Map([["node", encodeURIComponent(slug)]]));
    this.stage.focus();
    this.writeAddress(true);
  }

  // ── the view ───────────────────────────────────────────────────────────────

  measure() {
    const width = Math.max(1, this.stage.clientWidth);
    const height = Math.max(1, this.stage.clientHeight);
    this.painter.resize(width, height);
    this.size = [width, height];
  }

  frameCamera() {
    const [width, height] = this.size;
    this.camera.frame(bounds(this.graph, this.inPart ? this.visible.node : null), width, height, width < 600 ? 28 : 56);
  }

  resized() {
    const [width, height] = this.size;
    if (!this.ready || (this.stage.clientWidth === width && this.stage.clientHeight === height)) return;
    const view = this.camera.touched ? this.camera.view : null;
    this.measure();
    this.frameCamera();
    if (view) this.camera.view = view;
    else this.camera.fit(false);
    this.painter.paint(this.scene());
  }

  fit(animate = true) {
    this.frameCamera();
    this.camera.fit(animate);
    this.writeAddress();
  }

  /** Bring some nodes into view together. */
  showNodes(nodes) {
    const wanted = new Uint8Array(this.graph.size);
    for (const node of nodes) wanted[node] = 1;
    const box = bounds(this.graph, wanted);
    const [width, height] = this.size;
    const k = Math.min((width * 0.7) / (box.right - box.left), (height * 0.7) / (box.bottom - box.top), this.camera.fitScale * 6);
    this.camera.touched = true;
    const covered = this.panel.covers(this.stage);
    this.camera.look((box.left + box.right) / 2, (box.top + box.bottom) / 2, covered ? k * 0.6 : k, this.ready, covered);
  }

  moved(_, done) {
    if (!this.ready) return;
    this.tooltip.hide();
    this.painter.show(this.scene(), done);
    if (done) this.writeAddress();
  }

  showHint() {
    const key = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";
    this.hint.textContent = say("touch.hint", { key });
    this.hint.hidden = false;
    clearTimeout(this.hintTimer);
    this.hintTimer = setTimeout(() => { this.hint.hidden = true; }, HINT_TIME);
  }

  themeChanged() {
    this.palette = readPalette(this.root);
    this.painter.widths.clear();
    this.painter.paint(this.scene());
  }

  toggleFullscreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (this.root.requestFullscreen) this.root.requestFullscreen().catch(() => this.root.classList.toggle("is-full"));
    else this.root.classList.toggle("is-full");
  }

  toggleLegend() {
    const open = this.root.classList.toggle("shows-legend");
    this.toolbar.legend.setAttribute("aria-expanded", String(open));
  }

  /** Close what lies over the drawing on a phone; says whether there was something. */
  closeSheets() {
    const open = this.root.classList.contains("shows-legend");
    if (open) this.toggleLegend();
    return open;
  }

  // ── showing it ─────────────────────────────────────────────────────────────

  /** Work out what the state means and show it everywhere. */
  update() {
    this.compute();
    this.present();
    if (this.ready) this.painter.paint(this.scene());
  }

  /** What is visible and what stands out. */
  compute() {
    const { graph, filters } = this;
    const pinned = this.path ? this.path.nodes : this.ends || [];
    this.visible = computeVisible(graph, filters, this.selected >= 0 ? [this.selected] : [], pinned);
    this.emphasis = computeEmphasis(graph, this.visible, this.selected, this.path);
    this.hit.index(this.visible);
  }

  /** Show the state in everything around the drawing. */
  present() {
    this.toolbar.update();
    this.legend.update();
    this.pathFinder.update();
    this.panel.update();
    this.table.update();
    this.root.classList.toggle("has-choice", this.selected >= 0 || this.ends !== null);
  }

  scene() {
    const { graph, visible, emphasis, filters, palette, selected, path, camera } = this;
    return { graph, visible, emphasis, filters, palette, selected, path, fitScale: camera.fitScale, transform: camera.transform };
  }

  wasPainted() {
    if (!this.wasDrawn) {
      this.wasDrawn = true;
      performance.mark("explorer:first-drawing");
    }
    this.root.dispatchEvent(new CustomEvent("explorer:drawn"));
  }

  announce(words) {
    this.live.textContent = words;
  }

  communityClass(index) {
    const colour = index < 0 ? null : this.graph.communities[index].color;
    return colour === null || colour === undefined ? "cx" : `c${colour % 12}`;
  }

  colourClass(node) {
    return this.communityClass(this.graph.community[node]);
  }

  // ── the address ────────────────────────────────────────────────────────────

  /** Write the state into the address; a `step` can be gone back from, everything else replaces. */
  writeAddress(step) {
    this.address.write(step);
  }

  /** Go to the state that the address asks for now. */
  async restore() {
    const pairs = this.address.read();
    const asked = this.map ? communityAsked(pairs) : null;
    if (this.map && asked !== this.entered) {
      if (asked !== null && this.map.indexOf.has(asked)) {
        await this.openCommunity(asked).catch((error) => console.warn(`explorer: ${error.message}`));
      } else {
        this.entered = null;
        this.open(this.map);
      }
    }
    this.restoreFrom(pairs);
  }

  restoreFrom(pairs) {
    this.ready = false; // one painting at the end, with the right view
    this.applyState(pairs);
    this.update();
    this.openView();
    this.ready = true;
    this.painter.paint(this.scene());
    this.table.update();
  }

  /** Take choice and filters from a fragment's pairs. */
  applyState(pairs) {
    const state = readState(pairs, this.graph, this.filters, this.defaults);
    this.selected = state.selected;
    this.ends = state.ends;
    this.extractedOnly = state.extractedOnly;
    this.path = this.ends ? this.searchPath() : null;
    this.askedView = state.view;
  }

  /** Look where the address says, else at the path, the selection or everything. */
  openView() {
    this.frameCamera();
    if (this.askedView) {
      this.camera.view = this.askedView;
      return;
    }
    this.camera.fit(false);
    if (this.path) this.showNodes(this.path.nodes);
    else if (this.selected >= 0) this.lookAtSelection();
  }

  /** The opening view of a link to one node: near enough to read, and beside the panel's sheet on a phone. */
  lookAtSelection() {
    const covered = this.panel.covers(this.stage);
    if (this.graph.size <= 400 && !covered) return;
    const [x, y] = [this.graph.x[this.selected], this.graph.y[this.selected]];
    this.camera.look(x, y, Math.max(this.camera.fitScale, this.readableScale()), false, covered);
    this.camera.touched = true;
  }

  // ── a surface for tests and scripts; it only reads ─────────────────────────

  get report() {
    return reportOf(this);
  }

  locate(slug) {
    return locate(this, slug);
  }
}

/** Resolves when the browser has shown what was painted. */
function nextFrame() {
  return new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
}

const root = document.getElementById("explorer");
if (root) {
  readWords(document);
  root.explorer = new Explorer(root);
  root.explorer.start();
}
