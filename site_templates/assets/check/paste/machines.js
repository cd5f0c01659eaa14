// @ts-check
// The hardware of a machine, as answer/diagnose/machines.py: what nvidia-smi, rocm-smi and others print of devices and drivers.

import { match, search } from "./patterns.js";

/** @typedef {import("./flags.js").Seen} Seen */
/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {{name: string, index: string, mebibytes: number | null}} Device */
/** @typedef {{id: string, names: string[], bytes: number | null}} Product */
/** @typedef {{marks: string[], systems: [string, string][], no_part: string[], other_product: string[], products: Product[], smi_row: Pattern, smi_short: Pattern, smi_memory: Pattern, listed: Pattern, queried: Pattern, rocm: Pattern, marketing: Pattern, processor: Pattern, llama: Pattern, metal: Pattern, driver: Pattern, toolkit: Pattern, system: Pattern, frame: Pattern}} Machines */

const MEBIBYTE = 2 ** 20;

/** Devices, driver, toolkit and system. @param {string[]} lines @param {import("../paste.js").Data} data @returns {import("./commands.js").Reading} */
export function read(lines, data) {
  const known = data.machines;
  /** @type {Seen[]} */
  const seen = [];
  const taken = new Set();
  let framed = false;
  lines.forEach((line, place) => {
    if (line.length > 400) return;
    framed = line.includes("NVIDIA-SMI") || (framed && Boolean(match(known.frame, line)));
    const found = known.marks.some((mark) => line.includes(mark)) ? ofLine(line, place + 1, known) : [];
    const memory = framed ? search(known.smi_memory, line) : null;
    const last = seen.at(-1);
    if (memory && last?.kind === "device" && last.value.mebibytes === null) last.value.mebibytes = Number(memory[1]);
    seen.push(...found);
    if (framed || found.length) taken.add(place + 1);
  });
  return { seen, taken };
}

/** @param {string} line @param {number} number @param {Machines} known @returns {Seen[]} */
function ofLine(line, number, known) {
  /** @type {Seen[]} */
  const seen = devices(line, number, known).map((value) => ({ kind: "device", name: "", value, line: number }));
  const driver = match(known.driver, line), toolkit = match(known.toolkit, line), system = match(known.system, line);
  if (driver) seen.push({ kind: "fact", name: "driver.version", value: driver[1], line: number });
  if (toolkit) seen.push({ kind: "fact", name: "cuda.version", value: toolkit[1], line: number });
  if (system) seen.push({ kind: "fact", name: "os", value: known.systems.find(([part]) => system[1].toLowerCase().includes(part))?.[1] ?? "linux", line: number });
  return seen;
}

/** @param {string} line @param {number} number @param {Machines} known @returns {Device[]} */
function devices(line, number, known) {
  /** @param {string} name @param {string} index @param {number | null} [mebibytes] @returns {Device} */
  const device = (name, index, mebibytes = null) => ({ name: name.trim(), index, mebibytes });
  const row = search(known.smi_short, line) ?? search(known.smi_row, line);
  if (row) return [device(row[2], row[1])];
  const listed = match(known.listed, line);
  if (listed) return listed[1].split(",").filter(Boolean).slice(0, 64).map((index) => device(listed[2], index));
  const queried = match(known.queried, line);
  if (queried) return [device(queried[2], queried[1] ?? `line ${number}`, Number(queried[3]))];
  const rocm = match(known.rocm, line);
  if (rocm) return [device(rocm[2], rocm[1])];
  const marketing = match(known.marketing, line);
  if (marketing && !search(known.processor, marketing[1])) return [device(marketing[1], `line ${number}`)];
  const llama = match(known.llama, line);
  if (llama) return [device(llama[2], llama[1])];
  const metal = match(known.metal, line);
  return metal ? [device(metal[1], "0")] : [];
}

/** The words that tell products apart. HBM3 on an H100 says that it is the SXM form. @param {string} name @param {Machines} known @returns {Set<string>} */
function parts(name, known) {
  const bare = name.toLowerCase().replace(/\([^)]*\)|max-q|hbm3e/g, " ").replaceAll("hbm3", " sxm ");
  const text = bare.replace(/(?<![a-z\d])(\d+)\s*g(?:i?b)?\b/g, "$1").replace(/\bsxm\d\b/g, "sxm").replaceAll("+", "");
  return new Set((text.match(/[a-z0-9]+/g) ?? []).filter((part) => !known.no_part.includes(part)));
}

/** The product whose name is in the device's name with the most words; memory decides where the name leaves it open. @param {Device} device @param {Machines} known @returns {Product | null} */
export function hardware(device, known) {
  const cut = device.name.endsWith("...") ? (device.name.replace(/\.+$/, "").split(/\s+/).at(-1) ?? "").toLowerCase() : "";
  const own = parts(device.name, known);
  /** @type {[number, Product][]} */
  const best = [];
  for (const product of known.products) {
    for (const name of product.names) {
      const wanted = new Set([...parts(name, known)].filter((part) => !cut || !part.startsWith(cut)));
      const fitted = isSubset(wanted, own) || (isSubset(withoutMemory(wanted), own) && fits(product, device));
      const other = [...own].some((part) => known.other_product.includes(part) && !wanted.has(part));
      if (wanted.size && fitted && !other && [...wanted].some((part) => own.has(part) && /\d/.test(part))) best.push([wanted.size, product]);
    }
  }
  const most = Math.max(...best.map(([count]) => count));
  const products = [...new Set(best.filter(([count]) => count === most).map(([, product]) => product))];
  const fitting = products.length > 1 ? products.filter((product) => fits(product, device)) : products;
  return fitting.length === 1 ? fitting[0] : null;
}

/** @param {Set<string>} some @param {Set<string>} all */
function isSubset(some, all) {
  return [...some].every((part) => all.has(part));
}

/** @param {Set<string>} parts */
function withoutMemory(parts) {
  const words = [...parts].filter((part) => !/^\d+$/.test(part));
  return words.length ? new Set(words) : parts;
}

/** Whether the memory that the tool shows is that of the record, within what drivers keep for themselves. @param {Product} product @param {Device} device */
function fits(product, device) {
  return Boolean(product.bytes && device.mebibytes) && Math.abs((Number(device.mebibytes) * MEBIBYTE) / Number(product.bytes) - 1) < 0.1;
}
