// Where graph and quotes come from: data islands in the page (so that it works from disk), else files beside it.

import {readGraph} from "./data.js";

/** The graph of the page: its island `graph-data`, else the file that `data-graph` names. Rejects when neither works. */
export async function loadGraph(root) {
  const island = document.getElementById("graph-data");
  if (island) return readGraph(JSON.parse(island.textContent));
  return fetchGraph(root.dataset.graph);
}

/** A graph file by address; its quotes and further files are relative to it. */
export async function fetchGraph(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  const graph = readGraph(await response.json());
  graph.base = new URL(address, document.baseURI).href;
  return graph;
}

const QUOTES_A_FILE = 256;

/** Quotes of facts, by shards of 256 source nodes; each file is fetched once, when a panel first asks. */
export class Quotes {
  constructor(graph) {
    this.graph = graph;
    this.shards = new Map();
    const island = graph.base ? null : document.getElementById("quote-data");
    this.embedded = island ? JSON.parse(island.textContent) : null;
  }

  /** The quotes of one fact: [{text, doc, page, chunk, href, verified}]. Rejects when the file can't be fetched. */
  async of(fact) {
    if (this.embedded) return own(this.embedded, fact);
    const shard = Math.floor(this.graph.source[fact] / QUOTES_A_FILE);
    if (!this.shards.has(shard)) {
      const loading = this.fetchShard(shard);
      loading.catch(() => this.shards.delete(shard));
      this.shards.set(shard, loading);
    }
    return own(await this.shards.get(shard), fact);
  }

  async fetchShard(shard) {
    const folder = (this.graph.quotesFolder || "q/").replace(/\/?$/, "/");
    const response = await fetch(new URL(`${folder}${shard}.json`, this.graph.base || document.baseURI));
    if (!response.ok) throw new Error(`quotes ${shard}: ${response.status}`);
    return response.json();
  }
}

function own(quotes, fact) {
  return Object.hasOwn(quotes, String(fact)) ? quotes[String(fact)] : [];
}

/**
 * A page of the site as a link from this page. It names index.html in full, as all links of the site do, so that it
 * works from disk; it is always relative, so that no text of a graph becomes a scheme.
 */
export function siteLink(root, path) {
  const [place, fragment] = path.split("#");
  const file = place.endsWith("/") ? `${place}index.html` : place;
  return `${root.dataset.root || "./"}${file}${fragment ? `#${fragment}` : ""}`;
}

export function entityLink(root, slug) {
  return siteLink(root, `entities/${encodeURIComponent(slug)}/`);
}
