// What every page does with JavaScript: colours, search key, filter box, copy button. Pages read without it.

import {startDrawings} from "./drawing.js";
import {startPreviews} from "./preview.js";
import {openQuickSearch, startQuickSearch} from "./quick-search.js";

const MODES = ["auto", "light", "dark"];

function startModeSwitch() {
  const button = document.querySelector("[data-mode]");
  if (!button) return;
  const root = document.documentElement;
  const label = () => {
    const text = button.dataset[root.dataset.theme || "auto"];
    button.setAttribute("aria-label", text);
    button.title = text;
  };
  button.hidden = false;
  label();
  button.addEventListener("click", () => {
    const next = MODES[(MODES.indexOf(root.dataset.theme || "auto") + 1) % MODES.length];
    if (next === "auto") delete root.dataset.theme;
    else root.dataset.theme = next;
    try {
      localStorage.setItem("kgsite-theme", next);
    } catch {
      // the choice holds for this page
    }
    label();
    root.dispatchEvent(new CustomEvent("themechange"));
  });
}

function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

function startSearchKey() {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.defaultPrevented || document.getElementById("explorer")) return;
    const box = document.querySelector("main input[type=search]:not([data-filter] input)");
    const link = document.querySelector("[data-search]");
    event.preventDefault();
    if (box) box.focus();
    else if (link) openQuickSearch(link);
  });
}

function startFilter() {
  const label = document.querySelector("[data-filter]");
  const list = document.querySelector("[data-filter-list]");
  if (!label || !list) return;
  const input = label.querySelector("input");
  const output = label.querySelector("output");
  const items = [...list.querySelectorAll(".list > li")].map((node) => ({node, text: fold(node.textContent)}));
  const groups = [...list.querySelectorAll(".group")];
  label.hidden = items.length < 8;
  input.addEventListener("input", () => {
    const wanted = fold(input.value.trim());
    let shown = 0;
    for (const {node, text} of items) {
      node.hidden = !text.includes(wanted);
      if (!node.hidden) shown += 1;
    }
    for (const group of groups) group.hidden = !group.querySelector("li:not([hidden])");
    output.textContent = wanted ? `${shown} / ${items.length}` : "";
  });
}

function fold(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function startCopy() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    const source = document.querySelector(button.dataset.copy);
    if (!source || !navigator.clipboard) continue;
    button.hidden = false;
    const name = button.textContent;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(source.textContent.trim());
      button.textContent = button.dataset.done;
      setTimeout(() => { button.textContent = name; }, 2000);
    });
  }
}

/** A link to a passage shows it, in whichever version of the text it is. */
function startPassages() {
  const show = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const original = document.getElementById("version-original");
    if (target && original && target.closest(".original")) original.checked = true;
  };
  show();
  addEventListener("hashchange", show);
}

startModeSwitch();
startSearchKey();
startQuickSearch();
startFilter();
startCopy();
startPassages();
startPreviews();
startDrawings();
