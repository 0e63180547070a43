// The panel beside the drawing: the picture in words, an entity with its relations and quotes, or a path.

import {element, nameElement, shapeIcon, icon} from "./element.js";
import {shapePath} from "./shapes.js";
import {eachLink, factsOf} from "./data.js";
import {entityLink, siteLink} from "./load.js";
import {predicateText} from "./labels.js";
import {summarise} from "./summary.js";
import {say, count, figure} from "./words.js";

const ROWS_AT_ONCE = 60;
const TOP_MEMBERS = 5;

export class Panel {
  constructor(explorer, pathFinder) {
    this.explorer = explorer;
    this.pathFinder = pathFinder;
    this.body = element("div", { class: "panel-body" });
    this.element = element("aside", { class: "explorer-panel", "aria-label": say("panel"), tabindex: "-1" },
      element("button", { type: "button", class: "panel-close", "aria-label": say("close"), onclick: () => explorer.clear() },
        icon("M5 5l10 10M15 5L5 15")),
      this.body, pathFinder.element);
  }

  /** Show what is chosen now. */
  update() {
    const { explorer } = this;
    const { graph, selected } = explorer;
    const parts = [];
    if (explorer.ends) parts.push(this.path());
    if (selected >= 0) parts.push(...(graph.kind === "map" ? this.community(selected) : this.entity(selected)));
    if (!parts.length) parts.push(this.picture());
    this.element.classList.toggle("has-choice", selected >= 0 || Boolean(explorer.ends));
    this.pathFinder.element.hidden = graph.kind === "map";
    this.body.replaceChildren(...parts.filter(Boolean));
    this.element.scrollTop = 0;
  }

  focus() {
    this.element.focus();
  }

  /** How many px of the stage's lower end lie under the panel, which is a sheet on a phone. */
  covers(stage) {
    const sheet = this.element.getBoundingClientRect();
    const below = stage.getBoundingClientRect();
    const over = sheet.height > 0 && sheet.left < below.right - 1 && sheet.right > below.left + 1;
    return over ? Math.max(0, below.bottom - sheet.top) : 0;
  }

  picture() {
    const { explorer } = this;
    const sentences = summarise(explorer.graph, explorer.inPart);
    return element("section", { class: "in-words" },
      element("h2", {}, say("panel.picture")),
      ...sentences.map((sentence) => element("p", {}, sentence)));
  }

  heading(node) {
    const { graph } = this.explorer;
    const type = graph.types[graph.type[node]];
    const aliases = graph.aliases.get(node);
    return element("header", {},
      element("p", { class: "sort" },
        shapeIcon(shapePath(type.shape), `sign ${this.explorer.colourClass(node)}`), type.label),
      nameElement("h2", graph.names[node]),
      aliases ? element("p", { class: "aliases", dir: "auto" }, say("panel.aliases", { names: aliases.join(", ") })) : null);
  }

  entity(node) {
    const { explorer } = this;
    const { graph } = explorer;
    const incoming = [];
    const outgoing = [];
    eachLink(graph, node, (neighbour, link) => {
      for (const fact of factsOf(graph, link)) (graph.source[fact] === node ? outgoing : incoming).push([fact, neighbour]);
    });
    const community = graph.community[node];
    const slug = graph.slugs[node];
    return [
      this.heading(node),
      element("p", { class: "about" }, count("relation", incoming.length + outgoing.length),
        community >= 0 ? [" · ", nameElement("span", graph.communities[community].name)] : null),
      element("p", { class: "choices" },
        slug ? element("a", { class: "as-button primary", href: entityLink(explorer.root, slug) }, say("panel.page")) : null,
        element("button", { type: "button", onclick: () => this.pathFinder.startFrom(node) }, say("panel.path.from"))),
      this.relations("panel.outgoing", outgoing, "outgoing"),
      this.relations("panel.incoming", incoming, "incoming"),
    ];
  }

  relations(title, rows, className) {
    if (!rows.length) return null;
    const { graph } = this.explorer;
    rows.sort((a, b) => (graph.method[a[0]] > 0) - (graph.method[b[0]] > 0) || a[1] - b[1] || a[0] - b[0]);
    const list = element("ul", { class: "fact-list" });
    this.grow(list, rows, 0);
    return element("section", { class: `relations ${className}` },
      element("h3", {}, say(title), " ", element("span", { class: "count" }, figure(rows.length))), list);
  }

  grow(list, rows, from) {
    list.append(...rows.slice(from, from + ROWS_AT_ONCE).map(([fact, other]) => this.row(fact, other)));
    const left = rows.length - from - ROWS_AT_ONCE;
    if (left <= 0) return;
    const more = element("button", { type: "button", class: "show-more" }, say("panel.more", { count: figure(left) }));
    const item = element("li", {}, more);
    more.addEventListener("click", () => {
      item.remove();
      this.grow(list, rows, from + ROWS_AT_ONCE);
    });
    list.append(item);
  }

  /** One relation: its predicate, the other entity (a jump), how it is known, its quotes. */
  row(fact, other) {
    const { explorer } = this;
    const { graph } = explorer;
    const inferred = graph.method[fact] > 0;
    const hidden = !explorer.visible.node[other] || (inferred && !explorer.filters.inferred);
    const quotes = graph.quotes[fact];
    const tags = [
      element("span", { class: "mark-word" }, inferred
        ? say("panel.inferred.method", { method: graph.methods[graph.method[fact]] })
        : say("panel.extracted")),
      hidden ? element("span", { class: "mark-word is-hidden" }, say("panel.hidden")) : null,
    ];
    return element("li", { class: inferred ? "fact-row is-inferred" : "fact-row", "data-fact": fact },
      element("span", { class: "predicate" }, predicateText(graph, fact)), " ",
      element("button", { type: "button", class: "jump", dir: "auto", onclick: () => explorer.select(other, { reveal: true }) },
        graph.names[other]),
      quotes ? this.quotes(fact, quotes, tags) : element("p", { class: "tags" }, ...tags));
  }

  /** How a fact is known and, when opened, the quotes for it. */
  quotes(fact, amount, tags) {
    const holder = element("div", { class: "quotes" });
    const details = element("details", { ontoggle: () => this.openQuotes(details, holder, fact) },
      element("summary", {}, ...tags, element("span", { class: "amount" }, count("panel.quotes", amount))), holder);
    return details;
  }

  async openQuotes(details, holder, fact) {
    if (!details.open || holder.hasChildNodes()) return;
    holder.append(element("p", { class: "note" }, say("panel.quotes.loading")));
    try {
      const quotes = await this.explorer.quotes.of(fact);
      holder.replaceChildren(...quotes.map((quote) => this.quote(quote)));
    } catch {
      holder.replaceChildren(element("p", { class: "note", role: "alert" }, say("panel.quotes.failed")));
    }
  }

  quote(quote) {
    const { graph, root } = this.explorer;
    const document = graph.documents[quote.doc];
    return element("figure", {},
      element("blockquote", { dir: "auto" }, quote.text),
      element("figcaption", {},
        document ? nameElement("cite", document.title) : null,
        quote.page ? `, ${say("panel.page.number", { page: quote.page })}` : null,
        quote.verified === false ? element("span", { class: "mark-word is-hidden" }, say("panel.unverified")) : null,
        quote.href ? [" ", element("a", { href: siteLink(root, quote.href) }, say("panel.passage"))] : null));
  }

  community(index) {
    const { explorer } = this;
    const { graph } = explorer;
    const community = graph.communities[index];
    const links = [];
    eachLink(graph, index, (neighbour, link) => links.push([neighbour, graph.weight[graph.linkFacts[graph.linkStart[link]]]]));
    links.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const entities = count("entity", community.size);
    const jump = ([slug, name]) => element("li", {},
      element("button", { type: "button", class: "jump", dir: "auto", onclick: () => explorer.travel.enter(index, slug) }, name));
    const top = (community.members || []).slice(0, TOP_MEMBERS).map(jump);
    return [
      element("header", {},
        element("p", { class: "sort" }, shapeIcon(shapePath(0), `sign ${explorer.colourClass(index)}`), say("panel.community")),
        nameElement("h2", community.name)),
      element("p", { class: "about" }, entities),
      element("p", { class: "choices" }, community.data
        ? element("button", { type: "button", class: "primary enter", onclick: () => explorer.travel.enter(index) },
          say("panel.enter", { entities })) : null),
      top.length ? element("section", {}, element("h3", {}, say("panel.top")),
        element("ul", { class: "fact-list" }, ...top)) : null,
      links.length ? element("section", { class: "relations" }, element("h3", {}, say("panel.links")),
        element("ul", { class: "fact-list" }, ...links.slice(0, ROWS_AT_ONCE).map(([other, weight]) => element("li", {},
          element("button", { type: "button", class: "jump", dir: "auto", onclick: () => explorer.select(other, { reveal: true }) },
            graph.names[other]), " ",
          element("span", { class: "mark-word" }, count("relation", weight)))))) : null,
    ];
  }

  path() {
    const { explorer } = this;
    const { graph, path, ends } = explorer;
    const title = element("h2", {}, say("path"));
    const clear = element("button", { type: "button", onclick: () => explorer.clearPath() }, say("path.clear"));
    if (!path) {
      const words = explorer.extractedOnly ? "path.none.extracted" : "path.none";
      const between = ends.map((node) => graph.names[node]).join(" – ");
      return element("section", { class: "path-result", role: "status" }, title, element("p", { dir: "auto" }, between),
        element("p", { class: "note" }, say(words)), clear);
    }
    const steps = path.nodes.map((node, at) => element("li", {},
      element("button", { type: "button", class: "jump", dir: "auto", onclick: () => explorer.select(node, { reveal: true }) },
        graph.names[node]),
      at < path.links.length ? element("ul", { class: "fact-list" }, ...this.pathFacts(path.links[at])) : null));
    return element("section", { class: "path-result" }, title,
      element("p", { role: "status" }, count("step", path.links.length)),
      element("ol", { class: "steps" }, ...steps), clear);
  }

  pathFacts(link) {
    const { explorer } = this;
    const { graph } = explorer;
    const facts = Array.from(factsOf(graph, link)).filter((fact) => explorer.usableInPath(fact));
    return facts.map((fact) => element("li", { class: graph.method[fact] > 0 ? "fact-row is-inferred" : "fact-row" },
      nameElement("span", graph.names[graph.source[fact]]), " ",
      element("span", { class: "predicate" }, predicateText(graph, fact)), " ",
      nameElement("span", graph.names[graph.target[fact]]), " ",
      ...this.known(fact)));
  }

  known(fact) {
    const { graph } = this.explorer;
    const method = graph.methods[graph.method[fact]];
    const tag = element("span", { class: "mark-word" }, method ? say("panel.inferred.method", { method }) : say("panel.extracted"));
    return [graph.quotes[fact] ? this.quotes(fact, graph.quotes[fact], [tag]) : element("p", { class: "tags" }, tag)];
  }
}

/** Names of the most connected members: a graph file gives nodes, a map their slugs and names. */
export function topNames(graph, community) {
  const names = graph.kind === "map" ? (community.members || []).map(([, name]) => name) : (community.top || []).map((node) => graph.names[node]);
  return names.slice(0, TOP_MEMBERS);
}
