// @ts-check
// Values on the cost curves: a line that follows the pointer or the arrow keys, and what each curve holds there in words below the drawing.
// The values are those of the dots' own titles, so that the drawing is complete without this script.

/** @typedef {{ x: number, tokens: string, lines: { name: string, bytes: string, dot: SVGCircleElement }[] }} Mark */

const TITLE = /^(.*) at ([\d,]+) tokens: (.*)$/;

/** @param {SVGSVGElement} svg @returns {Mark[]} */
function marks(svg) {
  /** @type {Map<string, Mark>} */
  const found = new Map();
  for (const dot of svg.querySelectorAll("circle")) {
    const said = TITLE.exec(dot.querySelector("title")?.textContent ?? "");
    if (!said) continue;
    const mark = found.get(said[2]) ?? { x: dot.cx.baseVal.value, tokens: said[2], lines: [] };
    mark.lines.push({ name: said[1], bytes: said[3], dot });
    found.set(said[2], mark);
  }
  return [...found.values()].sort((one, other) => one.x - other.x);
}

/** @param {SVGSVGElement} svg */
function interactive(svg) {
  const all = marks(svg);
  if (!all.length) return;
  let at = all.length - 1;
  const line = document.createElementNS(svg.namespaceURI, "line");
  for (const [name, value] of Object.entries({ class: "ic-cursor", y1: 12, y2: svg.viewBox.baseVal.height - 36 })) line.setAttribute(name, String(value));
  const said = document.createElement("output");
  said.className = "ic-said";
  svg.after(said);
  svg.append(line);
  const slider = document.createElement("input");
  slider.type = "range";
  slider.max = String(at);
  slider.value = slider.max;
  slider.className = "ic-slide";
  slider.ariaLabel = "Context at which the curves are read";
  svg.after(slider);
  const show = (/** @type {number} */ place) => {
    at = place;
    const mark = all[at];
    slider.value = String(at);
    slider.ariaValueText = `${mark.tokens} tokens`;
    line.setAttribute("x1", String(mark.x));
    line.setAttribute("x2", String(mark.x));
    for (const each of all) for (const one of each.lines) one.dot.classList.toggle("ic-lit", each === mark);
    said.textContent = `At ${mark.tokens} tokens: ${mark.lines.map(({ name, bytes }) => `${name} ${bytes}`).join(", ")}`;
  };
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
    show(all.reduce((best, mark, place) => (Math.abs(mark.x - x) < Math.abs(all[best].x - x) ? place : best), 0));
  });
  slider.addEventListener("input", () => show(Number(slider.value)));
  show(at);
}

for (const svg of document.querySelectorAll("svg.ic-curves")) interactive(/** @type {SVGSVGElement} */ (svg));
