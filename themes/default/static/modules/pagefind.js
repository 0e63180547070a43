// Hands Pagefind to the search page: it is an ES module, which the site's classic scripts can't import themselves.

const place = document.getElementById("search").dataset.fullText;

import(new URL(place, document.baseURI).href).then(window.kgsiteFullText, () => window.kgsiteFullText(null));
