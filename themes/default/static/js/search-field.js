// A search field with suggestions (the combobox pattern of the ARIA practices), used for finding and for path ends.

import {element, shapeIcon} from "./element.js";
import {shapePath} from "./shapes.js";
import {say, count} from "./words.js";

const SUGGESTIONS = 10;
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
    this.found = this.explorer.names.search(this.input.value, SUGGESTIONS);
    this.active = this.found.length ? 0 : -1;
    this.list.replaceChildren(...this.found.map((match, at) => this.option(match, at)));
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
    const details = type ? type.label : count("entity", graph.communities[node].size);
    return element("li", {
      role: "option", id: `${this.list.id}-${at}`, "aria-selected": "false",
      onpointerdown: (event) => event.preventDefault(), onclick: () => this.choose(node),
    },
    shapeIcon(shapePath(type ? type.shape : 0), `sign ${this.explorer.colourClass(node)}`),
    element("span", { dir: "auto", class: "name" }, graph.names[node]),
    alias ? element("span", { dir: "auto", class: "alias" }, alias) : null,
    element("span", { class: "detail" }, details));
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
      if (!this.list.hidden && this.active >= 0) this.choose(this.found[this.active].node);
      else if (this.keep && this.submit) this.submit();
    } else if (event.key === "Escape") {
      if (this.list.hidden) this.explorer.stage.focus();
      this.clear();
      event.stopPropagation();
    }
  }

  choose(node) {
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
