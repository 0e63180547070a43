// The Ask panel of a served page: ask, read the answer with its citations, go to a citation in the text or the graph.
// Everything from the server is put into the page as text; links are made here, and lead below this site's root only.
(() => {
  "use strict";
  if (!window.kgsite || !window.kgsite.token) return;
  const { token, mount, language, t } = window.kgsite;
  const ADDRESS = "/-kgsite/ask";
  const KEPT = "kgsite-ask"; // session storage: the conversation outlives going to another page
  const MOST_TURNS = 10;
  const INSIDE = /^(?:documents|entities|communities)\/[^:?#\\]*(?:#[\w%.~-]*)?$/;

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
  for (const entry of talk.turns) if (!entry.answer && !entry.error) entry.error = t("ask.left");
  const keep = () => {
    talk.turns = talk.turns.slice(-MOST_TURNS);
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(talk));
    } catch {
      // a full or forbidden storage only means that the next page begins anew
    }
  };

  // ── elements ──────────────────────────────────────────────────────────────
  const opener = button("kgsite-ask-open", t("ask"), () => show(true));
  const log = make("div", "kgsite-ask-log");
  log.setAttribute("aria-live", "polite");
  log.tabIndex = -1;
  const field = make("textarea");
  field.rows = 1;
  field.maxLength = 2000;
  field.setAttribute("aria-label", t("ask.question"));
  field.placeholder = t("ask.placeholder");
  const send = make("button", "kgsite-ask-send", t("ask.send"));
  send.type = "submit";
  let asking = null; // what ends the question that is being answered: the server stops when nobody listens
  const stop = button("", t("ask.stop"), () => asking?.abort());
  stop.hidden = true;
  const form = make("form", "kgsite-ask-form", "", field, send, stop);
  const budget = make("p", "kgsite-ask-budget");
  budget.setAttribute("role", "status");
  const renew = button("", t("ask.new"), () => {
    asking?.abort();
    talk = { ...fresh(), open: true };
    keep();
    draw();
    field.focus();
  });
  const close = button("", t("ask.close"), () => show(false));
  const head = make("div", "kgsite-ask-head", "", make("h2", "", t("ask")), renew, close);
  const panel = make("section", "kgsite-ask", "", head, log, form, budget);
  panel.setAttribute("aria-label", t("ask"));
  panel.lang = opener.lang = language;
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
      asking?.abort();
      opener.focus();
    }
  };

  // ── answers ───────────────────────────────────────────────────────────────
  const fact = (item, id, quoted) => {
    const inferred = item.kind === "inferred";
    const how = inferred ? ` (${t("ask.inferred", { methods: item.methods.join(", ") || t("ask.no_method") })})` : "";
    const row = make("li", inferred ? "kgsite-ask-inferred" : "");
    row.id = `${id}-${item.n}`;
    row.append(make("p", "", `[${item.n}] ${item.subject} · ${item.predicate} · ${item.object}${how}`));
    const quote = item.quotes[0];
    const links = make("p", "kgsite-ask-links");
    if (quote) {
      const first = quoted.get(quote.text);
      const doubt = quote.verified ? "" : ` (${t("ask.unverified")})`;
      const words = first ? t("ask.same", { n: first }) : `“${quote.text}”${doubt}`;
      row.append(make("p", "kgsite-ask-quote", words));
      if (!first) quoted.set(quote.text, item.n);
      const key = quote.page === null ? "ask.in_text" : "ask.in_text.page";
      if (INSIDE.test(quote.href)) links.append(link(t(key, quote), quote.href));
    }
    if (INSIDE.test(item.href)) {
      const slug = item.href.split("/")[1];
      links.append(link(t("ask.in_graph"), `graph/index.html#node=${slug}`));
      links.append(link(t("ask.page_of", { name: item.subject }), item.href));
    }
    row.append(links);
    return row;
  };

  const theme = ({ name, description, members, href }) => {
    const title = INSIDE.test(href) ? link(name, href) : name;
    return make("p", "kgsite-ask-theme", "", title, `: ${description || members.join(", ")}`);
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
      box.append(make("p", "kgsite-ask-note", t("ask.waiting")));
    } else {
      if (answer.answer) box.append(make("p", "kgsite-ask-answer", "", ...cited(answer.answer, id)));
      const reasons = answer.reasons.map(({ code, values }) => t(`why.${code}`, values));
      if (reasons.length) box.append(make("p", "kgsite-ask-note", reasons.join(" ")));
      const removed = Object.entries(answer.removed).map(([kind, n]) => t(`ask.removed.${kind}`, { n }));
      if (removed.length) box.append(make("p", "kgsite-ask-note", t("ask.removed", { what: removed.join(", ") })));
      if (answer.mode !== "answer") box.append(...answer.themes.map(theme));
      const quoted = new Map();
      box.append(make("ol", "kgsite-ask-facts", "", ...answer.facts.map((item) => fact(item, id, quoted))));
      if (answer.mode !== "answer" && answer.more) {
        box.append(make("p", "kgsite-ask-note", t("ask.more", { n: answer.more })));
      }
    }
    return box;
  };

  const draw = () => {
    log.replaceChildren(...talk.turns.map(turn));
    const last = log.lastElementChild;
    if (last) log.scrollTop += last.getBoundingClientRect().top - log.getBoundingClientRect().top; // its question on top
  };

  // The answer as it comes: plain text, its citations not yet links.
  const grow = (text) => {
    const note = log.lastElementChild?.lastElementChild;
    if (!note) return;
    note.className = text ? "kgsite-ask-answer" : "kgsite-ask-note";
    note.textContent = text || t("ask.waiting");
    if (log.scrollHeight - log.scrollTop - log.clientHeight < 80) log.scrollTop = log.scrollHeight;
  };

  // ── the server ────────────────────────────────────────────────────────────
  const taken = (value) => {
    if (value.budget) spent(value);
    if (value.error) throw new Error(value.hint ? `${value.error} (${value.hint})` : value.error);
    return value;
  };
  const headers = { "X-Kgsite-Token": token, "Content-Type": "application/json" };

  // One JSON value a line: texts that grow, then the answer or what went wrong.
  const ask = async (question, signal) => {
    const body = JSON.stringify({ question, conversation: talk.id, stream: true });
    const answer = await fetch(ADDRESS, { method: "POST", headers, body, signal });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      const lines = (rest + (value || "")).split("\n");
      rest = lines.pop();
      for (const line of done ? [...lines, rest] : lines) {
        if (!line) continue;
        const event = taken(JSON.parse(line));
        if (event.text === undefined) return event;
        grow(event.text);
      }
      if (done) throw new Error(t("ask.failed"));
    }
  };

  let model = "";
  const spent = (value) => {
    if (typeof value.model === "string") model = value.model;
    const { requests, max_requests: most, tokens, max_tokens: top } = value.budget;
    const number = (value) => value.toLocaleString(language);
    const of = (used, limit) => (limit ? t("ask.of", { n: number(used), most: number(limit) }) : number(used));
    budget.textContent = model
      ? t("ask.budget", { model, requests: of(requests, most), tokens: of(tokens, top) })
      : t("ask.no_model");
  };

  const state = async () => {
    try {
      taken(await (await fetch(ADDRESS, { headers })).json());
    } catch (error) {
      budget.textContent = error.message;
    }
  };

  const busy = (on) => {
    asking = on ? new AbortController() : null;
    send.disabled = on;
    stop.hidden = !on;
    log.setAttribute("aria-busy", String(on));
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const question = field.value.trim();
    if (!question || send.disabled) return;
    const entry = { question };
    talk.turns.push(entry);
    field.value = "";
    busy(true);
    keep();
    draw();
    try {
      entry.answer = await ask(question, asking.signal);
    } catch (error) {
      entry.error = error.name === "AbortError" ? t("ask.stopped") : error.message;
    }
    busy(false);
    if (!talk.turns.includes(entry)) return; // a new conversation has begun
    keep();
    draw();
    if (entry.error === t("ask.stopped")) state();
    if (!panel.hidden) field.focus();
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
