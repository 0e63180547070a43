// The view as an SVG document: the same scene and labels as on the canvas, as text.

import {projectScene, linkStrength, linkWidth, arrowHead} from "./scene.js";
import {shapePath} from "./shapes.js";
import {communityColour} from "./theme.js";
import {isRightToLeft} from "./labels.js";
import {curvesOf, isApart} from "./parallel.js";

const XML = new Map([["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"], ['"', "&quot;"]]);

/** Text for XML: special characters as entities, characters that XML 1.0 does not allow left out. */
function escape(text) {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "").replace(/[&<>"]/g, (sign) => XML.get(sign));
}

const round = (value) => String(Math.round(value * 10) / 10);

/** An SVG document (text) of a scene, as large as the view. */
export function writeSvg(scene, labels, width, height, title) {
  const view = projectScene(scene, scene.transform, width, height, 0);
  const { palette } = scene;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`,
    ` font-family="${escape(palette.font)}">\n<title>${escape(title)}</title>\n`,
    `<rect width="${width}" height="${height}" fill="${escape(palette.paper)}"/>\n`,
    `<g fill="none">\n${linkLines(scene, view)}</g>\n`,
    `<g>\n${nodeShapes(scene, view)}</g>\n`,
    `<g stroke="${escape(palette.paper)}" stroke-width="3.5" stroke-linejoin="round" paint-order="stroke">\n`,
    `${labels.map((label) => labelText(label, palette)).join("")}</g>\n</svg>\n`,
  ].join("");
}

function linkLines(scene, view) {
  const { graph, visible, emphasis, palette } = scene;
  const { sx, sy, sr } = view;
  return view.links.map((link) => {
    if (isApart(scene, link)) return apartLines(scene, view, link);
    const [a, b] = [graph.linkA[link], graph.linkB[link]];
    const bright = emphasis && emphasis.link[link];
    const colour = escape(bright ? palette.accent : palette.muted);
    const opacity = round(bright ? 0.9 : emphasis ? 0.14 : linkStrength(view.links.length));
    const dash = visible.link[link] === 2 ? ' stroke-dasharray="5 4"' : "";
    const path = a === b
      ? `M${round(sx[a])} ${round(sy[a])}m${round(-sr[a])} 0a${round(sr[a])} ${round(sr[a] * 1.5)} 0 1 1 ${round(2 * sr[a])} 0`
      : `M${round(sx[a])} ${round(sy[a])}L${round(sx[b])} ${round(sy[b])}`;
    const line = `<path d="${path}" stroke="${colour}" stroke-opacity="${opacity}"`
      + ` stroke-width="${bright ? 1.7 : linkWidth(view.links.length)}"${dash}/>\n`;
    return line + arrows(scene, view, link, colour, opacity);
  }).join("");
}

/** Parallel relations as curves of their own. */
function apartLines(scene, view, link) {
  const { emphasis, palette } = scene;
  const bright = emphasis && emphasis.link[link];
  const colour = escape(bright ? palette.accent : palette.muted);
  const opacity = round(bright ? 0.9 : emphasis ? 0.14 : linkStrength(view.links.length));
  return curvesOf(scene, view, link).map((curve) => {
    const corners = arrowHead(curve.cx, curve.cy, curve.x1, curve.y1, curve.r, 6).map(round);
    return `<path d="M${round(curve.x0)} ${round(curve.y0)}Q${round(curve.cx)} ${round(curve.cy)} ${round(curve.x1)} ${round(curve.y1)}"`
      + ` stroke="${colour}" stroke-opacity="${opacity}"${curve.inferred ? ' stroke-dasharray="5 4"' : ""}/>\n`
      + `<path d="M${corners[0]} ${corners[1]}L${corners[2]} ${corners[3]}L${corners[4]} ${corners[5]}Z" fill="${colour}"`
      + ` fill-opacity="${opacity}"/>\n`;
  }).join("");
}

function arrows(scene, view, link, colour, opacity) {
  const { graph, visible } = scene;
  const { sx, sy, sr } = view;
  const [a, b] = [graph.linkA[link], graph.linkB[link]];
  if (a === b || graph.kind === "map") return "";
  const head = (from, to) => {
    const corners = arrowHead(sx[from], sy[from], sx[to], sy[to], sr[to], 6).map(round);
    return `<path d="M${corners[0]} ${corners[1]}L${corners[2]} ${corners[3]}L${corners[4]} ${corners[5]}Z" fill="${colour}"`
      + ` fill-opacity="${opacity}"/>\n`;
  };
  return (visible.arrows[link] & 1 ? head(a, b) : "") + (visible.arrows[link] & 2 ? head(b, a) : "");
}

function nodeShapes(scene, view) {
  const { graph, emphasis, palette } = scene;
  return view.nodes.map((node) => {
    const shape = graph.types.length ? graph.types[graph.type[node]].shape : 0;
    const faint = emphasis && !emphasis.node[node] ? ' fill-opacity="0.22"' : "";
    const chosen = node === scene.selected ? ` stroke="${escape(palette.accent)}" stroke-width="3"` : "";
    return `<path d="${shapePath(shape, view.sx[node], view.sy[node], view.sr[node])}" fill-rule="evenodd"`
      + ` fill="${escape(communityColour(palette, graph, graph.community[node]))}"${faint}${chosen}>`
      + `<title>${escape(graph.names[node])}</title></path>\n`;
  }).join("");
}

function labelText(label, palette) {
  const anchor = { left: "start", right: "end", center: "middle" }[label.align];
  const rtl = isRightToLeft(label.text);
  const side = rtl && anchor !== "middle" ? { start: "end", end: "start" }[anchor] : anchor;
  return `<text x="${round(label.x)}" y="${round(label.y)}" dominant-baseline="central" text-anchor="${side}"`
    + `${rtl ? ' direction="rtl"' : ""} font-size="${round(label.size)}" font-weight="${label.weight}"`
    + `${label.kind === "link" ? ' font-style="italic"' : ""} fill="${escape(palette.ink)}">${escape(label.text)}</text>\n`;
}
