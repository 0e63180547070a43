// The graph explorer: one state (what is chosen, filtered and in view) that drawing, panel, legend, table and address show.

import {buildFrame} from "./frame.js";
import {readWords, say, count} from "./words.js";
import {loadGraph, Quotes} from "./load.js";
import {eachLink, factsOf} from "./data.js";
import {readDefaults, freshFilters, computeVisible, computeEmphasis, opensInPart} from "./filters.js";
import {HitTest} from "./hit.js";
import {reportOf, locate} from "./report.js";
import {readPalette, watchTheme} from "./theme.js";
import {NameIndex} from "./match.js";
import {shortestPath} from "./paths.js";
import {readState} from "./address.js";

const HINT_TIME = 1600; // ms

class Explorer {
  constructor(root) {
    this.root = root;
    this.ready = false;
    this.defaults = readDefaults(root.dataset);
    this.filters = freshFilters(this.defaults);
    this.resetChoice();
    this.palette = readPalette(root);
    buildFrame(this);
  }

  resetChoice() {
    this.selected = -1;
    this.ends = null; // the two nodes that a path was asked for
    this.path = null;
    this.extractedOnly = false;
  }

  async start() {
    try {
      await this.load();
    } catch (error) {
      this.fail(error);
      return;
    }
    watchTheme(() => this.themeChanged());
    new ResizeObserver(() => this.viewpoint.resized()).observe(this.stage);
    if (document.fonts && document.fonts.status !== "loaded") document.fonts.ready.then(() => this.themeChanged());
  }

  async load() {
    const graph = await loadGraph(this.root);
    const pairs = this.address.read();
    this.viewpoint.measure();
    await this.travel.begin(graph, pairs);
    this.message.hidden = this.graph.size > 0;
    if (!this.graph.size) this.message.textContent = say("empty");
    this.applyState(pairs);
    this.compute();
    if (this.selected >= 0 || this.ends) this.present(); // the panel's sheet decides where a phone looks
    this.viewpoint.open(this.askedView);
    this.paint();
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
      this.viewpoint.reveal(node, reveal);
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
    if (this.path) this.viewpoint.showNodes(this.path.nodes);
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

  // ── the view ───────────────────────────────────────────────────────────────

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
    this.paint();
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
    if (this.ready) this.paint();
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

  paint() {
    this.painter.paint(this.scene());
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
    await this.travel.follow(pairs);
    this.restoreFrom(pairs);
  }

  restoreFrom(pairs) {
    this.ready = false; // one painting at the end, with the right view
    this.applyState(pairs);
    this.update();
    this.viewpoint.open(this.askedView);
    this.ready = true;
    this.paint();
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
