// Runs before first paint: the chosen colours, and the clean form of the address.

(function early() {
  const root = document.documentElement;
  try {
    const chosen = localStorage.getItem("kgsite-theme");
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
    else if (chosen === "auto") delete root.dataset.theme; // the reader's system, whatever the publisher chose
  } catch {
    // no storage from disk or in private windows: the system's colours
  }
  root.classList.add("js");
  // Links name index.html so that they work from disk; on a server the folder is the address.
  const {protocol, pathname, search, hash} = location;
  if (protocol.startsWith("http") && pathname.endsWith("/index.html")) {
    history.replaceState(history.state, "", pathname.slice(0, -"index.html".length) + search + hash);
  }
})();
