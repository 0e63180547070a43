// The Ask panel of a served page: ask, read the answer with its citations, go to a citation in the text or the graph.
// Everything from the server is put into the page as text; links are made here, and lead below this site's root only.
(() => {
  "use strict";
  if (!window.kgsite || !window.kgsite.token) return;
  const { token, mount } = window.kgsite;
  const ADDRESS = "/-kgsite/ask";
  const KEPT = "kgsite-ask"; // session storage: the conversation outlives going to another page
  const MOST_TURNS = 10;
  const INSIDE = /^(?:documents|entities)\/[^:?#\\]*(?:#[\w%.~-]*)?$/;

  const make = (tag, className, text, ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text) element.textContent = text;
    element.append(...children);
    return element;
  };
  const button = (className, text, act) => {
    const element = make("button", className, text);
    element.type = "button";
    element.addEventListener("click", act);
    return element;
  };
  const link = (text, path) => {
    const element = make("a", "", text);
    element.href = mount + path;
    return element;
  };

  // ── the conversation ──────────────────────────────────────────────────────
  const fresh = () => ({ id: String(Math.random()).slice(2), open: false, turns: [] });
  const recall = () => {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEPT));
      return kept && Array.isArray(kept.turns) ? kept : fresh();
    } catch {
      return fresh();
    }
  };
  let talk = recall();
  const keep = () => {
    talk.turns = talk.turns.slice(-MOST_TURNS);
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(talk));
    } catch {
      // a full or forbidden storage only means that the next page begins anew
    }
  };

  // ── elements ──────────────────────────────────────────────────────────────
  const opener = button("kgsite-ask-open", "Ask the graph", () => show(true));
  const log = make("div", "kgsite-ask-log");
  log.setAttribute("aria-live", "polite");
  log.tabIndex = -1;
  const field = make("textarea");
  field.rows = 1;
  field.maxLength = 2000;
  field.setAttribute("aria-label", "Your question");
  field.placeholder = "A question about this graph";
  const send = make("button", "kgsite-ask-send", "Ask");
  send.type = "submit";
  const stop = button("", "Stop", () => call("DELETE").catch(() => {}));
  stop.hidden = true;
  const form = make("form", "kgsite-ask-form", "", field, send, stop);
  const budget = make("p", "kgsite-ask-budget");
  budget.setAttribute("role", "status");
  const renew = button("", "New", () => {
    talk = { ...fresh(), open: true };
    keep();
    draw();
    field.focus();
  });
  const close = button("", "Close", () => show(false));
  const head = make("div", "kgsite-ask-head", "", make("h2", "", "Ask the graph"), renew, close);
  const panel = make("section", "kgsite-ask", "", head, log, form, budget);
  panel.setAttribute("aria-label", "Ask the graph");
  panel.hidden = true;
  document.body.append(opener, panel);

  const show = (open, focus = true) => {
    const was = !panel.hidden;
    panel.hidden = !open;
    opener.hidden = open;
    talk.open = open;
    keep();
    if (open && !was) {
      state();
      if (focus) field.focus();
    } else if (!open && was) {
      opener.focus();
    }
  };

  // ── answers ───────────────────────────────────────────────────────────────
  const WORDS = { citations: "citation of no given fact", links: "address", images: "image", markup: "tag" };
  const fact = (item, id, quoted) => {
    const inferred = item.kind === "inferred";
    const how = inferred ? ` (inferred: ${item.methods.join(", ") || "method not named"})` : "";
    const row = make("li", inferred ? "kgsite-ask-inferred" : "");
    row.id = `${id}-${item.n}`;
    row.append(make("p", "", `[${item.n}] ${item.subject} · ${item.predicate} · ${item.object}${how}`));
    const quote = item.quotes[0];
    const links = make("p", "kgsite-ask-links");
    if (quote) {
      const first = quoted.get(quote.text);
      const words = first ? `same passage as [${first}]` : `“${quote.text}”${quote.verified ? "" : " (not found in the text)"}`;
      row.append(make("p", "kgsite-ask-quote", words));
      if (!first) quoted.set(quote.text, item.n);
      const page = quote.page === null ? "" : `, p. ${quote.page}`;
      if (INSIDE.test(quote.href)) links.append(link(`In the text: ${quote.document}${page}`, quote.href));
    }
    if (INSIDE.test(item.href)) {
      const slug = item.href.split("/")[1];
      links.append(link("In the graph", `graph/index.html#node=${slug}`), link(`Page: ${item.subject}`, item.href));
    }
    row.append(links);
    return row;
  };

  const cited = (text, id) => {
    const parts = [];
    for (const part of text.split(/(\[\d+\])/)) {
      const number = /^\[(\d+)\]$/.exec(part);
      if (!number) {
        parts.push(part);
        continue;
      }
      const mark = make("a", "", part);
      mark.href = `#${id}-${number[1]}`;
      mark.addEventListener("click", (event) => {
        event.preventDefault();
        light(`${id}-${number[1]}`);
      });
      parts.push(mark);
    }
    return parts;
  };

  const light = (id) => {
    for (const lit of panel.querySelectorAll(".kgsite-ask-lit")) lit.classList.remove("kgsite-ask-lit");
    const row = document.getElementById(id);
    if (!row) return;
    row.classList.add("kgsite-ask-lit");
    row.scrollIntoView({ block: "nearest" });
    const first = row.querySelector("a");
    if (first) first.focus();
  };

  const turn = (entry, number) => {
    const id = `kgsite-ask-${number}`;
    const box = make("article", "kgsite-ask-turn", "", make("h3", "", entry.question));
    const { answer } = entry;
    if (entry.error) {
      box.append(make("p", "kgsite-ask-bad", entry.error));
    } else if (!answer) {
      box.append(make("p", "kgsite-ask-note", "…"));
    } else {
      if (answer.answer) box.append(make("p", "kgsite-ask-answer", "", ...cited(answer.answer, id)));
      if (answer.reason) box.append(make("p", "kgsite-ask-note", answer.reason));
      const removed = Object.entries(answer.removed).map(([kind, count]) => `${count} × ${WORDS[kind] || kind}`);
      if (removed.length) box.append(make("p", "kgsite-ask-note", `Removed from the model’s reply: ${removed.join(", ")}`));
      const quoted = new Map();
      box.append(make("ol", "kgsite-ask-facts", "", ...answer.facts.map((item) => fact(item, id, quoted))));
      if (answer.mode !== "answer" && answer.more) {
        box.append(make("p", "kgsite-ask-note", `and ${answer.more} more facts, less close to the question`));
      }
    }
    return box;
  };

  const draw = () => {
    log.replaceChildren(...talk.turns.map(turn));
    log.scrollTop = log.scrollHeight;
    const last = log.lastElementChild;
    if (last) last.scrollIntoView({ block: "nearest" });
  };

  // ── the server ────────────────────────────────────────────────────────────
  const call = async (method, body) => {
    const headers = { "X-Kgsite-Token": token, ...(body ? { "Content-Type": "application/json" } : {}) };
    const answer = await fetch(ADDRESS, { method, headers, body: body ? JSON.stringify(body) : undefined });
    const value = await answer.json();
    if (value.budget) spent(value);
    if (value.error) throw new Error(value.hint ? `${value.error} (${value.hint})` : value.error);
    return value;
  };

  let model = "";
  const spent = (value) => {
    if (typeof value.model === "string") model = value.model;
    const { requests, max_requests: most, tokens, max_tokens: top } = value.budget;
    const of = (used, limit) => (limit ? `${used.toLocaleString()} of ${limit.toLocaleString()}` : used.toLocaleString());
    budget.textContent = model
      ? `${model} · ${of(requests, most)} requests · ${of(tokens, top)} tokens in this run`
      : "No model is set up: the facts nearest to the question are shown.";
  };

  const state = () => call("GET").catch((error) => (budget.textContent = error.message));

  const busy = (on) => {
    send.disabled = on;
    stop.hidden = !on;
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const question = field.value.trim();
    if (!question || send.disabled) return;
    const entry = { question };
    talk.turns.push(entry);
    field.value = "";
    busy(true);
    draw();
    try {
      entry.answer = await call("POST", { question, conversation: talk.id });
    } catch (error) {
      entry.error = error.message;
    }
    busy(false);
    keep();
    draw();
    field.focus();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  panel.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the page's own shortcuts are not meant
    if (event.key === "Escape") show(false);
  });

  draw();
  if (talk.open) show(true, false);
})();
