// Between the map of a large collection and the communities that it is made of.

import {fetchGraph} from "./load.js";
import {communityAsked} from "./address.js";
import {say} from "./words.js";

export class Travel {
  constructor(explorer) {
    this.explorer = explorer;
    this.map = null; // the map that communities are entered from
    this.entered = null; // slug of the community that is shown
    this.asked = null; // slug of the one that is being fetched
  }

  /** Show what the address asks for: the graph that the page brought, or a community of it when that is a map. */
  async begin(graph, pairs) {
    if (graph.kind === "map") this.map = graph;
    const asked = communityAsked(pairs);
    if (this.map && asked !== null && this.map.indexOf.has(asked)) await this.open(asked);
    else this.explorer.open(graph);
  }

  /** Enter a community of the map, with one of its entities selected when `slug` names it. */
  async enter(index, slug) {
    const { explorer } = this;
    try {
      await this.open(this.map.slugs[index]);
    } catch (error) {
      explorer.announce(say("loading.failed"));
      console.warn(`explorer: ${error.message}`);
      return;
    }
    this.arrive(slug);
  }

  leave() {
    const slug = this.entered;
    this.asked = this.entered = null;
    this.explorer.open(this.map);
    this.arrive(slug);
  }

  arrive(slug) {
    const { explorer } = this;
    explorer.restoreFrom(new Map(slug ? [["node", encodeURIComponent(slug)]] : []));
    explorer.stage.focus();
    explorer.writeAddress(true);
  }

  /** Fetch and open a community; when another one was asked for meanwhile, that one wins. */
  async open(slug) {
    this.asked = slug;
    const community = this.map.communities[this.map.indexOf.get(slug)];
    const graph = await fetchGraph(new URL(community.data, this.map.base || document.baseURI).href);
    if (this.asked !== slug) return;
    this.entered = slug;
    this.explorer.open(graph);
  }

  /** Be where the address says now. */
  async follow(pairs) {
    const asked = this.map ? communityAsked(pairs) : null;
    if (!this.map || asked === this.entered) return;
    if (asked !== null && this.map.indexOf.has(asked)) {
      await this.open(asked).catch((error) => console.warn(`explorer: ${error.message}`));
    } else {
      this.entered = null;
      this.explorer.open(this.map);
    }
  }
}
