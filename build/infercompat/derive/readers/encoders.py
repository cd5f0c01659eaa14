"""Encoders: they see the whole input at once and generate nothing, so they keep no cache."""

from __future__ import annotations

from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Layer, Unknown
from infercompat.derive.readers.common import Reader, attention, demands


def encoder(config: Config) -> Demands | Unknown:
    """Every layer attends in both directions within one pass, and nothing is kept for a next token.

    Decided by the modeling files of the families in transformers, whose forward passes take no cache, or are not causal
    (models/embedding_gemma2/modeling_embedding_gemma2.py is_causal, and LlamaBidirectionalConfig in models/config.py of vLLM).
    """
    config.note("an encoder: it reads the whole input in one pass and keeps no cache")
    return demands(config, [Layer("none")] * config.layer_count())


def jina_v5(config: Config) -> Demands | Unknown:
    """One class for two kinds: an encoder where is_decoder is false, else full attention as in Qwen3.

    Decided by model_executor/models/jina.py (vLLM), JinaEmbeddingsV5Model.
    """
    if not config.flag("is_decoder", True):
        return encoder(config)
    return demands(config, [attention(config, stated="num_key_value_heads head_dim")] * config.layer_count())


READERS = (
    Reader(jina_v5, "jina_embeddings_v5", "JinaEmbeddingsV5Model"),
    Reader(
        encoder,
        "bert roberta xlm-roberta xlm-roberta-xl camembert distilbert electra mpnet deberta deberta-v2 modernbert nomic_bert "
        "jina_embeddings_v3 new gte eurobert albert hubert wavlm wav2vec2 wav2vec2-bert vits embedding_gemma2 embedding_gemma2_text llama_bidirec",
        "BertModel BertForMaskedLM BertForSequenceClassification BertForTokenClassification RobertaModel RobertaForMaskedLM "
        "RobertaForSequenceClassification XLMRobertaModel XLMRobertaForMaskedLM XLMRobertaForSequenceClassification DistilBertModel "
        "MPNetModel ModernBertModel ModernBertForSequenceClassification NomicBertModel GteModel GteNewModel HubertModel WavLMModel "
        "VitsModel EmbeddingGemma2Model LlamaBidirectionalModel LlamaBidirectionalForSequenceClassification",
    ),
)
