// Taking the view along: PNG, SVG, and the visible graph as JSON and CSV.

import {factsOf} from "./data.js";
import {Painter} from "./draw.js";
import {writeSvg} from "./svg.js";

/** The visible facts, in the order of the graph file. */
function visibleFacts(explorer) {
  const { graph, visible, filters } = explorer;
  const facts = [];
  for (let link = 0; link < graph.links; link += 1) {
    if (!visible.link[link]) continue;
    for (const fact of factsOf(graph, link)) if (filters.inferred || !graph.method[fact]) facts.push(fact);
  }
  return facts.sort((a, b) => a - b);
}

/** The visible graph as node-link JSON (text): nodes by degree, links with method "" for extracted. */
export function visibleJson(explorer) {
  const { graph, visible } = explorer;
  const map = graph.kind === "map";
  const nodes = [];
  for (let node = 0; node < graph.size; node += 1) {
    if (!visible.node[node]) continue;
    const community = graph.community[node];
    nodes.push({
      id: graph.slugs[node],
      name: graph.names[node],
      type: map ? "community" : graph.types[graph.type[node]].name,
      community: community < 0 ? null : graph.communities[community].name,
      aliases: graph.aliases.get(node) || [],
      degree: graph.degree[node],
      x: graph.x[node],
      y: graph.y[node],
    });
  }
  const links = visibleFacts(explorer).map((fact) => ({
    source: graph.slugs[graph.source[fact]],
    target: graph.slugs[graph.target[fact]],
    predicate: graph.predicates[graph.predicate[fact]],
    inferred: graph.method[fact] > 0,
    method: graph.methods[graph.method[fact]],
    ...(map ? { weight: graph.weight[fact] } : { strength: graph.strength[fact] ?? null }),
  }));
  return `${JSON.stringify({ directed: true, multigraph: true, graph: { title: graph.title }, nodes, links }, null, 1)}\n`;
}

/** A field of CSV (RFC 4180) that no spreadsheet takes for a formula. */
function csvField(value) {
  const text = String(value);
  const safe = typeof value === "string" && /^[\s]*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The visible relations as CSV (text), one a line. */
export function visibleCsv(explorer) {
  const { graph } = explorer;
  const type = (node) => (graph.types.length ? graph.types[graph.type[node]].name : "community");
  const rows = [["source", "source_type", "predicate", "target", "target_type", "kind", "method", "strength"]];
  for (const fact of visibleFacts(explorer)) {
    const [source, target] = [graph.source[fact], graph.target[fact]];
    rows.push([graph.names[source], type(source), graph.predicates[graph.predicate[fact]], graph.names[target], type(target),
      graph.method[fact] > 0 ? "inferred" : "extracted", graph.methods[graph.method[fact]], graph.strength[fact] ?? ""]);
  }
  return `${rows.map((row) => row.map(csvField).join(",")).join("\r\n")}\r\n`;
}

/** The view as an SVG document (text). */
export function viewSvg(explorer) {
  const { painter, camera } = explorer;
  painter.paint(explorer.scene());
  return writeSvg(explorer.scene(), painter.labels, camera.width, camera.height, explorer.graph.title || document.title);
}

/** The view as a PNG blob with twice the pixels of the stage. */
export function viewPng(explorer) {
  const { width, height } = explorer.camera;
  const painter = new Painter(document.createElement("canvas"), document.createElement("canvas"));
  Object.assign(painter, { width, height, ratio: 2, margin: 0 });
  painter.fit(painter.canvas, 0);
  painter.paint(explorer.scene());
  return new Promise((done) => { painter.canvas.toBlob(done, "image/png"); });
}

/** Hand a file to the reader's downloads. */
export function download(content, type, name) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A file name from a title: letters and digits of any script, hyphens between. */
export function fileName(title, ending) {
  const stem = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  return `${stem || "graph"}.${ending}`;
}
