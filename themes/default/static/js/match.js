// Finding entities by name while typing: folded, so that accents and capitals do not matter, forgiving one slip.

const MARKS = /\p{M}/gu;

/** A name without accents, capitals and width variants; other scripts keep their letters. */
export function fold(name) {
  return name.normalize("NFKD").replace(MARKS, "").toLowerCase().trim();
}

export class NameIndex {
  constructor(graph) {
    this.entries = [];
    for (let node = 0; node < graph.size; node += 1) {
      this.entries.push({ node, alias: null, folded: fold(graph.names[node]) });
      for (const alias of graph.aliases.get(node) || []) this.entries.push({ node, alias, folded: fold(alias) });
    }
  }

  /** Best matches first, each node once: [{node, alias}] where alias is the other name that matched, or null. */
  search(text, limit) {
    const wanted = fold(text);
    if (!wanted) return [];
    let found = this.rank((entry) => score(entry.folded, wanted));
    if (!found.length && wanted.length > 3) found = this.rank((entry) => (nearly(entry.folded, wanted) ? 5 : -1));
    found.sort((a, b) => a.score - b.score || a.node - b.node);
    return found.slice(0, limit);
  }

  rank(scoreOf) {
    const best = new Map();
    for (const entry of this.entries) {
      const value = scoreOf(entry);
      if (value < 0) continue;
      const known = best.get(entry.node);
      if (!known || value < known.score) best.set(entry.node, { node: entry.node, alias: entry.alias, score: value });
    }
    return [...best.values()];
  }

  /** The node whose name or alias is exactly this text (folded), the most connected one; −1 when there is none. */
  exact(text) {
    const wanted = fold(text);
    const entry = this.entries.find(({ folded, alias }) => folded === wanted && alias === null)
      || this.entries.find(({ folded }) => folded === wanted);
    return entry ? entry.node : -1;
  }
}

function score(folded, wanted) {
  const at = folded.indexOf(wanted);
  if (at < 0) return wanted.split(/\s+/).every((word) => folded.includes(word)) ? 4 : -1;
  if (folded === wanted) return 0;
  if (at === 0) return 1;
  return /[\s\-–—'’.,(/]/.test(folded[at - 1]) ? 2 : 3;
}

/** Whether a word of the name starts like `wanted` with at most one letter added, left out, changed or swapped. */
function nearly(folded, wanted) {
  return folded.split(/\s+/).concat(folded).some((word) =>
    [wanted.length - 1, wanted.length, wanted.length + 1].some((length) => within(word.slice(0, length), wanted)));
}

function within(a, b) {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  const swapped = a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
  return swapped || a.slice(at + 1) === b.slice(at + 1) || a.slice(at) === b.slice(at + 1)
    || a.slice(at + 1) === b.slice(at);
}
