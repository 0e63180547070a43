// Takes the place of load.js in a page that is one file: graph and quotes are in the page, links stay inside it.

import {Quotes as SiteQuotes, loadGraph as loadSiteGraph, fetchGraph as fetchSiteGraph} from "./load-site.js";

export class Quotes extends SiteQuotes {}

export function loadGraph(root) {
  return loadSiteGraph(root);
}

export function fetchGraph(address) {
  return fetchSiteGraph(address);
}

/** `documents/slug/#p12` is the element `documents/slug/p12` of this page. */
export function siteLink(root, path) {
  const [place, passage] = path.split("#");
  return `#${place.replace(/\/+$/, "")}${passage ? `/${passage}` : ""}`;
}

export function entityLink(root, slug) {
  return siteLink(root, `entities/${encodeURIComponent(slug)}/`);
}
