// The served page's end of the reload channel: reload, swap styles, show progress and errors.
// livereload's protocol (hello, info, reload, alert) with two more fields of our own: build, kgsite.
// Everything from the server is put into the page as text.
(() => {
  "use strict";
  const own = document.currentScript;
  const { token, mount } = own.dataset;
  let build = Number(own.dataset.build);
  let wait = 250; // ms until the next try to connect
  let errors = [];
  const { language, texts } = JSON.parse(document.getElementById("kgsite-words").textContent);
  // A text of the site's language; what is filled in is only ever put into the page as text.
  const t = (key, values = {}) => (texts[key] || key).replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);

  window.kgsite = Object.freeze({ token, mount, language, t });

  // ── elements ──────────────────────────────────────────────────────────────
  const make = (tag, className, text, ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text) element.textContent = text;
    element.append(...children);
    return element;
  };
  const status = make("span", "kgsite-status");
  status.setAttribute("role", "status");
  const corner = make("div", "kgsite-corner", "", status);
  corner.lang = language;
  if (own.dataset.library && !location.pathname.startsWith("/-kgsite/")) {
    const link = make("a", "kgsite-library", t("corner.add"));
    link.href = "/-kgsite/library";
    corner.append(link);
  }
  document.body.append(corner);

  const say = (text, kind = "") => {
    status.textContent = text;
    corner.dataset.kind = kind;
  };

  // ── the error overlay ─────────────────────────────────────────────────────
  const overlay = make("section", "kgsite-overlay");
  overlay.setAttribute("role", "alert");
  overlay.lang = language;
  overlay.hidden = true;
  document.body.append(overlay);

  const source = (lines) => {
    const block = make("pre", "kgsite-source");
    for (const line of lines) {
      const row = make("span", line.hit ? "kgsite-line kgsite-hit" : "kgsite-line");
      row.append(make("span", "kgsite-number", String(line.number)), make("span", "", line.text + "\n"));
      block.append(row);
    }
    return block;
  };

  const problem = (error) => {
    const box = make("article", "kgsite-problem");
    if (error.place) box.append(make("p", "kgsite-place", error.place));
    box.append(make("p", "kgsite-message", error.message));
    if (error.source.length) box.append(source(error.source));
    if (error.hint) box.append(make("p", "kgsite-hint", error.hint));
    return box;
  };

  const showErrors = (list) => {
    errors = list;
    overlay.replaceChildren();
    overlay.hidden = list.length === 0;
    if (!list.length) return;
    const close = make("button", "kgsite-close", t("overlay.hide"));
    close.type = "button";
    close.addEventListener("click", () => { overlay.hidden = true; });
    overlay.append(
      make("h2", "kgsite-title", t("overlay.title")),
      close,
      make("p", "kgsite-note", t("overlay.note")),
      ...list.map(problem),
    );
  };

  // ── what the server is doing ──────────────────────────────────────────────
  const duration = (seconds) => (seconds < 100 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`);
  const progress = (state) => {
    if (state.total === undefined) return state.stage ? `${state.stage} …` : t("corner.building");
    const left = state.left ? `, ${t("corner.left", { time: duration(state.left) })}` : "";
    return `${state.stage} ${state.done}/${state.total} ${state.unit}${left}`;
  };
  const show = (state) => {
    if (!state) return;
    if (state.errors) {
      showErrors(state.errors);
      say(t("corner.not_built"), "bad");
    } else if (state.phase === "building") {
      say(progress(state), "busy");
    } else {
      if (state.phase === "ready") showErrors([]);
      const losses = state.losses || [];
      say(state.message || losses.slice(0, 3).join("\n"), losses.length ? "bad" : "");
    }
    document.dispatchEvent(new CustomEvent("kgsite-state", { detail: state }));
  };

  // ── reload ────────────────────────────────────────────────────────────────
  const isStyle = (link) => link.rel === "stylesheet" && !link.getAttribute("href").startsWith("/-kgsite/");

  // Styles have their hash in their name, so the new names are read from the new page.
  const swapStyles = async () => {
    const answer = await fetch(location.href, { cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = [...page.querySelectorAll("link")].filter(isStyle).map((link) => link.getAttribute("href"));
    const old = [...document.querySelectorAll("link")].filter(isStyle);
    if (fresh.length !== old.length) return location.reload();
    old.forEach((link, at) => {
      if (link.getAttribute("href") === fresh[at]) return;
      const next = link.cloneNode();
      next.href = fresh[at];
      next.addEventListener("load", () => link.remove());
      next.addEventListener("error", () => location.reload());
      link.after(next);
    });
  };

  const reload = (message) => {
    build = message.build ?? build;
    if (location.pathname.startsWith("/-kgsite/")) return; // the library page shows its own progress
    if (message.liveCSS) swapStyles().catch(() => location.reload());
    else location.reload();
  };

  const hear = (event) => {
    const message = JSON.parse(event.data);
    if (message.command === "hello" && message.build !== build) {
      // The site changed between the loading of this page and now, or the server is another one.
      build = message.build;
      if (!location.pathname.startsWith("/-kgsite/")) return location.reload();
    }
    if (message.command === "reload") return reload(message);
    show(message.kgsite);
  };

  const connect = () => {
    const socket = new WebSocket(`ws://${location.host}/-kgsite/livereload`);
    socket.addEventListener("open", () => {
      wait = 250;
      socket.send(JSON.stringify({ command: "hello", protocols: ["http://livereload.com/protocols/official-7"] }));
      socket.send(JSON.stringify({ command: "info", url: location.href }));
      if (!errors.length) say("");
    });
    socket.addEventListener("message", hear);
    socket.addEventListener("close", () => {
      say(t("corner.no_server"), "bad");
      window.setTimeout(connect, wait);
      wait = Math.min(2 * wait, 4000);
    });
  };
  connect();
})();
