// Everything by keyboard: one key for each thing that the pointer does in the drawing.

import {element, icon} from "./element.js";
import {eachLink} from "./data.js";
import {say} from "./words.js";

const STEP = 60; // px a pan
const DIRECTIONS = new Map([["ArrowRight", [1, 0]], ["ArrowLeft", [-1, 0]], ["ArrowDown", [0, 1]], ["ArrowUp", [0, -1]]]);
const NEXT_LABELS = new Map([["selection", "all"], ["all", "none"], ["none", "selection"]]);

export class Keyboard {
  constructor(explorer) {
    this.explorer = explorer;
    this.help = helpDialog();
    explorer.stage.addEventListener("keydown", (event) => this.onStage(event));
    document.addEventListener("keydown", (event) => this.anywhere(event));
  }

  /** Keys that work wherever the focus is, except while writing. */
  anywhere(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target) || this.help.open) return;
    const { explorer } = this;
    if (event.key === "/") explorer.searchField.input.focus();
    else if (event.key === "?") this.showHelp();
    else if (event.key === "Escape" && explorer.closeSheets()) explorer.stage.focus();
    else if (event.key === "Escape") explorer.clear();
    else return;
    event.preventDefault();
  }

  onStage(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { explorer } = this;
    const direction = DIRECTIONS.get(event.key);
    const action = this.action(event.key);
    if (direction && event.shiftKey) explorer.camera.panBy(-direction[0] * STEP, -direction[1] * STEP);
    else if (direction) this.walk(direction);
    else if (action) action();
    else return;
    event.preventDefault();
  }

  action(key) {
    const { explorer } = this;
    const { camera, filters } = explorer;
    switch (key) {
      case "+": case "=": return () => camera.zoomBy(1.5);
      case "-": return () => camera.zoomBy(1 / 1.5);
      case "0": return () => explorer.viewpoint.fit();
      case "Enter": return () => this.enter();
      case "l": return () => explorer.setFilters({ labels: NEXT_LABELS.get(filters.labels) });
      case "i": return () => explorer.setFilters({ inferred: !filters.inferred });
      case "p": return () => explorer.startPath();
      case "f": return () => explorer.toggleFullscreen();
      default: return null;
    }
  }

  enter() {
    const { explorer } = this;
    if (explorer.selected < 0) this.walk([0, 0]);
    else if (explorer.graph.kind === "map") explorer.travel.enter(explorer.selected);
    else explorer.panel.focus();
  }

  /** Select the neighbour that lies best in a direction; without a selection, the most connected visible node. */
  walk([dx, dy]) {
    const { explorer } = this;
    const { graph, visible, selected } = explorer;
    if (selected < 0) {
      const first = visible.node.indexOf(1);
      if (first >= 0) explorer.select(first, { reveal: true });
      return;
    }
    let best = -1;
    let bestScore = Infinity;
    eachLink(graph, selected, (neighbour, link) => {
      if (!visible.link[link] || neighbour === selected) return;
      const x = graph.x[neighbour] - graph.x[selected];
      const y = graph.y[neighbour] - graph.y[selected];
      const along = x * dx + y * dy;
      const score = Math.hypot(x, y) + 2 * Math.abs(x * dy - y * dx);
      if (along > 0 && score < bestScore) {
        best = neighbour;
        bestScore = score;
      }
    });
    if (best >= 0) explorer.select(best, { reveal: true });
  }

  showHelp() {
    if (!this.help.isConnected) this.explorer.root.append(this.help);
    this.help.showModal();
  }
}

function isWriting(target) {
  return target instanceof Element && target.closest("input:not([type=checkbox]):not([type=range]), textarea, select, [contenteditable]") !== null;
}

function helpDialog() {
  const rows = [
    ["/", "keys.search"], ["← ↑ → ↓", "keys.arrows"], ["Enter", "keys.enter"], ["Esc", "keys.escape"],
    ["+ − 0", "keys.zoom"], ["Shift + ← ↑ → ↓", "keys.pan"], ["l", "keys.labels"], ["i", "keys.inferred"],
    ["p", "keys.path"], ["f", "keys.fullscreen"], ["?", "keys.help"],
  ];
  const close = element("button", { type: "button", class: "panel-close", "aria-label": say("close"), onclick: () => dialog.close() },
    icon("M5 5l10 10M15 5L5 15"));
  const dialog = element("dialog", { class: "explorer-help", "aria-labelledby": "explorer-help-title" },
    close,
    element("h2", { id: "explorer-help-title" }, say("help")),
    element("dl", {}, ...rows.flatMap(([key, words]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, say(words))])));
  return dialog;
}
