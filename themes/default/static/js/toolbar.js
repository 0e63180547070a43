// The bar above the drawing: search, what is shown, and what can be done with the whole view.

import {element, icon} from "./element.js";
import {SearchField} from "./search-field.js";
import {counted} from "./summary.js";
import {download, fileName, viewPng, viewSvg, visibleCsv, visibleJson} from "./export.js";
import {say} from "./words.js";

const ICONS = {
  in: "M10 4v12M4 10h12",
  out: "M4 10h12",
  fit: "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4M7.5 10a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0",
  full: "M3 8V3h5M12 3h5v5M17 12v5h-5M8 17H3v-5M3 3l5 5M17 3l-5 5M17 17l-5-5M3 17l5-5",
  help: "M7.2 7.4a2.8 2.8 0 1 1 4.3 2.3c-1 .7-1.5 1.2-1.5 2.3M10 15.2v.3",
  legend: "M3 5h2M3 10h2M3 15h2M8 5h9M8 10h9M8 15h9",
  export: "M10 3v9M6 8.5l4 4l4-4M3 14v3h14v-3",
  back: "M12 4l-6 6l6 6",
};

export class Toolbar {
  constructor(explorer) {
    this.explorer = explorer;
    const hasKeys = window.matchMedia("(hover: hover)").matches;
    explorer.searchField = new SearchField(explorer, {
      label: say("search"), placeholder: hasKeys ? `${say("search")}  ( ${say("search.key")} )` : say("search"),
      chosen: (node) => explorer.select(node, { reveal: true, focus: true }),
    });
    this.count = element("p", { class: "explorer-count", role: "status" });
    this.back = button("back", "back", () => explorer.travel.leave(), say("back"));
    this.legend = button("legend", "legend", () => explorer.toggleLegend(), say("legend"));
    this.legend.setAttribute("aria-controls", "explorer-legend");
    this.element = element("div", { class: "explorer-toolbar" },
      this.back, explorer.searchField.element, this.legend, this.count, this.exportMenu(),
      button("help", "help", () => explorer.keyboard.showHelp()),
      (this.full = button("full", "fullscreen", () => explorer.toggleFullscreen())));
    this.zoom = element("div", { class: "explorer-zoom", role: "group" },
      button("in", "zoom.in", () => explorer.camera.zoomBy(1.5)),
      button("out", "zoom.out", () => explorer.camera.zoomBy(1 / 1.5)),
      button("fit", "zoom.fit", () => explorer.viewpoint.fit()));
    document.addEventListener("fullscreenchange", () => {
      const words = say(document.fullscreenElement ? "fullscreen.leave" : "fullscreen");
      this.full.setAttribute("aria-label", words);
      this.full.title = words;
    });
  }

  exportMenu() {
    const { explorer } = this;
    const name = (ending) => fileName(explorer.graph.title || document.title, ending);
    const entries = [
      ["export.png", async () => download(await viewPng(explorer), "image/png", name("png"))],
      ["export.svg", () => download(viewSvg(explorer), "image/svg+xml", name("svg"))],
      ["export.json", () => download(visibleJson(explorer), "application/json", name("json"))],
      ["export.csv", () => download(visibleCsv(explorer), "text/csv", name("csv"))],
      ["export.link", () => this.copyLink()],
    ];
    this.menu = element("details", { class: "export-menu", onkeydown: (event) => this.menuKey(event) },
      element("summary", { class: "as-button" }, icon(ICONS.export), element("span", { class: "wide" }, say("export"))),
      element("ul", {}, ...entries.map(([key, run]) => element("li", {},
        element("button", { type: "button", class: key.replace(".", "-"), onclick: () => { this.menu.open = false; run(); } }, say(key))))));
    document.addEventListener("pointerdown", (event) => {
      if (!this.menu.contains(event.target)) this.menu.open = false;
    });
    return this.menu;
  }

  menuKey(event) {
    if (event.key !== "Escape" || !this.menu.open) return;
    this.menu.open = false;
    this.menu.firstElementChild.focus();
    event.stopPropagation();
  }

  async copyLink() {
    this.explorer.address.writeNow("replaceState");
    try {
      await navigator.clipboard.writeText(window.location.href);
      this.explorer.announce(say("export.copied"));
    } catch {
      this.explorer.announce(window.location.href);
    }
  }

  update() {
    const { explorer } = this;
    this.count.textContent = counted(explorer.graph, explorer.visible);
    this.back.hidden = !explorer.travel.entered;
  }
}

function button(name, key, run, words) {
  return element("button", {
    type: "button", class: `tool tool-${name}`, "aria-label": say(key), title: say(key), onclick: run,
  }, icon(ICONS[name]), words ? element("span", { class: "wide" }, words) : null);
}
