// The form that asks for a path between two entities.

import {element} from "./element.js";
import {SearchField} from "./search-field.js";
import {say} from "./words.js";

export class PathFinder {
  constructor(explorer) {
    this.explorer = explorer;
    const field = (key) => new SearchField(explorer, { label: say(key), keep: true, chosen: () => this.advance() });
    this.from = field("path.from");
    this.to = field("path.to");
    this.from.submit = this.to.submit = () => this.find();
    this.extracted = element("input", { type: "checkbox", onchange: () => explorer.setExtractedOnly(this.extracted.checked) });
    this.note = element("p", { class: "note", role: "alert" });
    this.element = element("form", { class: "path-finder", onsubmit: (event) => { event.preventDefault(); this.find(); } },
      element("h3", {}, say("path")),
      this.from.element, this.to.element,
      element("label", { class: "check" }, this.extracted, say("path.extracted")),
      element("p", { class: "choices" },
        element("button", { type: "submit", class: "primary" }, say("path.find")),
        element("button", { type: "button", onclick: () => this.swap() }, say("path.swap"))),
      this.note);
  }

  /** Put a node at the start and wait for the other end. */
  startFrom(node) {
    this.from.value = node;
    this.to.value = -1;
    this.element.scrollIntoView({ block: "nearest" });
    this.to.input.focus();
  }

  advance() {
    if (this.from.value >= 0 && this.to.value >= 0) this.find();
    else (this.from.value < 0 ? this.from : this.to).input.focus();
  }

  swap() {
    const from = this.from.value;
    this.from.value = this.to.value;
    this.to.value = from;
    if (this.from.value >= 0 && this.to.value >= 0) this.find();
  }

  find() {
    const { from, to } = this;
    this.note.textContent = "";
    const missing = [from, to].find((field) => field.value < 0);
    if (missing) {
      this.note.textContent = say("path.unknown", { name: missing.input.value.trim() });
      missing.input.focus();
    } else if (from.value === to.value) {
      this.note.textContent = say("path.same");
    } else {
      this.explorer.findPath(from.value, to.value);
    }
  }

  /** Show the state of the explorer in the form. */
  update() {
    const { ends, extractedOnly } = this.explorer;
    this.extracted.checked = extractedOnly;
    if (ends) [this.from.value, this.to.value] = ends;
  }
}
