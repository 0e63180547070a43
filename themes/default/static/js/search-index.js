// The site's search index, loaded in parts when they are needed. Its files are classic scripts, so that searching works
// from disk too; the format is described in kgsite/site/search.py.

import {loadScript} from "./scripts.js";
import {wordsOf} from "./search-words.js";

const TEXTS_SHOWN = 20;

// Name of a part → who waits for it. Two scripts of a page may search, so what they wait for is kept in one place.
const waiting = window.kgsiteSearchWaiting || new Map();
window.kgsiteSearchWaiting = waiting;

window.kgsiteSearchShard = function receive(name, data) {
  for (const done of waiting.get(name) || []) done(data);
  waiting.delete(name);
};

export class SearchIndex {
  /** `address` is that of index.js, beside which the other parts lie; `engine` that of MiniSearch. */
  constructor(address, engine) {
    this.address = address;
    this.engine = engine;
    this.parts = new Map();
    this.names = [];
  }

  /** A part of the index; each is loaded once. Rejects when it can't be loaded. */
  part(name) {
    if (!this.parts.has(name)) {
      const loading = this.load(name);
      loading.catch(() => this.parts.delete(name));
      this.parts.set(name, loading);
    }
    return this.parts.get(name);
  }

  load(name) {
    return new Promise((done, failed) => {
      waiting.set(name, [...(waiting.get(name) || []), done]);
      loadScript(this.address.replace(/[^/]*$/, `${name}.js`)).catch(failed);
    });
  }

  /** Load what the first search needs. */
  async start() {
    const engine = window.MiniSearch ? null : loadScript(this.engine);
    this.about = await this.part("index");
    await engine;
    if (this.about.names) await this.loadNames(0);
  }

  /** Load the rest of the names, one file after the other; `loaded()` hears of each. Only the first call does it. */
  async loadRest(loaded) {
    if (this.loadsRest) return;
    this.loadsRest = true;
    for (let number = 1; number < this.about.names; number += 1) {
      await this.loadNames(number);
      loaded();
    }
  }

  async loadNames(number) {
    const records = await this.part(`names-${number}`);
    const engine = new window.MiniSearch({
      fields: ["n", "a"],
      extractField: (record, field) => (field === "a" ? (record.a || []).join(" ") : record[field]),
      tokenize: wordsOf,
      processTerm: (term) => term,
      searchOptions: {
        boost: { n: 2 },
        prefix: true,
        fuzzy: (term) => (term.length > 3 ? 0.2 : false),
        combineWith: "AND",
        boostDocument: (id) => 1 + Math.log10(1 + records[id].w),
      },
    });
    engine.addAll(records.map((record, id) => ({ ...record, id })));
    this.names.push({ engine, records });
  }

  /** Everything with a name that matches, best first: the records of the index. More slips are forgiven at need. */
  searchNames(query) {
    const found = this.matches(query, {});
    return found.length ? found : this.matches(query, { fuzzy: (term) => (term.length > 4 ? 0.4 : false) });
  }

  matches(query, options) {
    const found = [];
    for (const { engine, records } of this.names) {
      for (const { id, score } of engine.search(query, options)) found.push({ record: records[id], score });
    }
    found.sort((a, b) => b.score - a.score || b.record.w - a.record.w);
    return found.map(({ record }) => record);
  }

  /** Descriptions, summaries and quotes that have all words: {rows (the best), count}. */
  async searchTexts(query) {
    const wanted = [...new Set(wordsOf(query))];
    if (!wanted.length || !this.about.words.length) return { rows: [], count: 0 };
    const sets = await Promise.all(wanted.map((word) => this.textsWith(word)));
    const [first, ...others] = sets.sort((a, b) => a.size - b.size);
    const numbers = [...first].filter((number) => others.every((set) => set.has(number))).sort((a, b) => a - b);
    return { rows: await this.rows(numbers.slice(0, TEXTS_SHOWN)), count: numbers.length };
  }

  /** The numbers of the texts that have a word beginning like this. */
  async textsWith(prefix) {
    const { words } = this.about;
    let first = words.length - 1;
    while (first > 0 && words[first] > prefix) first -= 1;
    const found = new Set();
    for (let shard = first; shard < words.length; shard += 1) {
      if (shard > first && !words[shard].startsWith(prefix)) break;
      const { words: listed, texts } = await this.part(`words-${shard}`);
      for (let at = firstFrom(listed, prefix); at < listed.length && listed[at].startsWith(prefix); at += 1) {
        let number = 0;
        for (const step of texts[at]) {
          number += step;
          found.add(number);
        }
      }
    }
    return found;
  }

  async rows(numbers) {
    const { block } = this.about;
    return Promise.all(numbers.map(async (number) => {
      const rows = await this.part(`texts-${Math.floor(number / block)}`);
      return rows[number % block];
    }));
  }
}

function firstFrom(sorted, wanted) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
