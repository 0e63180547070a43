// What the scripts say, in the site's language: the part `[ui]` of i18n/<language>.toml, which the build writes as
// one script for all pages (kgsite/site/assets.py). `{name}` marks what is filled in.

let words = new Map();
let locale = "en";
let plurals = null; // these two are made when they are first needed: that costs more than drawing ten labels
let figures = null;

/** Take the words and the language of the page. */
export function readWords(page) {
  const island = page.getElementById("explorer-words"); // of a page that is one file
  words = new Map(Object.entries(window.kgsiteWords || (island ? JSON.parse(island.textContent) : {})));
  locale = page.documentElement.lang || "en";
  plurals = figures = null;
}

/** A rule of the page's language, or of English when the browser does not know that language. */
function localised(Rules) {
  try {
    return new Rules(locale);
  } catch {
    return new Rules("en");
  }
}

/** The sentence for `key` with its places filled from `values`. */
export function say(key, values) {
  const sentence = words.get(key) || key;
  if (!values) return sentence;
  const filled = new Map(Object.entries(values));
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => (filled.has(name) ? String(filled.get(name)) : whole));
}

/** A number with its unit: `count("relation", 31)` is “31 relations”. */
export function count(noun, number) {
  if (!plurals) plurals = localised(Intl.PluralRules);
  return say(`${noun}.${plurals.select(number) === "one" ? "one" : "other"}`, { count: figure(number) });
}

/** A number as the page's language writes it. */
export function figure(number) {
  if (Number.isInteger(number) && number >= 0 && number < 1000) return String(number);
  if (!figures) figures = localised(Intl.NumberFormat);
  return figures.format(number);
}

/** A name for the middle of a sentence: one written from right to left keeps to itself, and the sentence its order. */
export const inside = (name) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(name) ? `\u2068${name}\u2069` : name);

/** Cut a long name between graphemes, so that no letter loses its accent and no emoji its half. */
export function shorten(name, limit) {
  if (name.length <= limit) return name;
  if (typeof Intl.Segmenter !== "function") return `${Array.from(name).slice(0, limit - 1).join("")}…`;
  const parts = [];
  for (const { segment } of new Intl.Segmenter().segment(name.slice(0, limit * 20))) {
    parts.push(segment);
    if (parts.length > limit) return `${parts.slice(0, limit - 1).join("").trimEnd()}…`;
  }
  return name;
}
