// A small card at the pointer: the name of a node, or all relations that one line stands for.

import {element, nameElement} from "./element.js";
import {factsOf} from "./data.js";
import {predicateText} from "./labels.js";
import {say, count, figure} from "./words.js";

const FACTS = 12;

export class Tooltip {
  constructor(explorer) {
    this.explorer = explorer;
    this.element = element("div", { class: "explorer-tooltip", role: "tooltip", hidden: true });
  }

  hide() {
    this.element.hidden = true;
  }

  node(node, x, y) {
    const { graph } = this.explorer;
    const map = graph.kind === "map";
    const details = map ? count("entity", graph.communities[node].size)
      : `${graph.types[graph.type[node]].label} · ${count("relation", this.explorer.relationsOf(node))}`;
    this.place(x, y, nameElement("strong", graph.names[node]), element("span", { class: "detail" }, details));
  }

  link(link, x, y) {
    const { graph, filters } = this.explorer;
    if (graph.kind === "map") {
      const weight = graph.weight[graph.linkFacts[graph.linkStart[link]]];
      const ends = `${graph.names[graph.linkA[link]]} – ${graph.names[graph.linkB[link]]}`;
      this.place(x, y, nameElement("strong", ends), element("span", { class: "detail" }, count("relation", weight)));
      return;
    }
    const facts = Array.from(factsOf(graph, link)).filter((fact) => filters.inferred || !graph.method[fact]);
    const rows = facts.slice(0, FACTS).map((fact) => element("li", { class: graph.method[fact] ? "is-inferred" : null },
      nameElement("span", graph.names[graph.source[fact]]), " ",
      element("em", {}, predicateText(graph, fact)), " ",
      nameElement("span", graph.names[graph.target[fact]]),
      graph.method[fact] ? ` (${say("panel.inferred")})` : null));
    if (facts.length > FACTS) rows.push(element("li", {}, say("panel.more", { count: figure(facts.length - FACTS) })));
    this.place(x, y, element("ul", {}, ...rows));
  }

  place(x, y, ...content) {
    const { width, height } = this.explorer.camera;
    this.element.replaceChildren(...content);
    this.element.hidden = false;
    const box = this.element.getBoundingClientRect();
    this.element.style.left = `${Math.max(4, Math.min(x + 14, width - box.width - 8))}px`;
    this.element.style.top = `${y + 18 + box.height > height ? Math.max(4, y - box.height - 10) : y + 18}px`;
  }
}
