// Entities beyond the graph that is shown: below a map, the site's own index knows in which community each one is.

import {hasSiteIndex, siteIndex} from "./site-index.js";

/** Whether there is anything beyond what the explorer shows. */
export function reachesBeyond(explorer) {
  return explorer.travel.map !== null && hasSiteIndex();
}

/** Entities of the whole collection that match: [{name, alias, type, community (index into the map), slug}]. */
export async function searchBeyond(explorer, text, limit, again) {
  const index = await siteIndex();
  index.loadRest(again).catch(() => {});
  const { map, entered } = explorer.travel;
  const found = index.searchNames(text).filter((record) => record.t === "e" && record.g < map.size && map.slugs[record.g] !== entered);
  return found.slice(0, limit).map((record) => ({
    name: record.n, alias: null, type: index.about.types[record.y], community: record.g, slug: slugOf(record.u),
  }));
}

/** The slug in the address of an entity's page, `entities/<slug>/index.html`. */
function slugOf(address) {
  return decodeURIComponent(address.split("/")[1]);
}
