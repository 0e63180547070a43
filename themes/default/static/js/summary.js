// What the picture shows, in words.

import {say, count, figure, inside} from "./words.js";
import {eachLink} from "./data.js";

/** A theme is a community of two and more entities, as on the landing page (kgsite/site/views/home.py). */
const isTheme = (community) => community.size > 1;

/** Sentences about a graph: its themes, who connects them, how much is inferred, what to do first. */
export function summarise(graph, inPart) {
  if (!graph.size) return [say("empty")];
  const sentences = [];
  const large = graph.communities.filter(isTheme);
  if (large.length) {
    const largest = large.reduce((best, community) => (community.size > best.size ? community : best));
    const themes = count("theme", large.length);
    if (large.length === 1) sentences.push(say("summary.theme", { entities: count("entity", largest.size), name: inside(largest.name) }));
    else sentences.push(say("summary.themes", { themes, entities: count("entity", largest.size), name: inside(largest.name) }));
  }
  if (graph.kind === "map") return [...sentences, say("summary.map")];
  sentences.push(...aboutHub(graph));
  let inferred = 0;
  for (const method of graph.method) if (method > 0) inferred += 1;
  if (inferred) sentences.push(say("summary.inferred", { count: figure(inferred) }));
  if (inPart) sentences.push(say("summary.first"));
  return sentences;
}

function aboutHub(graph) {
  if (graph.degree[0] < 3) return [];
  const reached = new Set();
  eachLink(graph, 0, (neighbour) => {
    const community = graph.community[neighbour];
    if (community >= 0 && isTheme(graph.communities[community])) reached.add(community);
  });
  const name = inside(graph.names[0]);
  if (reached.size > 1) return [say("summary.connects", { name, count: figure(reached.size) })];
  return [say("summary.hub", { name, count: figure(graph.degree[0]) })];
}

/** “200 entities, 363 relations”, or “showing 150 of 3,204 entities, …” when something is hidden. */
export function counted(graph, visible) {
  if (graph.kind === "map") {
    const total = graph.communities.reduce((sum, community) => sum + community.size, 0);
    const shown = graph.communities.reduce((sum, community, at) => sum + (visible.node[at] ? community.size : 0), 0);
    const whole = { entities: count("entity", graph.total ? graph.total.nodes : total), relations: count("community", visible.nodes) };
    if (shown === total) return say("count.all", whole);
    return say("count.part", { shown: figure(shown), ...whole });
  }
  const relations = count("relation", visible.facts);
  const entities = count("entity", graph.total.nodes);
  if (visible.nodes === graph.total.nodes) return say("count.all", { entities, relations });
  return say("count.part", { shown: figure(visible.nodes), entities, relations });
}
