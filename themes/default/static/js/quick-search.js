// The search box of every page: results while typing, in a small panel over the box. Without JavaScript the box is a
// link to the search page, and Enter goes there with it, too. Nothing is loaded before the box is opened.

import {element, shapeIcon} from "./element.js";
import {shapePath} from "./shapes.js";
import {loadScript} from "./scripts.js";
import {hasSiteIndex, siteIndex} from "./site-index.js";
import {markMatches} from "./search-words.js";
import {readWords, say, count} from "./words.js";

const SHOWN = 8;
const PAUSE = 90; // ms after the last key before searching
const KINDS = { d: "search.kind.documents", c: "search.kind.communities" };

class QuickSearch {
  constructor() {
    const { title } = document.querySelector("[data-search]").dataset;
    this.active = -1;
    this.list = element("ul", { role: "listbox", id: "quick-results", "aria-label": title, hidden: true });
    this.input = element("input", {
      type: "search", role: "combobox", "aria-expanded": "false", "aria-controls": "quick-results", "aria-autocomplete": "list",
      "aria-label": title, placeholder: title, autocomplete: "off", spellcheck: "false", dir: "auto",
      oninput: () => this.later(), onkeydown: (event) => this.key(event),
    });
    this.status = element("p", { class: "unseen", role: "status" });
    this.panel = element("div", { class: "quick", role: "search", hidden: true }, this.input, this.list, this.status);
    this.panel.addEventListener("focusout", (event) => {
      if (!this.panel.contains(event.relatedTarget)) this.close();
    });
    document.body.append(this.panel);
  }

  /** Open over a box; `opener` is a link to the search page. */
  open(opener) {
    this.opener = opener;
    this.panel.hidden = false;
    this.place();
    this.input.focus();
    this.start().catch(() => {});
  }

  /** What is shown needs the words of the scripts; what is found, the first part of the index. */
  start() {
    const words = loadScript(document.body.dataset.words).then(() => readWords(document));
    return Promise.all([siteIndex(), words]).then(([index]) => index);
  }

  place() {
    const { panel } = this;
    const box = this.opener.getBoundingClientRect();
    const width = Math.min(Math.max(box.width, 448), document.documentElement.clientWidth - 24);
    const left = Math.min(Math.max(12, box.right - width), document.documentElement.clientWidth - width - 12);
    const fixed = getComputedStyle(this.opener.closest("header") || this.opener).position === "sticky";
    panel.classList.toggle("is-fixed", fixed);
    panel.style.width = `${width}px`;
    panel.style.left = `${box.width > 300 ? Math.min(box.left, left + width) : left}px`;
    panel.style.top = `${Math.max(6, box.top - 4) + (fixed ? 0 : window.scrollY)}px`;
  }

  close() {
    this.panel.hidden = true;
    this.input.value = "";
    this.show("", []);
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.search(), PAUSE);
  }

  async search() {
    const query = this.input.value.trim();
    if (!query) {
      this.show("", []);
      return;
    }
    try {
      const index = await this.start();
      if (query !== this.input.value.trim()) return;
      const found = index.searchNames(query);
      this.show(query, found.slice(0, SHOWN), index.about.types);
      this.status.textContent = found.length ? count("search.count", found.length) : say("search.none.site", { text: query });
      index.loadRest(() => this.later()).catch(() => {});
    } catch (error) {
      console.warn(`search: ${error.message}`);
      this.show(query, []);
    }
  }

  show(query, records, types) {
    this.active = -1;
    const rows = records.map((record) => this.row(record, query, types));
    if (query) rows.push(this.option(this.address(query), element("span", { class: "all" }, say("quick.all", { text: query }))));
    rows.forEach((row, at) => { row.id = `quick-${at}`; });
    this.list.replaceChildren(...rows);
    this.list.hidden = !rows.length;
    this.input.setAttribute("aria-expanded", String(rows.length > 0));
    this.mark();
  }

  row(record, query, types) {
    const type = record.t === "e" ? types[record.y] : null;
    const alias = (record.a || []).find((name) => markMatches(name, query).some(([, matches]) => matches));
    const named = markMatches(record.n, query);
    return this.option(`${document.body.dataset.root}${record.u}`,
      type ? shapeIcon(shapePath(type.shape), "sign") : element("span", { class: "sign" }),
      element("span", { class: "name", dir: "auto" }, ...named.map(([text, hit]) => (hit ? element("mark", {}, text) : text))),
      alias && record.t === "e" && !named.some(([, hit]) => hit) ? element("span", { class: "alias", dir: "auto" }, alias) : null,
      element("span", { class: "detail" }, type ? type.label : say(KINDS[record.t])));
  }

  option(address, ...content) {
    return element("li", { role: "option", "aria-selected": "false" },
      element("a", { href: address, tabindex: -1, onpointerdown: (event) => event.preventDefault() }, ...content));
  }

  address(query) {
    return `${this.opener.href.split("#")[0]}?q=${encodeURIComponent(query)}`;
  }

  mark() {
    [...this.list.children].forEach((row, at) => {
      row.setAttribute("aria-selected", String(at === this.active));
      if (at === this.active) row.scrollIntoView({ block: "nearest" });
    });
    if (this.active >= 0) this.input.setAttribute("aria-activedescendant", `quick-${this.active}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  key(event) {
    if (event.isComposing) return;
    const rows = this.list.children.length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && rows) {
      this.active = this.active < 0 ? (step > 0 ? 0 : rows - 1) : (this.active + step + rows) % rows;
      this.mark();
    } else if (event.key === "Enter") this.go();
    else if (event.key === "Escape") {
      this.close();
      this.opener.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The marked result, else the search page with the query. */
  go() {
    const query = this.input.value.trim();
    if (this.active >= 0) this.list.children[this.active].firstElementChild.click();
    else if (query) window.location.assign(this.address(query));
  }
}

let search = null;

/** Open the search over a box (a link to the search page). */
export function openQuickSearch(opener) {
  if (!hasSiteIndex()) { // a theme whose pages do not say where the index lies
    window.location.assign(opener.href);
    return;
  }
  if (!search) search = new QuickSearch();
  search.open(opener);
}

/** Make all search boxes of the page open the search in place. */
export function startQuickSearch() {
  if (!hasSiteIndex()) return;
  for (const opener of document.querySelectorAll("[data-search]")) {
    opener.addEventListener("click", (event) => {
      if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      openQuickSearch(opener);
    });
  }
}
