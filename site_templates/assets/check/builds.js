// @ts-check
// versions/told.py: what is told of a build beside its version, the day it was made and merged changes that it holds.

import { isDay } from "./versions.js";

/** @typedef {{version: string, date: string | null, changes: number[]}} Told */

const DATED = /^(.+)@(\d{4}-\d\d-\d\d)$/;
const LABEL = /^\+[0-9A-Za-z]+(?:[._-][0-9A-Za-z]+)*$/;
const CHANGE = /^pr(\d{1,9})$/;
const NUMBERS = /^(?:#|pr)?(\d{1,9})$/;
const ADDRESS = /^https:\/\/[^/\s]+\/([^/\s]+\/[^/\s]+)\/(?:-\/)?(?:pull|merge_requests)\/(\d{1,9})(?:[/?#].*)?$/;

/** What a version says of its build: `main@2026-11-20` its day, `0.33.0+cu130.pr57754` a change that it holds. @param {string} written @returns {Told} */
export function told(written) {
  const text = written.trim(), dated = DATED.exec(text), isDated = dated !== null && isDay(dated[2]);
  const version = isDated ? dated[1] : text, date = isDated ? dated[2] : null;
  const [head, label] = version.split(/\+(.*)/s);
  if (label === undefined || !LABEL.test(`+${label}`)) return { version, date, changes: [] };
  const parts = label.split(/[._-]/), changes = parts.flatMap((part) => CHANGE.exec(part.toLowerCase())?.[1] ?? []);
  if (!changes.length) return { version, date, changes: [] };
  const left = parts.filter((part) => !CHANGE.test(part.toLowerCase()));
  return { version: left.length ? `${head}+${left.join(".")}` : head, date, changes: together(changes.map(Number)) };
}

/** The numbers in `57754`, `57754,57800` or addresses of pull requests; null where something else stands there. @param {string} text */
export function changesNamed(text) {
  const found = text.trim().split(/[\s,]+/).map((part) => ADDRESS.exec(part)?.[2] ?? NUMBERS.exec(part)?.[1]);
  return found.includes(undefined) ? null : together(found.map(Number));
}

/**
 * Whether the change at an address is among those that a build is told to hold. Numbers are of the component's own repository.
 * @param {number[]} changes @param {string | undefined} address @param {string | null | undefined} repository
 */
export function holdsChange(changes, address, repository) {
  const found = ADDRESS.exec(address ?? "");
  if (!found || !changes.includes(Number(found[2]))) return false;
  return !repository || repository.replace(/\/+$/, "").toLowerCase().endsWith(`/${found[1].toLowerCase()}`);
}

/** Each once, in order. @param {number[]} changes */
export function together(changes) {
  return [...new Set(changes)].sort((one, other) => one - other);
}
