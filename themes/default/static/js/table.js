// The table twin of the drawing: what is visible, as rows that a screen reader can walk through.

import {element, nameElement} from "./element.js";
import {say, figure, count} from "./words.js";

const ROWS_AT_ONCE = 100;

export class TableTwin {
  /** `details` is the page's own <details> below the drawing, or null to make one. */
  constructor(explorer, details) {
    this.explorer = explorer;
    this.body = element("tbody");
    this.note = element("p", { class: "note", role: "status" });
    this.moreButton = element("button", { type: "button", class: "show-more", onclick: () => this.grow() });
    const heads = ["table.entity", "table.type", "table.community", "table.relations"];
    const table = element("table", {},
      element("caption", {}, say("table.note")),
      element("thead", {}, element("tr", {}, ...heads.map((key) => element("th", { scope: "col" }, say(key))))), this.body);
    this.element = details || element("details", {}, element("summary", {}, say("table")));
    this.element.classList.add("explorer-table");
    this.element.open = false;
    for (const table of this.element.querySelectorAll(".static-table")) table.hidden = true;
    this.element.append(element("div", { class: "live-table" }, this.note, element("div", { class: "table-scroll" }, table), this.moreButton));
    this.element.addEventListener("toggle", () => this.update());
  }

  /** Show the page's own tables again: there is no graph to make one of. */
  giveBack() {
    this.element.querySelector(".live-table").hidden = true;
    for (const table of this.element.querySelectorAll(".static-table")) table.hidden = false;
    this.element.open = true;
  }

  update() {
    if (!this.explorer.ready) return;
    if (!this.element.open) return;
    const { visible, graph } = this.explorer;
    this.rows = [];
    for (let node = 0; node < graph.size; node += 1) if (visible.node[node]) this.rows.push(node);
    this.shown = 0;
    this.body.replaceChildren();
    this.note.textContent = count("entity", this.rows.length);
    this.grow();
  }

  grow() {
    const next = this.rows.slice(this.shown, this.shown + ROWS_AT_ONCE);
    this.body.append(...next.map((node) => this.row(node)));
    this.shown += next.length;
    const left = this.rows.length - this.shown;
    this.moreButton.hidden = left <= 0;
    this.moreButton.textContent = say("table.more", { count: figure(Math.min(left, ROWS_AT_ONCE)) });
  }

  row(node) {
    const { explorer } = this;
    const { graph } = explorer;
    const community = graph.community[node];
    const button = element("button", {
      type: "button", class: "jump", dir: "auto", title: say("table.select"),
      onclick: () => explorer.select(node, { reveal: true, focus: true }),
    }, graph.names[node]);
    return element("tr", {},
      element("th", { scope: "row" }, button),
      element("td", {}, graph.types.length ? graph.types[graph.type[node]].label : say("panel.community")),
      element("td", {}, community < 0 ? "" : nameElement("span", graph.communities[community].name)),
      element("td", { class: "number" }, figure(graph.degree[node])));
  }
}
