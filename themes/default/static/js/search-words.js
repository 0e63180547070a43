// The words of a text as the site's index knows them; kgsite/site/search.py does the same.

const UNSPACED = "\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff";
const RUNS = /[\p{L}\p{N}]+/gu;
const STRETCHES = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, "gu");
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
const LONGEST = 40;

/** A text without accents and capitals. */
export function foldText(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Words in order; a stretch of a script without spaces gives its pairs of characters. */
export function wordsOf(text) {
  const found = [];
  for (const [run] of foldText(text).matchAll(RUNS)) {
    for (const [stretch] of run.matchAll(STRETCHES)) {
      const letters = Array.from(stretch);
      if (!IS_UNSPACED.test(stretch)) {
        if (letters.length > 1) found.push(letters.slice(0, LONGEST).join(""));
      } else if (letters.length === 1) {
        found.push(stretch);
      } else {
        for (let at = 0; at + 1 < letters.length; at += 1) found.push(letters[at] + letters[at + 1]);
      }
    }
  }
  return found;
}

/** A text cut into pieces that match a query or do not: [[piece, matches], …]. */
export function markMatches(text, query) {
  const wanted = [...foldText(query).matchAll(RUNS)].map(([run]) => run);
  const pieces = [];
  let last = 0;
  for (const match of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const folded = foldText(match[0]);
    const hit = wanted.some((word) => folded.startsWith(word) || (IS_UNSPACED.test(word) && folded.includes(word)));
    if (!hit) continue;
    if (match.index > last) pieces.push([text.slice(last, match.index), false]);
    pieces.push([match[0], true]);
    last = match.index + match[0].length;
  }
  if (last < text.length) pieces.push([text.slice(last), false]);
  return pieces;
}
