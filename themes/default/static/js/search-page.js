// The search page: results while typing, grouped by kind, everything by keyboard. The query lives in the address (#q=…).

import {element, nameElement, shapeIcon} from "./element.js";
import {shapePath} from "./shapes.js";
import {SearchIndex} from "./search-index.js";
import {FullText} from "./full-text.js";
import {markMatches} from "./search-words.js";
import {readWords, say, count, figure} from "./words.js";

const PAUSE = 120; // ms after the last key before searching
const KINDS = [["e", "entities", 12], ["d", "documents", 8], ["c", "communities", 6]];

class SearchPage {
  constructor(root) {
    this.root = root;
    this.input = root.querySelector("input[type=search]");
    this.status = element("p", { class: "search-status", role: "status" });
    this.results = element("div", { class: "search-results" });
    root.append(this.status, this.results);
    this.index = new SearchIndex(root.dataset.index, document.body.dataset.searchEngine);
    this.fullText = root.dataset.fullText ? new FullText(root.dataset.fullTextBridge) : null;
    this.input.addEventListener("input", () => this.later());
    this.input.addEventListener("focus", () => this.start());
    root.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.fromAddress());
    this.fromAddress();
  }

  /** Load the index on first use; later calls wait for the same loading. */
  start() {
    if (!this.starting) {
      this.starting = this.index.start().then(() => {
        this.index.loadRest(() => this.later()).catch(() => {});
      });
      this.starting.catch(() => {
        this.starting = null;
        this.status.textContent = say("search.failed");
      });
    }
    return this.starting;
  }

  fromAddress() {
    const asked = new URLSearchParams(window.location.hash.slice(1)).get("q")
      || new URLSearchParams(window.location.search).get("q");
    if (asked === null || asked === this.input.value) return;
    this.input.value = asked;
    this.search();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.search(), PAUSE);
  }

  async search() {
    const query = this.input.value.trim();
    this.root.classList.toggle("has-query", query !== "");
    this.writeAddress(query);
    if (!query) {
      this.results.replaceChildren();
      this.status.textContent = "";
      return;
    }
    try {
      await this.start();
      const names = this.index.searchNames(query);
      const texts = await this.index.searchTexts(query);
      if (query !== this.input.value.trim()) return;
      this.show(query, names, texts);
      if (this.fullText) await this.searchFullText(query, names.length + texts.count);
    } catch (error) {
      this.status.textContent = say("search.failed");
      console.warn(`search: ${error.message}`);
    }
  }

  writeAddress(query) {
    const { hash, pathname, protocol, search } = window.location;
    const fragment = query ? `#q=${encodeURIComponent(query)}` : "";
    if (fragment === hash && !search) return;
    window.history.replaceState(null, "", protocol === "file:" ? fragment || "#" : pathname + fragment);
  }

  /** Passages of the documents join the results when they arrive. */
  async searchFullText(query, others) {
    if (!this.fullText.works) {
      this.results.append(element("p", { class: "search-note" }, say("search.disk")));
      return;
    }
    const { rows, count: documents } = await this.fullText.search(query);
    if (query !== this.input.value.trim()) return;
    const items = rows.map(({ title, url, text }) => this.text({ n: title, u: url, d: text }, query));
    const group = this.group(say("search.kind.fulltext"), documents, items);
    if (group) this.results.append(group);
    if (others + documents) this.status.textContent = count("search.count", others + documents);
  }

  show(query, names, texts) {
    const groups = KINDS.map(([kind, word, most]) => {
      const found = names.filter((record) => record.t === kind);
      return this.group(say(`search.kind.${word}`), found.length, found.slice(0, most).map((record) => this.named(record, query)));
    });
    groups.push(this.group(say("search.kind.texts"), texts.count, texts.rows.map((row) => this.text(row, query))));
    this.results.replaceChildren(...groups.filter(Boolean));
    const total = names.length + texts.count;
    this.status.textContent = total ? count("search.count", total) : say("search.none.site", { text: query });
  }

  group(title, amount, items) {
    if (!items.length) return null;
    return element("section", { class: "search-group" },
      element("h2", {}, title, " ", element("span", { class: "count" }, figure(amount))),
      element("ul", {}, ...items));
  }

  link(address, ...content) {
    return element("a", { href: `${this.root.dataset.root || "./"}${address}` }, ...content);
  }

  named(record, query) {
    const type = record.t === "e" ? this.index.about.types[record.y] : null;
    const aliases = record.t === "e" ? (record.a || []).slice(0, 4).join(", ") : "";
    return element("li", {}, this.link(record.u,
      type ? shapeIcon(shapePath(type.shape), "sign") : null,
      element("span", { class: "name", dir: "auto" }, ...marked(record.n, query)),
      aliases ? element("span", { class: "alias", dir: "auto" }, ...marked(aliases, query)) : null,
      type ? element("span", { class: "detail" }, type.label) : null));
  }

  text(row, query) {
    const quoted = row.t === "q";
    return element("li", { class: quoted ? "is-quote" : null }, this.link(row.u,
      nameElement("span", row.n, "name"),
      element(quoted ? "q" : "span", { class: "passage", dir: "auto" }, ...marked(row.d, query)),
      row.s ? nameElement("span", row.s, "detail") : null));
  }

  /** Arrow keys walk through the results, Escape empties the field. */
  key(event) {
    const links = [...this.results.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "ArrowDown" && links.length) links[Math.min(at + 1, links.length - 1)].focus();
    else if (event.key === "ArrowUp" && at === 0) this.input.focus();
    else if (event.key === "ArrowUp" && at > 0) links[at - 1].focus();
    else if (event.key === "Enter" && document.activeElement === this.input && links.length && !event.isComposing) links[0].click();
    else if (event.key === "Escape") {
      this.input.value = "";
      this.input.focus();
      this.search();
    } else return;
    event.preventDefault();
  }
}

function marked(text, query) {
  return markMatches(text, query).map(([piece, matches]) => (matches ? element("mark", {}, piece) : piece));
}

const root = document.getElementById("search");
if (root) {
  readWords(document);
  new SearchPage(root);
}
