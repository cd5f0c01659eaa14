// @ts-check
// infercompat/derive/gguf/header.py: the keys of a GGUF file and the list of its tensors, read from its first bytes.

import { repr } from "../python.js";
import { Float } from "../json.js";

/** A tensor's name, its dimensions with the length of a row first, and its type. @typedef {{name: string, dimensions: number[], type: string}} TensorInfo */
/** @typedef {{fields: Map<string, any>, tensors: TensorInfo[]}} Header */

/** Bytes and a reader of each value type that is a number; 8 is a string and 9 an array. @type {Map<number, [number, (view: DataView, at: number, little: boolean) => any]>} */
const SCALARS = new Map([
  [0, [1, (view, at) => view.getUint8(at)]],
  [1, [1, (view, at) => view.getInt8(at)]],
  [2, [2, (view, at, little) => view.getUint16(at, little)]],
  [3, [2, (view, at, little) => view.getInt16(at, little)]],
  [4, [4, (view, at, little) => view.getUint32(at, little)]],
  [5, [4, (view, at, little) => view.getInt32(at, little)]],
  [6, [4, (view, at, little) => new Float(view.getFloat32(at, little))]],
  [7, [1, (view, at) => view.getUint8(at) !== 0]],
  [10, [8, (view, at, little) => whole(view.getBigUint64(at, little))]],
  [11, [8, (view, at, little) => whole(view.getBigInt64(at, little))]],
  [12, [8, (view, at, little) => new Float(view.getFloat64(at, little))]],
]);
const STRING = 8, ARRAY = 9;

/** Names of tensor types by their number; the gaps are numbers that were taken back. @type {Map<number, string>} */
const TENSOR_TYPES = new Map(
  /** @type {[number, string][]} */ ([
    [0, "F32 F16 Q4_0 Q4_1"],
    [6, "Q5_0 Q5_1 Q8_0 Q8_1 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K"],
    [16, "IQ2_XXS IQ2_XS IQ3_XXS IQ1_S IQ4_NL IQ3_S IQ2_S IQ4_XS"],
    [24, "I8 I16 I32 I64 F64 IQ1_M BF16"],
    [34, "TQ1_0 TQ2_0"],
    [39, "MXFP4 NVFP4 Q1_0 Q2_0"],
  ]).flatMap(([first, names]) => names.split(" ").map((name, index) => /** @type {[number, string]} */ ([first + index, name]))),
);

const [MOST_KEYS, MOST_TENSORS, MOST_STRINGS] = [1 << 16, 1 << 17, 1 << 22];
const [LONGEST_KEPT, MOST_KEPT, MOST_DIMENSIONS] = [1 << 12, 1 << 12, 4];
/** Bytes that are read at first, and at most: the header of a model with a large vocabulary has some twenty MiB. */
const [FIRST, MOST] = [1 << 20, 1 << 26];

/** What is wrong with a file; the message says what. */
export class Unreadable extends Error {}
/** The bytes that were read end within the header. */
class Short extends Error {}

/** Stands for a list or a text that was too long to keep. */
export class Length {
  /** @param {number} count */
  constructor(count) {
    this.count = count;
  }
}

/** The header of a file, of which no more is read than that takes. Throws Unreadable. @param {Blob} file @returns {Promise<Header>} */
export async function readHeader(file) {
  for (let size = FIRST; ; size *= 4) {
    const bytes = await file.slice(0, Math.min(size, MOST)).arrayBuffer();
    try {
      return headerOf(new Cursor(bytes));
    } catch (error) {
      if (!(error instanceof Short)) throw error;
      if (bytes.byteLength >= file.size) throw new Unreadable("ends within its header");
      if (size >= MOST) throw new Unreadable(`its header is longer than ${MOST >> 20} MiB`);
    }
  }
}

class Cursor {
  /** @param {ArrayBuffer} bytes */
  constructor(bytes) {
    this.view = new DataView(bytes);
    this.at = 0;
    this.little = true;
  }

  /** The place of so many bytes, which are gone past; a length that is wrong leads past the end and no further. @param {number} count */
  take(count) {
    const start = this.at;
    if (!(start + count <= this.view.byteLength)) throw new Short();
    this.at = start + count;
    return start;
  }

  /** @param {number} kind */
  scalar(kind) {
    const [size, read] = /** @type {[number, (view: DataView, at: number, little: boolean) => any]} */ (SCALARS.get(kind));
    return read(this.view, this.take(size), this.little);
  }

  /** A length, which may be too large to be exact. */
  length() {
    return Number(this.scalar(10));
  }

  /** @returns {string | Length} */
  text() {
    const length = this.length(), start = this.take(length);
    return length > LONGEST_KEPT ? new Length(length) : new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(this.view.buffer, start, length));
  }
}

/** @param {Cursor} cursor @returns {Header} */
function headerOf(cursor) {
  const { view } = cursor;
  if (view.byteLength < 4 || view.getUint32(0) !== 0x47475546) throw new Unreadable("not a GGUF file: it does not begin with GGUF");
  cursor.take(4);
  let version = cursor.scalar(4);
  if ((version & 0xffff) === 0) [version, cursor.little] = [view.getUint32(4, false), false];
  if (version !== 2 && version !== 3) throw new Unreadable(`GGUF version ${version} is not 2 or 3`);
  const tensors = cursor.length(), keys = cursor.length();
  if (keys > MOST_KEYS || tensors > MOST_TENSORS) throw new Unreadable(`claims ${keys.toLocaleString("en")} keys and ${tensors.toLocaleString("en")} tensors, more than a model has`);
  /** @type {Map<string, any>} */
  const fields = new Map();
  for (let count = 0; count < keys; count += 1) {
    const key = cursor.text();
    if (typeof key !== "string") throw new Unreadable("has a key that is no name");
    if (fields.has(key)) throw new Unreadable(`has the key ${repr(key.slice(0, 60))} twice`);
    fields.set(key, valueOf(cursor, cursor.scalar(4)));
  }
  return { fields, tensors: Array.from({ length: tensors }, () => tensorOf(cursor)) };
}

/** @param {Cursor} cursor @param {number} kind @returns {any} */
function valueOf(cursor, kind) {
  if (SCALARS.has(kind)) return cursor.scalar(kind);
  if (kind === STRING) return cursor.text();
  if (kind !== ARRAY) throw new Unreadable(`has a value of the unknown type ${kind}`);
  return listOf(cursor, cursor.scalar(4), cursor.length());
}

/** A list of numbers if it is short; of longer lists and of texts only the length. @param {Cursor} cursor @param {number} kind @param {number} count */
function listOf(cursor, kind, count) {
  const scalar = SCALARS.get(kind);
  if (scalar && count <= MOST_KEPT) return Array.from({ length: count }, () => cursor.scalar(kind));
  if (scalar) cursor.take(count * scalar[0]);
  else if (kind !== STRING || count > MOST_STRINGS) throw new Unreadable(`has a list of ${count.toLocaleString("en")} entries of the type ${kind}`);
  else for (let index = 0; index < count; index += 1) cursor.take(cursor.length());
  return new Length(count);
}

/** @param {Cursor} cursor @returns {TensorInfo} */
function tensorOf(cursor) {
  const name = cursor.text(), rank = cursor.scalar(4);
  if (typeof name !== "string") throw new Unreadable("has a tensor whose name is no name");
  if (rank > MOST_DIMENSIONS) throw new Unreadable(`has a tensor of ${rank} dimensions`);
  const dimensions = Array.from({ length: rank }, () => cursor.length()), kind = cursor.scalar(4);
  cursor.take(8);
  return { name, dimensions, type: TENSOR_TYPES.get(kind) ?? `type ${kind}` };
}

/** A whole number as readJson has it. @param {bigint} value @returns {number | bigint} */
function whole(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
