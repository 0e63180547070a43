// Makes DOM elements from trusted tag and attribute names and untrusted text: text only ever becomes a text node.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with attributes, listeners (`onclick: …`) and children (elements or strings; null is left out).
 * `true` sets an empty attribute; `false` and null leave it away.
 */
export function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

/** A name as it is written, with its own direction and, where known, its own language. */
export function nameElement(tag, name, className) {
  return element(tag, { dir: "auto", class: className || null }, name);
}

/** A 20 × 20 icon from path data, drawn with lines in the colour of the text; hidden from screen readers. */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "path");
  for (const [name, value] of [["viewBox", "0 0 20 20"], ["class", "icon"], ["aria-hidden", "true"]]) {
    svg.setAttribute(name, value);
  }
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** The sign of an entity type: its shape, filled, as SVG. */
export function shapeIcon(path, className) {
  const svg = document.createElementNS(SVG, "svg");
  const outline = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "-1.25 -1.25 2.5 2.5");
  svg.setAttribute("class", className || "sign");
  svg.setAttribute("aria-hidden", "true");
  outline.setAttribute("d", path);
  outline.setAttribute("fill-rule", "evenodd");
  svg.append(outline);
  return svg;
}
