// The layout of an action graph: nodes in columns from left to right, and a lane of its own for every edge, in which its
// label stands before its target. So neither nodes nor labels overlap.

const NODE_HIGH = 30, NODE_PAD = 13, LANE = 24, ROW_GAP = 12, CURVE = 46, ARROW = 16, LABEL_GAP = 8, MARGIN = 8;
const VERB_EDGE = "verb";

// Nodes and edges with their places: layOut([["person", "verb", "open"]], (text) => 8 * text.length). `widthOf` measures
// a label; `cut` shortens one, `signs` are texts before the labels of the edges.
export function layOut(triplets, widthOf, cut = (text) => text, signs = []) {
  const graph = graphOf(triplets, widthOf, cut, signs);
  place(graph.nodes);
  const columns = graphColumns(graph);
  for (const edge of graph.edges) (isForward(edge) ? edge.target.left : edge.target.right).push(edge);
  const size = settle(columns);
  for (const { left, right } of graph.nodes) [left, right].forEach((lanes) => lanes.sort(bySource));
  graph.edges.forEach(route);
  return { ...graph, ...size };
}

function graphOf(triplets, widthOf, cut, signs) {
  const actions = new Set(triplets.filter(([, edge]) => edge === VERB_EDGE).map(([, , target]) => target));
  const nodes = new Map();
  const node = (kind, name) => {
    const key = `${kind}/${name}`;
    if (!nodes.has(key)) {
      const label = cut(name, "node");
      const wide = Math.max(44, widthOf(label) + 2 * NODE_PAD);
      nodes.set(key, { key, kind, name, label, wide, high: NODE_HIGH, left: [], right: [], out: [], in: [], column: -1 });
    }
    return nodes.get(key);
  };
  const edges = triplets.map(([source, edge, target], number) => {
    const label = `${signs[number] || ""}${cut(edge, "edge")}`;
    const from = node(actions.has(source) ? "action" : plainKind(source), source);
    const to = node(edge === VERB_EDGE ? "action" : plainKind(target), target);
    const made = { number, name: edge, label, wide: widthOf(label), source: from, target: to };
    from.out.push(made);
    to.in.push(made);
    return made;
  });
  return { nodes: [...nodes.values()], edges };
}

function plainKind(name) {
  if (name === "person") return "person";
  return name === "hand1" || name === "hand2" ? "hand" : "object";
}

// Columns by distance from the person, or from nodes that nothing points to.
function place(nodes) {
  const people = nodes.filter((node) => node.kind === "person");
  const reach = (root, column) => {
    root.column = column;
    const waiting = [root];
    for (const one of waiting) {
      for (const { target } of one.out) {
        if (target.column >= 0) continue;
        target.column = one.column + 1;
        waiting.push(target);
      }
    }
  };
  people.forEach((one) => one.column < 0 && reach(one, 0));
  const first = people.length ? 1 : 0;
  for (;;) {
    const left = nodes.filter((node) => node.column < 0);
    if (!left.length) return;
    const root = left.find((node) => node.in.every(({ source }) => source === node || source.column >= 0)) || left[0];
    const known = root.out.map(({ target }) => target.column).filter((column) => column >= 0);
    reach(root, known.length ? Math.max(first, Math.min(...known) - 1) : first);
  }
}

function isForward({ source, target }) {
  return source !== target && target.column >= source.column;
}

// The nodes by column, each column in the order of the nodes that point to its nodes.
function graphColumns({ nodes }) {
  const columns = [];
  nodes.forEach((node) => (columns[node.column] ||= []).push(node));
  const rank = new Map();
  columns.forEach((column, number) => {
    const middle = new Map(column.map((node, order) => [node, middleOf(node, number, rank, order)]));
    if (number) column.sort((one, other) => middle.get(one) - middle.get(other));
    column.forEach((node, order) => rank.set(node, order));
  });
  return Array.from(columns, (column) => column || []);
}

function middleOf(node, column, rank, order) {
  const places = node.in.filter(({ source }) => source.column === column - 1).map(({ source }) => rank.get(source));
  return places.length ? places.reduce((sum, one) => sum + one, 0) / places.length : order;
}

// Give every node its place; return the size of the drawing.
function settle(columns) {
  let x = MARGIN, high = 0;
  for (const column of columns) {
    for (const node of column) node.high = Math.max(NODE_HIGH, LANE * Math.max(node.left.length, node.right.length));
    high = Math.max(high, column.reduce((sum, node) => sum + node.high + ROW_GAP, -ROW_GAP));
  }
  columns.forEach((column, number) => {
    if (number) x += CURVE;
    x += roomFor(column.map((node) => node.left));
    let y = MARGIN + (high - column.reduce((sum, node) => sum + node.high + ROW_GAP, -ROW_GAP)) / 2;
    for (const node of column) {
      Object.assign(node, { x, y, middle: y + node.high / 2 });
      y += node.high + ROW_GAP;
    }
    x += Math.max(0, ...column.map((node) => node.wide + roomFor([node.right])));
  });
  return { wide: Math.ceil(x + MARGIN), high: Math.ceil(high + 2 * MARGIN) };
}

function roomFor(lanes) {
  const widths = lanes.flat().map((edge) => edge.wide + ARROW + 2 * LABEL_GAP);
  return widths.length ? Math.max(...widths) : 0;
}

function bySource(one, other) {
  return one.source.middle - other.source.middle || one.number - other.number;
}

// The path of an edge, the tip of its arrow, and the place of its label.
function route(edge) {
  const { source, target } = edge;
  const isLeft = isForward(edge), lanes = isLeft ? target.left : target.right;
  const y = target.middle + LANE * (lanes.indexOf(edge) - (lanes.length - 1) / 2);
  const tip = isLeft ? target.x : target.x + target.wide, way = isLeft ? -1 : 1;
  const label = tip + way * (ARROW + LABEL_GAP / 2), far = label + way * (edge.wide + LABEL_GAP);
  const leaves = source.column < target.column || source === target;
  const start = leaves ? source.x + source.wide : source.x, out = leaves ? 1 : -1;
  const from = source === target ? source.y + 2 : source.middle, bend = CURVE * 0.6;
  edge.path = `M${start},${from} C${start + out * bend},${from} ${far + way * bend},${y} ${far},${y} L${tip + way * 6},${y}`;
  edge.tip = [[tip, y], [tip + way * 9, y - 4.5], [tip + way * 9, y + 4.5]];
  Object.assign(edge, { labelX: (label + far) / 2, labelY: y });
}
