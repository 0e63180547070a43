// The ten signs of entity types, for canvas and for SVG. All have about the same area as a circle of radius 1.

function polygon(points) {
  return points.map(([x, y]) => [Math.round(x * 1000) / 1000, Math.round(y * 1000) / 1000]);
}

function regular(sides, radius, turn) {
  const step = (2 * Math.PI) / sides;
  return polygon(Array.from({ length: sides }, (_, at) => {
    const angle = turn + at * step;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  }));
}

function star() {
  return polygon(Array.from({ length: 10 }, (_, at) => {
    const radius = at % 2 ? 0.62 : 1.36;
    const angle = -Math.PI / 2 + (at * Math.PI) / 5;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  }));
}

const UP = -Math.PI / 2;
const CROSS = [[-0.4, -1.12], [0.4, -1.12], [0.4, -0.4], [1.12, -0.4], [1.12, 0.4], [0.4, 0.4], [0.4, 1.12],
  [-0.4, 1.12], [-0.4, 0.4], [-1.12, 0.4], [-1.12, -0.4], [-0.4, -0.4]];

// Number of the shape → corners; circle (0) and ring (9) are arcs. The order is fixed by the data format.
const CORNERS = [null, regular(4, 1.25, Math.PI / 4), regular(4, 1.28, 0), regular(3, 1.42, UP), regular(6, 1.12, 0),
  star(), regular(3, 1.42, -UP), CROSS, regular(5, 1.18, UP), null];

/** Adds shape number `shape` around (x, y) with radius r to the open path of a canvas context. */
export function traceShape(context, shape, x, y, r) {
  const corners = CORNERS[shape];
  if (!corners) {
    context.moveTo(x + r, y);
    context.arc(x, y, r, 0, 2 * Math.PI);
    if (shape === 9) {
      context.moveTo(x + r * 0.5, y);
      context.arc(x, y, r * 0.5, 0, 2 * Math.PI, true);
    }
    return;
  }
  context.moveTo(x + corners[0][0] * r, y + corners[0][1] * r);
  for (let at = 1; at < corners.length; at += 1) context.lineTo(x + corners[at][0] * r, y + corners[at][1] * r);
  context.closePath();
}

/** SVG path data of the same shape; without arguments after the shape, around the origin with radius 1. */
export function shapePath(shape, x = 0, y = 0, r = 1) {
  const corners = CORNERS[shape];
  const at = (value) => String(Math.round(value * 100) / 100);
  if (corners) {
    return `M${corners.map(([dx, dy]) => `${at(x + dx * r)} ${at(y + dy * r)}`).join("L")}Z`;
  }
  const circle = (radius, sweep) =>
    `M${at(x - radius)} ${at(y)}a${at(radius)} ${at(radius)} 0 1 ${sweep} ${at(2 * radius)} 0` +
    `a${at(radius)} ${at(radius)} 0 1 ${sweep} ${at(-2 * radius)} 0Z`;
  return shape === 9 ? circle(r, 1) + circle(r * 0.5, 0) : circle(r, 1);
}
