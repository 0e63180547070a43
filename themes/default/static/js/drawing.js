// Makes the small one-hop drawings live: pointing at a neighbour, or moving the focus to it, lights its link and fades
// the rest; arrow keys walk from neighbour to neighbour. The drawings are whole without it.

const STEPS = new Map([["ArrowDown", 1], ["ArrowRight", 1], ["ArrowUp", -1], ["ArrowLeft", -1]]);

/** Start all drawings of the page. */
export function startDrawings() {
  for (const drawing of document.querySelectorAll("svg.drawing.one-hop")) start(drawing);
}

function start(drawing) {
  const neighbours = [...drawing.querySelectorAll("a")];
  const links = [...drawing.querySelectorAll("path.e")]; // one for each neighbour, in the same order
  if (!neighbours.length || neighbours.length !== links.length) return;
  const light = (lit) => {
    drawing.classList.toggle("is-lit", lit >= 0);
    neighbours.forEach((neighbour, at) => neighbour.classList.toggle("lit", at === lit));
    links.forEach((link, at) => link.classList.toggle("lit", at === lit));
  };
  neighbours.forEach((neighbour, at) => {
    neighbour.addEventListener("pointerenter", () => light(at));
    neighbour.addEventListener("focus", () => light(at));
    neighbour.addEventListener("pointerleave", () => light(neighbours.indexOf(document.activeElement)));
    neighbour.addEventListener("blur", () => light(-1));
  });
  drawing.addEventListener("keydown", (event) => {
    const step = STEPS.get(event.key);
    const at = neighbours.indexOf(document.activeElement);
    if (!step || at < 0) return;
    neighbours[(at + step + neighbours.length) % neighbours.length].focus();
    event.preventDefault();
  });
}
