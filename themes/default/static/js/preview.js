// A short preview of an entity while the pointer or the focus rests on its link: from the JSON twin of its page.

const WAIT = 250; // ms before anything is fetched
const LONGEST = 220; // characters of a description

const fetched = new Map();

/** Starts previews for all links marked `data-entity` and for mentions in texts. Nothing happens from disk. */
export function startPreviews() {
  if (!location.protocol.startsWith("http") || !matchMedia("(hover: hover)").matches) return;
  const box = document.createElement("div");
  box.className = "preview";
  box.hidden = true;
  box.setAttribute("role", "status");
  document.body.append(box);
  let timer = 0;
  const begin = (event) => {
    const link = event.target instanceof Element && event.target.closest("a[data-entity], a.mention");
    if (!link) return;
    clearTimeout(timer);
    timer = setTimeout(() => show(box, link), WAIT);
  };
  const end = () => {
    clearTimeout(timer);
    box.hidden = true;
  };
  for (const name of ["mouseover", "focusin"]) document.addEventListener(name, begin);
  for (const name of ["mouseout", "focusout", "scroll"]) document.addEventListener(name, end, {passive: true});
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") end(); });
}

async function show(box, link) {
  const address = new URL(link.href);
  address.hash = "";
  if (!address.pathname.endsWith("/index.html")) address.pathname = address.pathname.replace(/\/?$/, "/index.html");
  if (address.pathname === location.pathname.replace(/\/?$/, "/index.html")) return;
  const entity = await load(address.href.replace(/\.html$/, ".json"));
  if (!entity || !(link.matches(":hover") || link.matches(":focus"))) return;
  const name = document.createElement("b");
  name.dir = "auto";
  name.textContent = entity.name;
  const type = document.createElement("small");
  type.textContent = [entity.type, ...(entity.aliases || []).slice(0, 3)].join(" · ");
  const text = document.createElement("p");
  text.dir = "auto";
  const description = entity.description || sentence(entity);
  text.textContent = description.length > LONGEST ? `${description.slice(0, LONGEST).trimEnd()}…` : description;
  box.replaceChildren(name, type, text);
  box.hidden = false;
  place(box, link);
}

/** The first fact in words, for an entity without a description. */
function sentence(entity) {
  const [fact] = entity.facts || [];
  return fact ? `${fact.subject.name} ${fact.predicate} ${fact.object.name}.` : "";
}

async function load(address) {
  if (!fetched.has(address)) {
    fetched.set(address, fetch(address).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null));
  }
  return fetched.get(address);
}

function place(box, link) {
  const at = link.getClientRects()[0] || link.getBoundingClientRect();
  const left = Math.min(Math.max(16, at.left), innerWidth - box.offsetWidth - 16);
  const below = at.bottom + 8 + box.offsetHeight < innerHeight;
  box.style.left = `${left + scrollX}px`;
  box.style.top = `${(below ? at.bottom + 8 : at.top - box.offsetHeight - 8) + scrollY}px`;
}
