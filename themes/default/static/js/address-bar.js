// Keeps the browser's address in step with the explorer.

import {parseFragment, writeState} from "./address.js";

const DELAY = 250; // ms; a slider would otherwise write the address a hundred times

export class AddressBar {
  constructor(explorer) {
    this.explorer = explorer;
    for (const name of ["hashchange", "popstate"]) window.addEventListener(name, () => this.explorer.ready && explorer.restore());
  }

  /** The pairs of the fragment; what was still to be written is forgotten. */
  read() {
    clearTimeout(this.timer);
    return parseFragment(window.location.hash);
  }

  /** Write the state: at once as a `step` that can be gone back from, else a little later in place of the present. */
  write(step) {
    clearTimeout(this.timer);
    if (step) this.writeNow("pushState");
    else this.timer = setTimeout(() => this.writeNow("replaceState"), DELAY);
  }

  writeNow(method) {
    const { explorer } = this;
    if (!explorer.ready) return;
    const view = explorer.camera.touched ? explorer.camera.view : null;
    const fragment = `#${writeState({ ...explorer, entered: explorer.travel.entered, view })}`;
    if (fragment === (window.location.hash || "#")) return;
    window.history[method](null, "", fragment === "#" ? window.location.href.split("#")[0] : fragment);
  }
}
