// The site's search index for whoever asks: header, explorer. Nothing of it is loaded before that; where it lies, and
// its engine, stands at the page's body.

import {SearchIndex} from "./search-index.js";

let starting = null;

/** The index, ready for a first search; a failure is forgotten, so that the next call tries again. */
export function siteIndex() {
  if (!starting) {
    const { searchIndex, searchEngine } = document.body.dataset;
    const index = new SearchIndex(searchIndex, searchEngine);
    starting = index.start().then(() => index);
    starting.catch(() => { starting = null; });
  }
  return starting;
}

/** Whether the page says where the index lies. */
export function hasSiteIndex() {
  return Boolean(document.body.dataset.searchIndex);
}
