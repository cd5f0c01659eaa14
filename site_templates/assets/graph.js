// @ts-check
// The graph of the whole catalog: drawn on a canvas at places worked out when the site was built, with the same records as links beside
// it. What is chosen, found, filtered and in sight is in the address.

/** @typedef {{id: string, kind: string, name: string, page: string, x: number, y: number}} Node */
/** @typedef {[number, number, number]} Link From, to and word, by number */
/** @typedef {{kinds: string[], words: [string, string][], nodes: Node[], links: Link[]}} Graph A file of /api/v1 */
/** @typedef {{node: number, word: string}} Neighbour A node, and what the one asked about is to it */
/** @typedef {{x: number, y: number, zoom: number}} View What lies in the middle, and how many pixels a unit has */
/** @typedef {{node: number, kinds: Set<string>, find: string, view: View | null}} State The chosen node or -1; no view means all of it */

import { SITE, json, make } from "./page.js";

const SPAN = 1000; // places go from -SPAN to SPAN
const [SMALLEST, LARGEST] = [0.05, 8]; // pixels a unit
const STEP = 1.35; // of one change of size
const REACH = { mouse: 10, touch: 22 }; // pixels between a node and what still meets it
const LISTED = 60; // records listed before "All"
const BATCH = 100; // lines of one path
const NAMED = 40; // names drawn at most, where there is room
/** Corners and turn of the sign of each kind; no corners is a disc. @type {Record<string, [number, number]>} */
const SIGNS = { model: [0, 0], engine: [4, 0.125], gotcha: [3, 0], requirement: [4, 0], hardware: [6, 0], measurement: [5, 0], recipe: [3, 0.5] };

// The graph as it is asked, without a look at the page

/** What each node is to others, once a word. @param {Graph} graph @returns {Neighbour[][]} */
export function neighbours({ nodes, words, links }) {
  /** @type {Neighbour[][]} */
  const found = nodes.map(() => []);
  for (const [from, to, word] of links) {
    found[from].push({ node: to, word: words[word][0] });
    found[to].push({ node: from, word: words[word][1] });
  }
  return found;
}

/** Nodes of the wanted kinds with every word in their name or id. @param {Node[]} nodes @param {Set<string>} kinds @param {string} find @returns {number[]} */
export function matching(nodes, kinds, find) {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  return nodes.flatMap(({ id, kind, name }, number) => (kinds.has(kind) && words.every((word) => `${name} ${id}`.toLowerCase().includes(word)) ? [number] : []));
}

/** What an address asks for. @param {string} search @param {Graph} graph @returns {State} */
export function asked(search, { nodes, kinds }) {
  const query = new URLSearchParams(search);
  const wanted = query.get("kinds")?.split(",") ?? kinds;
  const [x, y, zoom] = (query.get("at") ?? "").split(",").map(Number);
  const view = zoom > 0 && Number.isFinite(x) && Number.isFinite(y) ? { x, y, zoom: Math.min(LARGEST, Math.max(SMALLEST, zoom)) } : null;
  return { node: nodes.findIndex(({ id }) => id === query.get("node")), kinds: new Set(kinds.filter((kind) => wanted.includes(kind))), find: query.get("find") ?? "", view };
}

/** The address of a state. @param {State} state @param {Graph} graph @returns {string} */
export function address({ node, kinds, find, view }, graph) {
  /** @type {Record<string, string>} */
  const query = {};
  if (node >= 0) query.node = graph.nodes[node].id;
  if (kinds.size < graph.kinds.length) query.kinds = [...kinds].join(",");
  if (find.trim()) query.find = find.trim();
  if (view) query.at = [view.x.toFixed(0), view.y.toFixed(0), view.zoom.toFixed(3)].join(",");
  return `?${new URLSearchParams(query)}`;
}

/** @param {string} kind @param {number} number */
function count(kind, number) {
  return `${number.toLocaleString("en")} ${kind}${number === 1 || kind === "hardware" ? "" : "s"}`;
}

// The page

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);
/** @type {HTMLFormElement} */
const form = byId("gr-form");
/** @type {HTMLCanvasElement} */
const canvas = byId("gr-canvas");
/** @type {HTMLElement} */
const list = byId("gr-list");
/** @type {HTMLElement} */
const status = byId("gr-status");

/** @param {Graph} graph */
function run(graph) {
  const { nodes, kinds } = graph;
  const around = neighbours(graph);
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  let state = asked(location.search, graph);
  let found = new Set(matching(nodes, state.kinds, state.find));
  let whole = false; // whether the list has all that is found
  let [waiting, remembering] = [0, 0];

  // Drawing

  const size = nodes.map((_, number) => 2.5 + Math.min(9, Math.sqrt(around[number].length) * 0.7));
  const important = nodes.map((_, number) => number).sort((a, b) => around[b].length - around[a].length);

  /** @returns {View} */
  function view() {
    const zoom = Math.min(canvas.clientWidth, canvas.clientHeight) / (2 * SPAN);
    return state.view ?? { x: 0, y: 0, zoom };
  }

  /** Where a node is on the canvas, in pixels. @param {number} number @param {View} seen */
  function place(number, { x, y, zoom }) {
    return [canvas.clientWidth / 2 + (nodes[number].x - x) * zoom, canvas.clientHeight / 2 + (nodes[number].y - y) * zoom];
  }

  /** @param {string} name of a colour of the page */
  const colour = (name) => getComputedStyle(canvas).getPropertyValue(name).trim() || "gray";

  /** @param {number[]} numbers @param {View} seen @param {string} kind @param {number} larger */
  function signs(numbers, seen, kind, larger) {
    const [corners, turn] = SIGNS[kind] ?? SIGNS.model;
    const growth = Math.min(2.2, Math.max(0.8, Math.sqrt(seen.zoom * 2.2)));
    pen.beginPath();
    for (const number of numbers) {
      const [x, y] = place(number, seen);
      const radius = size[number] * growth * larger;
      if (x < -radius || y < -radius || x > canvas.clientWidth + radius || y > canvas.clientHeight + radius) continue;
      pen.moveTo(x + (corners ? radius * Math.sin(turn * 2 * Math.PI) : radius), y - (corners ? radius * Math.cos(turn * 2 * Math.PI) : 0));
      if (!corners) pen.arc(x, y, radius, 0, 2 * Math.PI);
      for (let corner = 1; corner < corners; corner++) {
        const angle = (turn + corner / corners) * 2 * Math.PI;
        pen.lineTo(x + radius * Math.sin(angle), y - radius * Math.cos(angle));
      }
      if (corners) pen.closePath();
    }
    pen.fillStyle = colour(`--gr-${kind}`);
    pen.fill();
  }

  /** Lines in batches, since a path of thousands takes a browser much longer than its parts. @param {Link[]} links @param {View} seen @param {string} stroke @param {number} width */
  function lines(links, seen, stroke, width) {
    pen.strokeStyle = stroke;
    pen.lineWidth = width;
    for (let start = 0; start < links.length; start += BATCH) {
      pen.beginPath();
      for (const [from, to] of links.slice(start, start + BATCH)) {
        const [[x, y], [toX, toY]] = [place(from, seen), place(to, seen)];
        if (Math.max(x, toX) < 0 || Math.max(y, toY) < 0 || Math.min(x, toX) > canvas.clientWidth || Math.min(y, toY) > canvas.clientHeight) continue;
        pen.moveTo(x, y);
        pen.lineTo(toX, toY);
      }
      pen.stroke();
    }
  }

  /** Names beside their nodes, the most linked first, none over another. @param {number[]} numbers @param {View} seen */
  function names(numbers, seen) {
    /** @type {[number, number, number, number][]} */
    const taken = [];
    pen.font = "600 12px sans-serif";
    pen.textBaseline = "middle";
    pen.lineWidth = 3;
    pen.strokeStyle = colour("--ic-ground");
    pen.fillStyle = colour("--md-typeset-color");
    for (const number of numbers) {
      const [x, y] = place(number, seen);
      if (taken.length >= NAMED || x < 0 || y < 0 || x > canvas.clientWidth || y > canvas.clientHeight) continue;
      const text = nodes[number].name.length > 38 ? `${nodes[number].name.slice(0, 36)} …` : nodes[number].name;
      const [left, right] = [x + 10, x + 10 + pen.measureText(text).width];
      if (taken.some(([from, to, above, below]) => left < to && right > from && y - 8 < below && y + 8 > above)) continue;
      taken.push([left, right, y - 8, y + 8]);
      pen.strokeText(text, left, y);
      pen.fillText(text, left, y);
    }
  }

  function draw() {
    waiting = 0;
    const seen = view();
    const [width, height, ratio] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio || 1];
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const shown = nodes.flatMap(({ kind }, number) => (state.kinds.has(kind) ? [number] : []));
    const near = new Set(state.node < 0 ? [] : [state.node, ...around[state.node].map(({ node }) => node)]);
    const bright = new Set(shown.filter((number) => (state.node < 0 ? found.has(number) : near.has(number))));
    const links = graph.links.filter(([from, to]) => state.kinds.has(nodes[from].kind) && state.kinds.has(nodes[to].kind));
    pen.globalAlpha = near.size ? 0.25 : 0.5;
    lines(links, seen, colour("--ic-line"), 1);
    pen.globalAlpha = 0.22;
    for (const kind of kinds) signs(shown.filter((number) => nodes[number].kind === kind && !bright.has(number)), seen, kind, 1);
    pen.globalAlpha = 1;
    if (near.size) lines(links.filter(([from, to]) => from === state.node || to === state.node), seen, colour("--ic-field"), 1.5);
    for (const kind of kinds) signs([...bright].filter((number) => nodes[number].kind === kind && number !== state.node), seen, kind, 1.15);
    if (state.node >= 0) signs([state.node], seen, nodes[state.node].kind, 2);
    names([...(state.node >= 0 ? [state.node] : []), ...important.filter((number) => bright.has(number) && number !== state.node)], seen);
  }

  const redraw = () => void (waiting ||= requestAnimationFrame(draw));

  // The list

  /** @param {number} number @param {string} [word] */
  function entry(number, word) {
    const { id, kind, name } = nodes[number];
    const link = make("a", { href: address({ ...state, node: number }, graph), "data-node": id }, name);
    return make("li", {}, make("span", { class: `gr-key gr-${kind}`, "aria-hidden": "true" }), link, make("span", { class: "ic-dim" }, ` ${kind}${word ? `, ${word}` : ""}`));
  }

  function listFound() {
    const numbers = important.filter((number) => found.has(number));
    const shown = whole ? numbers : numbers.slice(0, LISTED);
    list.replaceChildren(make("h2", { class: "gr-title" }, "Records"), make("ul", { class: "gr-entries" }, ...shown.map((number) => entry(number))));
    if (shown.length === numbers.length) return;
    const all = make("button", { type: "button" }, `All ${numbers.length.toLocaleString("en")}`);
    all.addEventListener("click", () => {
      whole = true;
      listFound();
      list.querySelectorAll("a")[LISTED]?.focus();
    });
    list.append(make("p", {}, all));
  }

  function listNeighbours() {
    const { name, kind, page } = nodes[state.node];
    const words = graph.words.flat().filter((word, place, all) => all.indexOf(word) === place && around[state.node].some((each) => each.word === word));
    const back = make("button", { type: "button" }, "Let go");
    back.addEventListener("click", () => choose(-1));
    list.replaceChildren(
      make("h2", { class: "gr-title" }, make("a", { href: new URL(page, SITE).href }, name)),
      make("p", {}, make("span", { class: `gr-key gr-${kind}`, "aria-hidden": "true" }), `${kind}, ${around[state.node].length} neighbours `, back),
      ...words.flatMap((word) => {
        const those = around[state.node].filter((each) => each.word === word);
        return [make("h3", { class: "gr-word" }, `${word} (${those.length})`), make("ul", { class: "gr-entries" }, ...those.map(({ node }) => entry(node)))];
      }),
    );
    if (!words.length) list.append(make("p", {}, "It refers to no other record, and none refers to it."));
  }

  // State

  function remember(push = false) {
    clearTimeout(remembering);
    const write = () => history[push ? "pushState" : "replaceState"](null, "", address(state, graph));
    if (push) write();
    else remembering = window.setTimeout(write, 150); // a drag asks many times a second, which browsers refuse
  }

  function update() {
    found = new Set(matching(nodes, state.kinds, state.find));
    const numbers = kinds.map((kind) => [kind, [...found].filter((number) => nodes[number].kind === kind).length]).filter(([, number]) => number);
    status.textContent = numbers.length ? `${numbers.map(([kind, number]) => count(String(kind), Number(number))).join(", ")}.` : "No record is like that.";
    state.node < 0 ? listFound() : listNeighbours();
    redraw();
  }

  /** @param {number} node */
  function choose(node) {
    state.node = node;
    if (node >= 0) {
      state.kinds.add(nodes[node].kind);
      const fit = Math.min(canvas.clientWidth, canvas.clientHeight) / (2 * SPAN);
      state.view = { x: nodes[node].x, y: nodes[node].y, zoom: Math.max(view().zoom, 2 * fit) };
    }
    fill();
    remember(true);
    update();
    list.scrollTop = 0;
  }

  /** @param {number} dx @param {number} dy in pixels */
  function pan(dx, dy) {
    const { x, y, zoom } = view();
    const within = (/** @type {number} */ value) => Math.min(SPAN, Math.max(-SPAN, value));
    state.view = { x: within(x - dx / zoom), y: within(y - dy / zoom), zoom };
    remember();
    redraw();
  }

  /** Changes the size about a point of the canvas, its middle where none is given. @param {number} factor @param {number} [px] @param {number} [py] */
  function zoomBy(factor, px = canvas.clientWidth / 2, py = canvas.clientHeight / 2) {
    const seen = view();
    const zoom = Math.min(LARGEST, Math.max(SMALLEST, seen.zoom * factor));
    const [dx, dy] = [px - canvas.clientWidth / 2, py - canvas.clientHeight / 2];
    state.view = { x: seen.x + dx / seen.zoom - dx / zoom, y: seen.y + dy / seen.zoom - dy / zoom, zoom };
    remember();
    redraw();
  }

  function showWhole() {
    state.view = null;
    remember();
    redraw();
  }

  // Fields

  const find = /** @type {HTMLInputElement} */ (form.elements.namedItem("find"));
  byId("gr-kinds").append(
    ...kinds.map((kind) => {
      const number = nodes.filter((node) => node.kind === kind).length;
      return make("label", {}, make("input", { type: "checkbox", name: "kind", value: kind }), make("span", { class: `gr-key gr-${kind}`, "aria-hidden": "true" }), `${kind} `, make("span", { class: "ic-dim" }, String(number)));
    }),
  );

  function fill() {
    if (find.value.trim() !== state.find) find.value = state.find;
    for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[name=kind]"))) box.checked = state.kinds.has(box.value);
  }

  form.addEventListener("input", () => {
    const data = new FormData(form);
    const wanted = new Set(data.getAll("kind").map(String));
    state = { ...state, find: String(data.get("find")).trim(), kinds: wanted };
    if (state.node >= 0 && (find === document.activeElement || !wanted.has(nodes[state.node].kind))) state.node = -1;
    whole = false;
    remember();
    update();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = important.find((number) => found.has(number));
    if (first !== undefined) choose(first);
  });
  list.addEventListener("click", (event) => {
    const link = /** @type {HTMLElement} */ (event.target).closest("a[data-node]");
    if (!(link instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(nodes.findIndex(({ id }) => id === link.dataset.node));
    list.focus();
  });
  addEventListener("popstate", () => {
    state = asked(location.search, graph);
    fill();
    update();
  });

  // Mouse, touch and keys on the drawing

  /** The shown node nearest to a point of the canvas, -1 where none is in reach. @param {number} x @param {number} y @param {number} reach */
  function at(x, y, reach) {
    const seen = view();
    let [best, nearest] = [-1, Infinity];
    nodes.forEach(({ kind }, number) => {
      if (!state.kinds.has(kind)) return;
      const [nodeX, nodeY] = place(number, seen);
      const away = Math.hypot(nodeX - x, nodeY - y);
      if (away <= reach + size[number] && away < nearest) [best, nearest] = [number, away];
    });
    return best;
  }

  /** @type {Map<number, {x: number, y: number}>} */
  const fingers = new Map();
  let moved = false;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (!fingers.size) moved = false;
    fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    const now = { x: event.offsetX, y: event.offsetY };
    if (!before) {
      const number = at(now.x, now.y, REACH.mouse);
      canvas.title = number < 0 ? "" : `${nodes[number].name} (${nodes[number].kind})`;
      canvas.style.cursor = number < 0 ? "grab" : "pointer";
      return;
    }
    if (!moved && Math.hypot(now.x - before.x, now.y - before.y) < 4) return;
    moved = true;
    if (fingers.size === 2) {
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, finger]) => finger);
      zoomBy(Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y)), other.x, other.y);
    } else pan(now.x - before.x, now.y - before.y);
    fingers.set(event.pointerId, now);
  });
  const lift = (/** @type {PointerEvent} */ event) => {
    if (fingers.delete(event.pointerId) && event.type === "pointerup" && !moved) {
      const number = at(event.offsetX, event.offsetY, event.pointerType === "touch" ? REACH.touch : REACH.mouse);
      if (number !== state.node) choose(number);
    }
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.offsetX, event.offsetY);
  }, { passive: false });

  const far = 60; // pixels of one arrow key
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => pan(far, 0), ArrowRight: () => pan(-far, 0), ArrowUp: () => pan(0, far), ArrowDown: () => pan(0, -far),
    "+": () => zoomBy(STEP), "=": () => zoomBy(STEP), "-": () => zoomBy(1 / STEP), 0: showWhole,
    Enter: () => state.node >= 0 && location.assign(new URL(nodes[state.node].page, SITE)), Escape: () => choose(-1),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.querySelector(".gr-zoom")?.addEventListener("click", (event) => {
    const wanted = /** @type {HTMLElement} */ (event.target).dataset.do;
    if (wanted === "whole") showWhole();
    else if (wanted) zoomBy(wanted === "in" ? STEP : 1 / STEP);
  });

  for (const id of ["gr-form", "gr-stage", "gr-keys"]) byId(id).hidden = false;
  new ResizeObserver(redraw).observe(canvas);
  new MutationObserver(redraw).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  fill();
  update();
}

if (form) {
  json("graph.json")
    .then(run)
    .catch((error) => (status.textContent = `The graph could not be read: ${error}`))
    .finally(() => (document.documentElement.dataset.graph = "ready"));
}
