// The documents' whole text, searched by Pagefind: an ES module with its own index, loaded when someone searches.

const DOCUMENTS = 8; // shown at most
const PASSAGES = 3; // of each
const BEFORE = 12; // words of a passage before the first that matches
const LONGEST = 44;

export class FullText {
  /** `bridge` is the address of modules/pagefind.js. */
  constructor(bridge) {
    this.bridge = bridge;
  }

  /** Whether it can work here: from disk a browser loads no module. */
  get works() {
    return window.location.protocol.startsWith("http");
  }

  start() {
    if (!this.starting) {
      this.starting = new Promise((done, failed) => {
        window.kgsiteFullText = (pagefind) => (pagefind ? done(pagefind) : failed(new Error("Pagefind could not be loaded")));
        const script = document.createElement("script");
        script.type = "module";
        script.src = this.bridge;
        script.onerror = () => failed(new Error(`${script.src} could not be loaded`));
        document.head.append(script);
      });
    }
    return this.starting;
  }

  /** {rows: [{title, url, text}] (passages of the best documents), count: documents that match}. */
  async search(query) {
    const pagefind = await this.start();
    const { results } = await pagefind.search(query);
    const pages = await Promise.all(results.slice(0, DOCUMENTS).map((result) => result.data()));
    return { rows: pages.flatMap(passagesOf), count: results.length };
  }
}

/** The passages of a page with the most matches, in the order of the text. */
function passagesOf(page) {
  const words = page.raw_content ? page.raw_content.split(/\s+/) : page.plain_excerpt.split(/\s+/);
  const found = new Map(); // passage → {anchor, first, score}
  for (const { location, balanced_score: score } of page.weighted_locations) {
    const anchor = anchorAt(page.anchors, location);
    const id = anchor ? anchor.id : "";
    const passage = found.get(id) || { anchor, first: location, score: 0 };
    passage.first = Math.min(passage.first, location);
    passage.score += score;
    found.set(id, passage);
  }
  const best = [...found.values()].sort((a, b) => b.score - a.score || a.first - b.first).slice(0, PASSAGES);
  const address = (page.raw_url || page.url).replace(/^\/+/, "");
  return best.sort((a, b) => a.first - b.first).map(({ anchor, first }) => ({
    title: page.meta.title,
    url: anchor ? `${address}#${encodeURIComponent(anchor.id)}` : address,
    text: excerpt(words, Math.max(anchor ? anchor.location : 0, first - BEFORE)),
  }));
}

/** The last element with an id that begins at or before a word. */
function anchorAt(anchors, location) {
  let best = null;
  for (const anchor of anchors) if (anchor.location <= location && (!best || anchor.location >= best.location)) best = anchor;
  return best;
}

function excerpt(words, start) {
  const end = Math.min(words.length, start + LONGEST);
  return `${start > 0 ? "… " : ""}${words.slice(start, end).join(" ")}${end < words.length ? " …" : ""}`;
}
