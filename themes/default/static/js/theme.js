// Colours of the drawing, read from the site's custom properties, so that a theme changes them in one place.

const LIGHT = {
  ink: "#1d1d22", paper: "#fdfdfb", muted: "#646a75", line: "#d9d8d2", accent: "#1f5fbf", grey: "#8b93a1",
  communities: ["#3f68d0", "#d97f0a", "#2c9f63", "#d2425a", "#8d5bc4", "#1896a8", "#a87a16", "#c0509b", "#5d6f83",
    "#6f9020", "#9c6749", "#3a7fb5"],
};
const DARK = {
  ink: "#eceae4", paper: "#14171c", muted: "#9aa3b0", line: "#333a45", accent: "#7fb0ff", grey: "#768090",
  communities: ["#6f93f5", "#f0a03c", "#4cc388", "#ee6e80", "#b48be6", "#3fc0d0", "#d0a444", "#e07fc0", "#8ea2b8",
    "#9cc24a", "#c8937a", "#66a9dd"],
};

/** Whether the page is dark now: its `data-theme`, else what the system says. */
export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "dark" || chosen === "light") return chosen === "dark";
  return window.matchMedia("(prefers-color-scheme: dark)").matches;
}

/** The palette of the moment: {ink, paper, muted, line, accent, grey, communities[12], fontUi, dark}. */
export function readPalette(root) {
  const style = getComputedStyle(root);
  const dark = isDark();
  const fallback = dark ? DARK : LIGHT;
  const read = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
  return {
    dark,
    ink: read("--ink", fallback.ink),
    paper: read("--stage", read("--paper", fallback.paper)),
    muted: read("--muted", read("--soft", fallback.muted)),
    line: read("--line", fallback.line),
    accent: read("--accent", fallback.accent),
    grey: read("--cx", fallback.grey),
    communities: fallback.communities.map((colour, at) => read(`--c${at}`, colour)),
    font: style.fontFamily || "system-ui, sans-serif",
  };
}

/** Calls `changed` when the page turns light or dark, by switch or by the system. */
export function watchTheme(changed) {
  new MutationObserver(changed).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

/** The colour of a community (an index into graph.communities, or −1). */
export function communityColour(palette, graph, community) {
  const number = community < 0 ? null : graph.communities[community].color;
  return number === null || number === undefined ? palette.grey : palette.communities[number % 12];
}
