"""Decoders that attend across to another input: speech, a source text, or the tiles of an image."""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Layer, Unknown
from infercompat.derive.readers.common import Reader, attention, demands


def whisper(config: Config) -> Demands | Unknown:
    """Each decoder layer keeps its own tokens, and K and V of all max_source_positions encoder positions, however short the speech.

    Decided by models/whisper/modeling_whisper.py (transformers). The decoder stops at max_target_positions (448) tokens.
    """
    return demands(config, _decoder(config, config.size("max_source_positions")), {"audio-input": "the encoder hears log-mel spectrograms"})


def bart(config: Config) -> Demands | Unknown:
    """Each decoder layer keeps its own tokens, and K and V of the source text, counted at its longest.

    Decided by models/bart/modeling_bart.py and the like files of its relatives (transformers).
    """
    config.note("cross-attention is counted for a source text of max_position_embeddings tokens, the longest there can be")
    return demands(config, _decoder(config, config.size("max_position_embeddings")))


def _decoder(config: Config, positions: int) -> list[Layer]:
    decoder_heads = config.size("decoder_attention_heads", least=1)
    width = config.size("d_model") // decoder_heads
    return [Layer("full", decoder_heads, width, width, cross_tokens=positions)] * config.layer_count("decoder_layers")


def t5(config: Config) -> Demands | Unknown:
    """Each decoder layer keeps its own tokens, and K and V of the source text, whose length the config only suggests by n_positions.

    Decided by models/t5/modeling_t5.py (transformers); heads are d_kv wide, whatever d_model is.
    """
    config.note("cross-attention is counted for a source text of n_positions tokens; T5 itself sets no limit")
    width, count = config.size("d_kv"), config.layer_count("num_decoder_layers" if config.states("num_decoder_layers") else "num_layers")
    layer = Layer("full", config.size("num_attention_heads"), width, width, cross_tokens=config.size("n_positions"))
    return demands(config, [layer] * count)


def mllama(config: Config) -> Demands | Unknown:
    """The layers of cross_attention_layers hold vision tokens only, the others the text.

    Decided by models/mllama/modeling_mllama.py (transformers): (image_size // patch_size)^2 + 1 vision tokens a tile, max_num_tiles
    tiles an image. Without an image those layers are skipped and hold nothing.
    """
    count, crossing = config.layer_count(), config.sizes("cross_attention_layers")
    if crossing is None or any(index >= count for index in crossing):
        crossing = config.miss("cross_attention_layers", [])
    vision = Config(vision if isinstance(vision := config.anywhere("vision_config"), dict) else {})
    side = vision.size("image_size") // vision.size("patch_size", least=1)
    tokens = (side * side + 1) * vision.size("max_num_tiles")
    config.missing += [f"vision_config.{name}" for name in vision.missing]
    config.note(f"cross-attention is counted for one image of the most tiles, {tokens} vision tokens; a text alone holds none")
    text, across = attention(config, stated="num_key_value_heads"), set(crossing)
    to_vision = replace(text, kind="cross", cross_tokens=tokens)
    return demands(config, [to_vision if index in across else text for index in range(count)])


READERS = (
    Reader(whisper, "whisper", "WhisperForConditionalGeneration WhisperForCausalLM"),
    Reader(
        bart,
        "bart mbart marian pegasus blenderbot blenderbot-small m2m_100 plbart",
        "BartForConditionalGeneration MBartForConditionalGeneration MarianMTModel PegasusForConditionalGeneration "
        "BlenderbotForConditionalGeneration BlenderbotSmallForConditionalGeneration M2M100ForConditionalGeneration "
        "PLBartForConditionalGeneration",
    ),
    Reader(t5, "t5 mt5 umt5", "T5ForConditionalGeneration MT5ForConditionalGeneration UMT5ForConditionalGeneration"),
    Reader(mllama, "mllama mllama_text_model", "MllamaForConditionalGeneration MllamaForCausalLM"),
)
