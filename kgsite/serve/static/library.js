// The library page: stage documents, show their plan, start, watch, land on the new page.
(() => {
  "use strict";
  const { token, mount, language, t } = window.kgsite;
  const say = (key, values) => t(`library.${key}`, values);
  const number = (value) => value.toLocaleString(language);
  const at = (id) => document.getElementById(id);
  const bar = at("bar");
  const KEPT = "kgsite-library"; // session storage: the batch outlives a reload of the page
  let batch = "";
  let started = []; // names in content/ of the running batch
  let asked = 0; // the newest plan that was asked for

  const call = async (what, parameters = {}, body = "") => {
    const query = new URLSearchParams(batch ? { batch, ...parameters } : parameters);
    const answer = await fetch(`/-kgsite/api/library/${what}?${query}`, {
      method: "POST", body, headers: { "X-Kgsite-Token": token },
    });
    if (answer.status === 413) throw new Error(say("too_large"));
    const result = await answer.json().catch(() => ({ error: t("ask.failed") }));
    if (result.error) throw new Error(result.hint ? `${result.error} (${result.hint})` : result.error);
    return result;
  };

  let refused = []; // what was wrong with the last documents that were added
  const tell = (...problems) => { at("problems").textContent = [...refused, ...problems].join("\n"); };
  const guarded = (work) => async (event) => {
    try { await work(event); } catch (error) { tell(error.message); }
  };

  // ── adding ────────────────────────────────────────────────────────────────
  const remember = (id) => {
    batch = id;
    try {
      sessionStorage.setItem(KEPT, id);
    } catch {
      // without storage a reload begins anew
    }
  };
  const took = (result) => {
    remember(result.batch);
    at("documents").replaceChildren(...result.files.map((name) => {
      const row = document.createElement("li");
      const drop = document.createElement("button");
      drop.type = "button";
      drop.textContent = say("remove");
      drop.setAttribute("aria-label", say("remove.label", { name }));
      drop.addEventListener("click", guarded(async () => { took(await call("drop", { name })); await plan(); }));
      row.append(name, drop);
      return row;
    }));
    at("start").disabled = result.files.length === 0;
  };

  // One after the other: the first one makes the batch that the others go into.
  let adding = Promise.resolve();
  const add = (files) => (adding = adding.then(() => addAll(files)));
  const addAll = async (files) => {
    refused = [];
    for (const file of files) {
      try {
        if (file.size > Number(at("files").dataset.largest)) throw new Error(say("too_large"));
        took(await call("add", { name: file.name }, file));
      } catch (error) {
        refused.push(`${file.name}: ${error.message}`);
      }
    }
    tell();
    plan().catch((error) => tell(error.message)); // not waited for: more may be added meanwhile
  };

  const plan = async () => {
    const mine = ++asked;
    if (!at("documents").children.length) { at("cost").textContent = say("nothing"); return; }
    at("cost").textContent = say("counting");
    const result = await call("plan");
    if (mine !== asked) return;
    const figures = result.plan;
    const extractor = result.model ? `${result.extractor} (${result.model})` : result.extractor;
    const parts = [say("amount", { chunks: number(figures.chunks ?? 0), tokens: number(figures.tokens ?? 0), extractor })];
    if (figures.requests !== undefined) {
      const { requests, stored, prompt_tokens: prompt, completion_tokens: completion, money } = figures;
      parts.push(say("requests", { n: number(requests), stored: number(stored), prompt: number(prompt), completion: number(completion) }));
      parts.push(money === null ? say("no_price") : say("cost", { cost: money.toLocaleString(language, { minimumFractionDigits: 4 }) }));
    }
    if (result.extractor === "offline") parts.push(say("free"));
    at("cost").textContent = parts.join("\n");
    [...at("documents").children].forEach((row, number) => { row.title = result.documents[number] ?? ""; });
    tell(...result.problems);
  };

  at("files").addEventListener("change", guarded(async (event) => {
    const files = [...event.target.files];
    event.target.value = "";
    await add(files);
  }));
  const zone = at("drop");
  for (const name of ["dragenter", "dragover"]) {
    zone.addEventListener(name, (event) => { event.preventDefault(); zone.classList.add("over"); });
  }
  for (const name of ["dragleave", "drop"]) zone.addEventListener(name, () => zone.classList.remove("over"));
  zone.addEventListener("drop", guarded(async (event) => {
    event.preventDefault();
    await add([...event.dataTransfer.files]);
  }));
  document.addEventListener("paste", guarded(async (event) => {
    const files = [...event.clipboardData.files];
    if (files.length) { event.preventDefault(); await add(files); }
  }));
  at("paste").addEventListener("click", guarded(async () => {
    const text = at("text").value;
    if (!text.trim()) return tell(say("no_text")), at("text").focus();
    await add([new File([text], `${at("title").value.trim() || "Pasted text"}.md`)]);
    at("text").value = at("title").value = "";
  }));
  at("fetch").addEventListener("click", guarded(async () => {
    refused = [];
    tell();
    took(await call("url", {}, at("url").value));
    at("url").value = "";
    await plan();
  }));

  // ── building ──────────────────────────────────────────────────────────────
  const running = (is) => {
    at("start").hidden = is;
    at("cancel").hidden = !is;
    bar.hidden = !is;
    if (is) bar.removeAttribute("value");
  };

  at("start").addEventListener("click", guarded(async () => {
    refused = [];
    tell();
    started = (await call("start")).paths;
    running(true);
    at("phase").textContent = say("waiting");
    at("cancel").focus();
  }));
  at("cancel").addEventListener("click", guarded(async () => {
    at("phase").textContent = say("cancelling");
    await call("cancel");
    await look();
  }));

  const finished = (state) => {
    const pages = state.started.filter((name) => state.addresses[name] !== undefined);
    at("pages").replaceChildren(...pages.map((name) => {
      const row = document.createElement("li");
      const link = document.createElement("a");
      link.href = mount + state.addresses[name];
      link.textContent = name;
      row.append(link);
      return row;
    }));
    at("phase").textContent = say(pages.length ? "done" : "nothing_new");
    if (state.losses.length) tell(...state.losses);
    else if (pages.length === 1) location.assign(mount + state.addresses[pages[0]]);
    remember("");
    at("documents").replaceChildren();
    at("cost").textContent = say("nothing");
    at("start").disabled = true;
  };

  document.addEventListener("kgsite-state", ({ detail: state }) => {
    if (!started.length) return;
    if (state.phase === "building") {
      at("phase").textContent = state.total === undefined ? state.stage ?? say("building")
        : `${state.stage}: ${state.done} of ${state.total} ${state.unit} ${state.label ?? ""}`;
      if (state.total) { bar.max = state.total; bar.value = state.done; } else bar.removeAttribute("value");
      return;
    }
    look().catch((error) => tell(error.message));
  });

  // Whether the build of our documents is over, and how it ended.
  const look = async () => {
    const known = await call("state");
    if (known.running || !started.length) return;
    started = [];
    running(false);
    if (known.outcome === "ready") return finished(known);
    at("phase").textContent = say(known.outcome === "stopped" ? "cancelled" : "failed");
    took(known);
    at("start").focus();
    await plan();
  };

  const recall = async () => {
    try {
      batch = sessionStorage.getItem(KEPT) || "";
    } catch {
      // no storage, no memory
    }
    if (!batch) return;
    try {
      const known = await call("state");
      took(known);
      if (known.running || known.outcome === "ready") {
        started = known.started;
        running(true);
        return await look();
      }
    } catch {
      return remember(""); // of an earlier run of the server
    }
    await plan();
  };
  recall().catch((error) => tell(error.message));
})();
