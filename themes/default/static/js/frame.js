// What the explorer consists of and where it stands: toolbar, legend, drawing, panel, table.

import {element} from "./element.js";
import {say} from "./words.js";
import {Camera} from "./camera.js";
import {Painter} from "./draw.js";
import {AddressBar} from "./address-bar.js";
import {Keyboard} from "./keyboard.js";
import {Legend} from "./legend.js";
import {Panel} from "./panel.js";
import {PathFinder} from "./pathfinder.js";
import {Pointer} from "./pointer.js";
import {TableTwin} from "./table.js";
import {Toolbar} from "./toolbar.js";
import {Tooltip} from "./tooltip.js";
import {Travel} from "./travel.js";
import {Viewpoint} from "./viewpoint.js";

/** Build all parts of an explorer and put them in the place of what its page showed before. */
export function buildFrame(explorer) {
  const { root } = explorer;
  explorer.canvas = element("canvas", { "aria-hidden": "true" });
  explorer.overlay = element("canvas", { "aria-hidden": "true", class: "overlay" });
  explorer.hint = element("p", { class: "explorer-hint", hidden: true });
  explorer.message = element("p", { class: "explorer-message", role: "status" }, say("loading"));
  explorer.live = element("p", { class: "visually-hidden", "aria-live": "polite" });
  explorer.tooltip = new Tooltip(explorer);
  explorer.stage = element("div", { class: "explorer-stage", tabindex: 0, role: "application", "aria-label": say("stage") },
    explorer.canvas, explorer.overlay, explorer.tooltip.element, explorer.hint, explorer.message);
  explorer.toolbar = new Toolbar(explorer);
  explorer.legend = new Legend(explorer);
  explorer.pathFinder = new PathFinder(explorer);
  explorer.panel = new Panel(explorer, explorer.pathFinder);
  explorer.painter = new Painter(explorer.canvas, explorer.overlay);
  explorer.painter.onpainted = () => explorer.wasPainted();
  explorer.table = new TableTwin(explorer, document.getElementById("explorer-table"));
  const frame = element("div", { class: "explorer-frame" },
    explorer.toolbar.element, explorer.legend.element, explorer.stage, explorer.toolbar.zoom, explorer.panel.element, explorer.live);
  root.replaceChildren(frame);
  if (!explorer.table.element.isConnected) root.after(explorer.table.element);
  explorer.camera = new Camera(explorer.stage, {
    embedded: root.hasAttribute("data-embedded"), moved: (...change) => explorer.moved(...change), blocked: () => explorer.showHint(),
  });
  explorer.viewpoint = new Viewpoint(explorer);
  explorer.travel = new Travel(explorer);
  explorer.keyboard = new Keyboard(explorer);
  explorer.pointer = new Pointer(explorer);
  explorer.address = new AddressBar(explorer);
}
