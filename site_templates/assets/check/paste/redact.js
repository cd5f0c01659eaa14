// @ts-check
// Takes secrets, people and machines out of pasted text before anything else looks at it, as answer/diagnose/redact.py does; its rules are data.

import { every, replaced } from "./patterns.js";

/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {{hints: string[], pattern: Pattern, change: string}} Rule `change` is a template, or the name of a function below behind an = */
/** @typedef {{mask: string, named: Pattern, public: string[], local: string[], whole: Rule[], line: Rule[]}} Rules */

/** @param {string} text @param {Rules} rules @returns {string} the text without secrets, line by line as it was */
export function redact(text, rules) {
  const whole = apply(rules.whole, text, rules);
  const names = /key|token|secret|passw/i.test(text) ? new Set([...every(rules.named, whole)].map(([, name, other]) => name ?? other)) : [];
  const masked = [...names].sort().reduce((masked, name) => masked.replace(new RegExp(`(\\b${name}[ \\t]?=[ \\t]?["']?)(?!\\$)[^\\s"';]+`, "g"), `$1${rules.mask}`), whole);
  return masked.split("\n").map((line) => (line.length < 4 ? line : apply(rules.line, line, rules))).join("\n");
}

/** @param {Rule[]} chosen @param {string} text @param {Rules} rules */
function apply(chosen, text, rules) {
  const lowered = text.toLowerCase();
  for (const rule of chosen) {
    if (rule.hints.some((hint) => lowered.includes(hint))) text = replaced(rule.pattern, text, (found) => changed(rule.change, found, rules));
  }
  return text;
}

/** @param {string} change @param {RegExpMatchArray} found @param {Rules} rules */
function changed(change, found, rules) {
  if (change === "=block") return rules.mask + "\n".repeat(found[0].split("\n").length - 1);
  if (change === "=manifest") return found[0].split("\n---").map((part) => manifest(part, rules.mask)).join("\n---");
  if (change === "=address") return isPrivate(found[0]) ? rules.mask : found[0];
  if (change === "=host") return host(found, rules);
  return change.replace(/\\(\d)/g, (_, number) => found[Number(number)] ?? "");
}

const STORED = /^([ \t]*)(?:data|stringData):[ \t]*\n(?:\1[ \t]+.*(?:\n|$))+/gm;
const ITEM = /^([ \t]+[\w."'/-]+:[ \t]*)\S.*$|^([ \t]{4,})[\w+/=]{8,}[ \t]*$/gm;

/** Masks what a secret among some manifests stores. @param {string} text @param {string} mask */
function manifest(text, mask) {
  if (!/\bkind["']?:[ \t]*["']?secret\b/i.test(text)) return text;
  return text.replace(STORED, (block) => block.replace(ITEM, (_, key = "", indent = "") => (key || indent) + mask));
}

/** Whether a text is an address or a machine's own number; loopback, the wildcard and versions such as 0.10.1.1 are none. @param {string} text */
function isPrivate(text) {
  if (/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(text)) return true;
  const four = /^\d+(?:\.\d+){3}$/.test(text);
  if (four) return text.split(".").every((part) => Number(part) < 256 && String(Number(part)) === part) && !/^(?:127|0)\./.test(text);
  if (!text.includes(":") || !URL.canParse(`http://[${text}]/`)) return false;
  return !["[::1]", "[::]"].includes(new URL(`http://[${text}]/`).hostname);
}

/** @param {RegExpMatchArray} found @param {Rules} rules */
function host(found, rules) {
  const { before = "", host: written = "" } = found.groups ?? {};
  const [name, colon, port] = written.startsWith("[") ? [written, "", ""] : cut(written);
  const bare = name.toLowerCase().replace(/\.+$/, "");
  const known = rules.local.includes(bare) || bare.startsWith("$") || rules.public.some((each) => bare === each || bare.endsWith(`.${each}`));
  return known ? found[0] : `${before}${rules.mask}${colon}${port}`;
}

/** @param {string} text @returns {[string, string, string]} */
function cut(text) {
  const at = text.indexOf(":");
  return at < 0 ? [text, "", ""] : [text.slice(0, at), ":", text.slice(at + 1)];
}
