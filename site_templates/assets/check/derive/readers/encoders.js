// @ts-check
// infercompat/derive/readers/encoders.py: encoders see the whole input at once and generate nothing, so they keep no cache.

import { layer } from "../layers.js";
import { attention, demands, repeated } from "./common.js";

/** @typedef {import("./common.js").Read} Read */

/** Every layer attends in both directions within one pass, and nothing is kept for a next token. @type {Read} */
function encoder(config) {
  config.note("an encoder: it reads the whole input in one pass and keeps no cache");
  return demands(config, repeated(layer("none"), config.layerCount()));
}

/** One class for two kinds: an encoder where is_decoder is false, else full attention as in Qwen3. @type {Read} */
function jinaV5(config) {
  if (!config.flag("is_decoder", true)) return encoder(config);
  return demands(config, repeated(attention(config, { stated: "num_key_value_heads head_dim" }), config.layerCount()));
}

/** @type {import("./common.js").Reader[]} */
export const READERS = [
  [jinaV5, "jina_embeddings_v5", "JinaEmbeddingsV5Model"],
  [
    encoder,
    "bert roberta xlm-roberta xlm-roberta-xl camembert distilbert electra mpnet deberta deberta-v2 modernbert nomic_bert " +
      "jina_embeddings_v3 new gte eurobert albert hubert wavlm wav2vec2 wav2vec2-bert vits embedding_gemma2 embedding_gemma2_text llama_bidirec",
    "BertModel BertForMaskedLM BertForSequenceClassification BertForTokenClassification RobertaModel RobertaForMaskedLM " +
      "RobertaForSequenceClassification XLMRobertaModel XLMRobertaForMaskedLM XLMRobertaForSequenceClassification DistilBertModel " +
      "MPNetModel ModernBertModel ModernBertForSequenceClassification NomicBertModel GteModel GteNewModel HubertModel WavLMModel " +
      "VitsModel EmbeddingGemma2Model LlamaBidirectionalModel LlamaBidirectionalForSequenceClassification",
  ],
];
