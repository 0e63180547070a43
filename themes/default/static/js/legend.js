// The legend that is also the filter: types by shape, communities by colour, with counts; what size and dash mean.

import {element, nameElement, shapeIcon} from "./element.js";
import {shapePath} from "./shapes.js";
import {opensInPart} from "./filters.js";
import {topNames} from "./panel.js";
import {say, figure} from "./words.js";

const COMMUNITIES_AT_ONCE = 12;

export class Legend {
  constructor(explorer) {
    this.explorer = explorer;
    this.element = element("div", { class: "explorer-legend", id: "explorer-legend", role: "group", "aria-label": say("legend") });
    this.boxes = [];
  }

  /** Build the legend of a graph anew. */
  build() {
    this.stale = false;
    const { explorer } = this;
    const { graph } = explorer;
    this.boxes = [];
    this.shown = COMMUNITIES_AT_ONCE;
    const map = graph.kind === "map";
    this.element.replaceChildren(...[
      map ? null : this.types(graph),
      this.communities(graph),
      this.signs(map),
      map ? null : this.controls(),
      element("button", { type: "button", class: "reset", onclick: () => explorer.resetFilters() }, say("filter.reset")),
    ].filter(Boolean));
  }

  types(graph) {
    const rows = graph.types.map((type, index) => this.row({
      set: "hiddenTypes", index, name: type.label, amount: type.count, sign: shapeIcon(shapePath(type.shape), "sign"),
    }));
    return this.section("legend.types", "legend.types.note", rows, "hiddenTypes", graph.types.map((_, index) => index));
  }

  communities(graph) {
    const order = graph.communities.map((_, index) => index);
    if (graph.kind !== "map" && graph.community.includes(-1)) order.push(-1);
    const rows = order.map((index) => this.communityRow(graph, index));
    rows.forEach((row, at) => { row.hidden = at >= COMMUNITIES_AT_ONCE; });
    const section = this.section("legend.communities", "legend.communities.note", rows, "hiddenCommunities", order);
    if (rows.length > COMMUNITIES_AT_ONCE) section.append(this.more(rows));
    return section;
  }

  communityRow(graph, index) {
    const sign = element("span", { class: `blot ${this.explorer.communityClass(index)}`, "aria-hidden": "true" });
    if (index < 0) {
      const amount = graph.community.reduce((sum, community) => sum + (community < 0), 0);
      return this.row({ set: "hiddenCommunities", index, name: "–", amount, sign });
    }
    const community = graph.communities[index];
    return this.row({
      set: "hiddenCommunities", index, name: community.name, amount: community.size, sign,
      note: topNames(graph, community).filter((name) => name !== community.name).slice(0, 3).join(", "),
    });
  }

  more(rows) {
    const button = element("button", { type: "button", class: "show-more" });
    const label = () => { button.textContent = say("legend.more", { count: figure(rows.length - this.shown) }); };
    button.addEventListener("click", () => {
      this.shown += 50;
      rows.slice(0, this.shown).forEach((row) => { row.hidden = false; });
      if (this.shown >= rows.length) button.remove();
      else label();
    });
    label();
    return button;
  }

  section(title, note, rows, set, members) {
    const { explorer } = this;
    const all = (hide) => explorer.setFilters({ [set]: new Set(hide ? members : []) });
    return element("fieldset", { class: `legend-${set === "hiddenTypes" ? "types" : "communities"}` },
      element("legend", {}, say(title)),
      element("p", { class: "note" }, say(note)),
      element("p", { class: "both" },
        element("button", { type: "button", onclick: () => all(false) }, say("legend.all")),
        element("button", { type: "button", onclick: () => all(true) }, say("legend.none"))),
      ...rows);
  }

  row({ set, index, name, amount, sign, note }) {
    const { explorer } = this;
    const box = element("input", { type: "checkbox", onchange: () => explorer.toggle(set, index, !box.checked) });
    this.boxes.push({ box, set, index });
    return element("div", { class: "legend-row", title: [name, note].filter(Boolean).join("\n") },
      element("label", {}, box, sign,
        element("span", { class: "words" }, nameElement("span", name, "name"),
          note ? element("span", { class: "members", dir: "auto" }, note) : null),
        element("span", { class: "count" }, figure(amount))),
      element("button", {
        type: "button", class: "only", "aria-label": say("legend.only.label", { name }),
        onclick: () => this.only(set, index),
      }, say("legend.only")));
  }

  only(set, index) {
    const others = this.boxes.filter((entry) => entry.set === set && entry.index !== index).map((entry) => entry.index);
    this.explorer.setFilters({ [set]: new Set(others) });
  }

  signs(map) {
    const line = (className, words) => element("li", {}, element("span", { class: `line ${className}`, "aria-hidden": "true" }), words);
    return element("ul", { class: "signs" },
      element("li", {}, element("span", { class: "sizes", "aria-hidden": "true" }), say(map ? "legend.map.size" : "legend.size")),
      map ? null : line("is-extracted", say("legend.extracted")),
      map ? null : line("is-inferred", say("legend.inferred")),
      element("li", {}, element("span", { class: "blot cx", "aria-hidden": "true" }), say("legend.grey")));
  }

  controls() {
    const { explorer } = this;
    const { graph } = explorer;
    const most = Math.max(1, Math.min(30, graph.size ? graph.degree[0] : 1));
    this.output = element("output", {});
    this.minimum = element("input", {
      type: "range", min: 0, max: most, step: 1, class: "minimum",
      oninput: () => explorer.setFilters({ minimum: Number(this.minimum.value) }),
    });
    this.inferred = element("input", {
      type: "checkbox", class: "inferred", onchange: () => explorer.setFilters({ inferred: this.inferred.checked }),
    });
    this.labels = element("select", { class: "edge-labels", onchange: () => explorer.setFilters({ labels: this.labels.value }) },
      ...["selection", "all", "none"].map((value) => element("option", { value }, say(`filter.labels.${value}`))));
    this.all = element("input", {
      type: "checkbox", class: "show-all", onchange: () => explorer.setFilters({ all: this.all.checked }),
    });
    return element("div", { class: "controls" },
      element("label", {}, element("span", { class: "spread" }, say("filter.minimum"), this.output), this.minimum),
      element("label", { class: "check" }, this.inferred, say("filter.inferred")),
      opensInPart(graph)
        ? element("label", { class: "check" }, this.all, say("filter.all", { count: figure(graph.size) })) : null,
      element("label", {}, say("filter.labels"), this.labels));
  }

  /** Show the state of the filters. */
  update() {
    if (this.stale) this.build();
    const { filters, graph } = this.explorer;
    for (const { box, set, index } of this.boxes) box.checked = !filters[set].has(index);
    if (graph.kind === "map") return;
    this.minimum.value = String(filters.minimum);
    this.output.textContent = figure(filters.minimum);
    this.inferred.checked = filters.inferred;
    this.labels.value = filters.labels;
    this.all.checked = filters.all;
  }
}
