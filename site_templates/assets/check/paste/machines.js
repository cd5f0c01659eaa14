// @ts-check
// The hardware of a machine, as answer/diagnose/machines.py: what nvidia-smi, rocm-smi and others print of devices and drivers.

import { every, match, search, whole } from "./patterns.js";

/** @typedef {import("./flags.js").Seen} Seen */
/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {{name: string, index: string, mebibytes: number | null, pci: string}} Device `pci` is vendor:device, with :revision where a tool shows it */
/** @typedef {{id: string, names: string[], bytes: number | null, pci: string[]}} Product */
/** @typedef {"smi_row" | "smi_short" | "smi_memory" | "amd_row" | "listed" | "given" | "torch" | "queried" | "product" | "rocm" | "rocm_id" | "rocm_revision" | "rocm_row" | "marketing" | "chip" | "chip_revision" | "processor" | "llama" | "vulkan" | "using" | "ollama" | "metal" | "driver" | "toolkit" | "system" | "lspci" | "lspci_id" | "lspci_bare" | "lspci_name" | "lspci_revision" | "hex_name" | "frame"} Tool */
/** @typedef {{marks: string[], systems: [string, string][], vendors: [string, string, string][], no_part: string[], other_product: string[], products: Product[]} & Record<Tool, Pattern>} Machines */
/** @typedef {Record<string, number>} Counted */

const MEBIBYTE = 2 ** 20;
const NEAR = 120; // lines below a device on which a tool still speaks of it

/** Devices, driver, toolkit and system. @param {string[]} lines @param {import("../paste.js").Data} data @returns {import("./commands.js").Reading} */
export function read(lines, data) {
  const known = data.machines;
  /** @type {Seen[]} */
  const seen = [];
  const taken = new Set();
  /** @type {Counted} */
  const counted = {};
  let framed = false;
  lines.forEach((line, place) => {
    if (line.length > 400) return;
    framed = line.includes("-SMI") || (framed && Boolean(match(known.frame, line)));
    const found = known.marks.some((mark) => line.includes(mark)) ? ofLine(line, place + 1, counted, known) : [];
    const memory = framed ? search(known.smi_memory, line) : null;
    const last = seen.at(-1);
    if (memory && last?.kind === "device" && last.value.mebibytes === null) last.value.mebibytes = Number(memory[1] ?? memory[2]);
    for (const one of found) if (!joined(one, seen, known)) seen.push(one);
    if (framed || found.length || (line.includes("0x") && toldMore(line, place + 1, seen, counted, known))) taken.add(place + 1);
  });
  return { seen, taken };
}

/** Whether a device is one that was seen before: a tool says the number of one that it has named. @param {Seen} one @param {Seen[]} seen @param {Machines} known */
function joined(one, seen, known) {
  if (one.kind !== "device" || !whole(known.hex_name, one.value.name)) return false;
  const other = seen.findLast((each) => each.kind === "device" && each.value.index === one.value.index && one.line - each.line < NEAR);
  if (other && !other.value.pci) other.value.pci = one.value.pci;
  return Boolean(other?.value.pci.startsWith(one.value.pci));
}

/** Takes what further lines say of a device that was seen before: its number where the name says little, and its revision. @param {string} line @param {number} number @param {Seen[]} seen @param {Counted} counted @param {Machines} known */
function toldMore(line, number, seen, counted, known) {
  const devices = seen.filter((one) => one.kind === "device"), last = devices.at(-1);
  const chip = match(known.chip, line);
  if (chip) {
    const near = last && number - last.line < NEAR;
    if (last && near && !last.value.pci) last.value.pci = `1002:${chip[1]}`;
    else if (!last || !near || !last.value.pci.endsWith(chip[1])) seen.push({ kind: "device", name: "", value: device(`0x${chip[1]}`, next(counted, "marketing"), null, `1002:${chip[1]}`), line: number });
    return true;
  }
  const rocm = match(known.rocm_revision, line), revision = match(known.chip_revision, line);
  const of = rocm ? devices.findLast((one) => one.value.index === rocm[1]) : revision ? last : undefined;
  if (of?.value.pci.split(":").length === 2) of.value.pci += `:${rocm ? rocm[2] : revision?.[1]}`;
  return Boolean(of);
}

/** @param {string} line @param {number} number @param {Counted} counted @param {Machines} known @returns {Seen[]} */
function ofLine(line, number, counted, known) {
  /** @type {Seen[]} */
  const seen = devices(line, counted, known).map((value) => ({ kind: "device", name: "", value, line: number }));
  const driver = match(known.driver, line), toolkit = match(known.toolkit, line), system = match(known.system, line);
  if (driver) seen.push({ kind: "fact", name: "driver.version", value: driver[1], line: number });
  if (toolkit) seen.push({ kind: "fact", name: "cuda.version", value: toolkit[1], line: number });
  if (system) seen.push({ kind: "fact", name: "os", value: known.systems.find(([part]) => system[1].toLowerCase().includes(part))?.[1] ?? "linux", line: number });
  return seen;
}

/** @param {string} name @param {string} index @param {number | null} [mebibytes] @param {string} [pci] @returns {Device} */
function device(name, index, mebibytes = null, pci = "") {
  return { name: name.trim(), index, mebibytes, pci };
}

/** The place of a device in the list of a tool that gives no numbers. @param {Counted} counted @param {string} tool */
function next(counted, tool) {
  counted[tool] = (counted[tool] ?? -1) + 1;
  return String(counted[tool]);
}

/** A device by its name, or by the number that stands in its place. @param {string} name @param {string} index @param {Machines} known */
function named(name, index, known) {
  const number = whole(known.hex_name, name);
  return device(name, index, null, number ? `1002:${number[1]}` : "");
}

/** @param {string} line @param {Counted} counted @param {Machines} known @returns {Device[]} */
function devices(line, counted, known) {
  const row = search(known.smi_short, line) ?? search(known.smi_row, line);
  if (row) return [device(row[2], row[1])];
  const amd = search(known.amd_row, line);
  if (amd) return [named(amd[1].replace(/^[. ]+/, ""), next(counted, "amd-smi"), known)];
  const listed = match(known.listed, line);
  if (listed) return listed[1].split(",").filter(Boolean).slice(0, 64).map((index) => device(listed[2], index));
  const given = match(known.given, line);
  if (given) return Array.from({ length: Number(given[1] ?? given[3] ?? 1) }, (_, index) => device(given[2].replace(/^[ .,]+|[ .,]+$/g, ""), String(index)));
  const torch = match(known.torch, line);
  if (torch) return [device(torch[1], "0")];
  const queried = match(known.queried, line);
  if (queried) return [device(queried[2], queried[1] ?? next(counted, "query"), Number(queried[3]))];
  const product = match(known.product, line);
  if (product) return [device(product[1], next(counted, "product"))];
  const rocm = match(known.rocm, line);
  if (rocm) return [device(rocm[2], rocm[1])];
  const id = match(known.rocm_id, line) ?? match(known.rocm_row, line);
  if (id) return [device(`0x${id[2]}`, id[1], null, `1002:${id[2]}`)];
  const marketing = match(known.marketing, line);
  if (marketing && !search(known.processor, marketing[1])) return [named(marketing[1].trim(), next(counted, "marketing"), known)];
  const llama = match(known.llama, line) ?? match(known.vulkan, line) ?? match(known.using, line);
  if (llama) return [device(llama[2], llama[1])];
  const ollama = match(known.ollama, line);
  if (ollama) return [device(ollama[1], next(counted, "ollama"), Math.trunc(Number(ollama[2]) * 1024), ollama[1].startsWith("1002:") ? ollama[1].trim() : "")];
  const metal = match(known.metal, line);
  if (metal) return [device(metal[1], "0")];
  const lspci = match(known.lspci, line);
  const found = lspci ? ofLspci(lspci[1], known) : null;
  return found && hardware(found, known) ? [{ ...found, index: next(counted, "lspci") }] : [];
}

/** What lspci prints of a device: its id in brackets or as a bare number, or a name that is of no two products. @param {string} text @param {Machines} known @returns {Device | null} */
function ofLspci(text, known) {
  const vendor = known.vendors.find(([word]) => text.includes(word));
  if (!vendor) return null;
  const revision = search(known.lspci_revision, text), bare = search(known.lspci_bare, text);
  const names = [...every(known.lspci_name, text)].map(([, name]) => name).filter((name) => name !== "AMD");
  const pci = search(known.lspci_id, text)?.[1] ?? (bare ? `${vendor[1]}:${bare[1]}` : "");
  if (!pci && !names.length) return null;
  return device(names.length ? vendor[2] + names.at(-1) : pci, "", null, pci && pci + (revision ? `:${revision[1]}` : ""));
}

/** The words that tell products apart. HBM3 on an H100 says that it is the SXM form. @param {string} name @param {Machines} known @returns {Set<string>} */
function parts(name, known) {
  const bare = name.toLowerCase().replace(/\([^)]*\)|max-q|hbm3e/g, " ").replaceAll("hbm3", " sxm ");
  const text = bare.replace(/(?<![a-z\d])(\d+)\s*g(?:i?b)?\b/g, "$1").replace(/\bsxm\d\b/g, "sxm").replaceAll("+", "");
  return new Set((text.match(/[a-z0-9]+/g) ?? []).filter((part) => !known.no_part.includes(part)));
}

/** The product whose name is in the device's name with the most words; memory decides where the name leaves it open. @param {Device} device @param {Machines} known @returns {Product | null} */
export function hardware(device, known) {
  const byNumber = device.pci ? byId(device, known) : null;
  if (byNumber) return byNumber;
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

/** The product that has a PCI id for itself; where a revision or the memory tells products apart, with that. @param {Device} device @param {Machines} known @returns {Product | null} */
function byId(device, known) {
  const own = known.products.filter(({ pci }) => pci.includes(device.pci) || pci.includes(device.pci.slice(0, 9)));
  const shared = device.pci.length === 9 ? sharing(device, known).filter((product) => fits(product, device)) : [];
  const fitting = own.length ? own : shared;
  return fitting.length === 1 ? fitting[0] : null;
}

/** The products that share a PCI id with others, from which only the revision tells them. @param {Device} device @param {Machines} known */
export function sharing(device, known) {
  return known.products.filter(({ pci }) => device.pci && pci.some((id) => id.length > 9 && id.slice(0, 9) === device.pci.slice(0, 9)));
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
