// A search field with suggestions (the combobox pattern of the ARIA practices), used for finding and for path ends.

import {element, shapeIcon} from "./element.js";
import {shapePath} from "./shapes.js";
import {reachesBeyond, searchBeyond} from "./far-search.js";
import {say, count} from "./words.js";

const SUGGESTIONS = 10;
const FEW = 3; // communities of a map beside its entities
let fields = 0;

/**
 * A labelled field that suggests nodes of `explorer.graph`; `chosen(node)` hears of a choice. Choosing clears the
 * field unless `keep`, which leaves the name in it.
 */
export class SearchField {
  constructor(explorer, { label, placeholder, keep, chosen }) {
    fields += 1;
    this.explorer = explorer;
    this.keep = keep;
    this.chosen = chosen;
    this.active = -1;
    this.found = [];
    const list = `explorer-suggestions-${fields}`;
    this.input = element("input", {
      type: "text", role: "combobox", "aria-expanded": "false", "aria-controls": list, "aria-autocomplete": "list",
      "aria-label": label, placeholder: placeholder || label, autocomplete: "off", spellcheck: "false", dir: "auto",
      oninput: () => this.suggest(), onkeydown: (event) => this.key(event), onblur: () => this.close(),
      onfocus: () => this.input.value && !this.keep && this.suggest(),
    });
    this.list = element("ul", { id: list, role: "listbox", "aria-label": label, hidden: true });
    this.status = element("span", { class: "visually-hidden", role: "status" });
    this.element = element("div", { class: "search-field" }, this.input, this.list, this.status);
  }

  suggest() {
    this.node = -1;
    const near = this.explorer.names.search(this.input.value, SUGGESTIONS);
    this.show(near);
    if (!this.keep && this.input.value.trim() && reachesBeyond(this.explorer)) this.suggestBeyond(near);
  }

  /** Below a map: entities of other communities join the suggestions when the index has them. */
  async suggestBeyond(near) {
    const text = this.input.value;
    const few = near.slice(0, FEW);
    try {
      const far = await searchBeyond(this.explorer, text, SUGGESTIONS - few.length, () => this.suggest());
      if (text === this.input.value) this.show([...few, ...far]);
    } catch (error) {
      console.warn(`explorer: ${error.message}`);
    }
  }

  show(found) {
    this.found = found;
    this.active = this.found.length ? 0 : -1;
    this.list.replaceChildren(...this.found.map((match, at) => (match.slug ? this.farOption(match, at) : this.option(match, at))));
    const text = this.input.value.trim();
    if (text && !this.found.length) {
      this.list.append(element("li", { class: "nothing", role: "presentation" }, say("search.none", { text })));
    }
    this.status.textContent = text ? count("search.count", this.found.length) : "";
    this.list.hidden = !text;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    this.mark();
  }

  option({ node, alias }, at) {
    const { graph } = this.explorer;
    const type = graph.types[graph.type[node]];
    const detail = type ? type.label : count("entity", graph.communities[node].size);
    const sign = shapeIcon(shapePath(type ? type.shape : 0), `sign ${this.explorer.colourClass(node)}`);
    return this.row(at, sign, graph.names[node], alias, detail);
  }

  /** An entity of another community, with that community's colour and name. */
  farOption({ name, type, community }, at) {
    const { map } = this.explorer.travel;
    const colour = map.communities[community].color;
    const sign = shapeIcon(shapePath(type.shape), `sign ${colour === null ? "cx" : `c${colour % 12}`}`);
    return this.row(at, sign, name, null, map.names[community]);
  }

  row(at, sign, name, alias, detail) {
    return element("li", {
      role: "option", id: `${this.list.id}-${at}`, "aria-selected": "false",
      onpointerdown: (event) => event.preventDefault(), onclick: () => this.choose(this.found[at]),
    },
    sign,
    element("span", { dir: "auto", class: "name" }, name),
    alias ? element("span", { dir: "auto", class: "alias" }, alias) : null,
    element("span", { class: "detail", dir: "auto" }, detail));
  }

  mark() {
    [...this.list.children].forEach((item, at) => {
      item.setAttribute("aria-selected", String(at === this.active));
      if (at === this.active) item.scrollIntoView({ block: "nearest" });
    });
    if (this.active >= 0) this.input.setAttribute("aria-activedescendant", `${this.list.id}-${this.active}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  key(event) {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.found.length) {
      if (this.list.hidden) this.suggest();
      else this.active = (this.active + step + this.found.length) % this.found.length;
      this.mark();
      event.preventDefault();
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (!this.list.hidden && this.active >= 0) this.choose(this.found[this.active]);
      else if (this.keep && this.submit) this.submit();
    } else if (event.key === "Escape") {
      if (this.list.hidden) this.explorer.stage.focus();
      this.clear();
      event.stopPropagation();
    }
  }

  choose({ node, community, slug }) {
    if (slug) {
      this.clear();
      this.explorer.travel.enter(community, slug);
      return;
    }
    this.node = node;
    this.input.value = this.keep ? this.explorer.graph.names[node] : "";
    this.close();
    this.chosen(node);
  }

  /** The node that the field stands for: the chosen one, else the one whose name is written in it, else −1. */
  get value() {
    if (this.node >= 0) return this.node;
    return this.explorer.names.exact(this.input.value);
  }

  set value(node) {
    this.node = node;
    this.input.value = node < 0 ? "" : this.explorer.graph.names[node];
  }

  clear() {
    this.input.value = "";
    this.node = -1;
    this.close();
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}
