// @ts-check
// infercompat/derive/readers/__init__.py: one reader for each family of architectures.

import { split } from "./common.js";
import * as encoderDecoder from "./encoder_decoder.js";
import * as encoders from "./encoders.js";
import * as gemma from "./gemma.js";
import * as latent from "./latent.js";
import * as linear from "./linear.js";
import * as qwen from "./qwen.js";
import * as recurrent from "./recurrent.js";
import * as rwkv from "./rwkv.js";
import * as standard from "./standard.js";
import * as windowed from "./windowed.js";

const MODULES = [standard, qwen, gemma, windowed, latent, recurrent, linear, rwkv, encoderDecoder, encoders];

/** From a model_type, or a class name for configs without one, to the reader. */
export const BY_NAME = new Map(MODULES.flatMap(({ READERS }) => READERS.flatMap(([read, ...names]) => split(names.join(" ")).map((name) => /** @type {const} */ ([name, read])))));
