#!/usr/bin/env python3
"""Writes trace logs of public models, tiny and with random weights: python make_model_logs.py OUT [NAME…]

Models of transformers 5.23 and torchvision, compiled with backend aot_eager; each log is in OUT/NAME. The logs are too big
for the repository: they are for a check against models that nobody here wrote, with any release of torch.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, HEADS, LAYERS, WORDS, IMAGE = 32, 4, 2, 99, 32
TEXT = {"vocab_size": WORDS, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS}
TEXT |= {"intermediate_size": 64, "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
GROUPED = TEXT | {"num_key_value_heads": 2}
EXPERTS = GROUPED | {"moe_intermediate_size": 16, "num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2}
PAIR = {"vocab_size": WORDS, "d_model": WIDTH, "encoder_layers": LAYERS, "decoder_layers": LAYERS, "pad_token_id": 0}
PAIR |= {"encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64}
PAIR |= {"max_position_embeddings": 64, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}
PATCHES = {"image_size": IMAGE, "patch_size": 8, "hidden_size": WIDTH, "num_hidden_layers": LAYERS}
PATCHES |= {"num_attention_heads": HEADS, "intermediate_size": 64}
SOUND = TEXT | {"conv_dim": (16, 16), "conv_stride": (4, 4), "conv_kernel": (8, 4), "num_feat_extract_layers": 2}
SOUND |= {"num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 4, "mask_time_length": 2, "apply_spec_augment": False}
HALF = {"text_config": TEXT, "vision_config": PATCHES, "projection_dim": 16}

SMALL_T5 = {"vocab_size": WORDS, "d_model": WIDTH, "d_kv": 8, "d_ff": 64, "num_layers": LAYERS, "num_heads": HEADS}
SMALL_T5 |= {"decoder_start_token_id": 0}
SMALL_GPT2 = {"vocab_size": WORDS, "n_embd": WIDTH, "n_layer": LAYERS, "n_head": HEADS, "n_positions": 64}

# The name is the model type, with what is asked behind `__`: dynamic sizes, inference, or attention written out.
CAUSAL = {
    "gpt2": SMALL_GPT2,
    "gpt2__dynamic": SMALL_GPT2,
    "gptj": SMALL_GPT2 | {"rotary_dim": 4},
    "llama": GROUPED,
    "llama__dynamic": GROUPED,
    "mistral__inference": GROUPED,
    "qwen2__eager": GROUPED,
    "qwen3": GROUPED | {"head_dim": 8},
    "gemma2": GROUPED | {"head_dim": 8, "query_pre_attn_scalar": 8},
    "phi3__inference_dynamic": GROUPED,
    "opt": TEXT | {"ffn_dim": 64, "word_embed_proj_dim": WIDTH},
    "gpt_neox": TEXT | {"hidden_dropout": 0.1, "attention_dropout": 0.1},
    "bloom": {"vocab_size": WORDS, "hidden_size": WIDTH, "n_layer": LAYERS, "n_head": HEADS, "hidden_dropout": 0.1},
    "falcon__eager": TEXT | {"alibi": True, "new_decoder_architecture": False},
    "olmo2": GROUPED,
    "starcoder2__dynamic": GROUPED | {"residual_dropout": 0.1},
    "granite": GROUPED,
    "mixtral": EXPERTS,
    "qwen3_moe__inference": EXPERTS | {"head_dim": 8},
    "mamba": {"vocab_size": WORDS, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "state_size": 8},
}
MASKED = {
    "bert": TEXT,
    "bert__dynamic": TEXT,
    "roberta__eager": TEXT,
    "albert": TEXT | {"embedding_size": 16},
    "electra__inference": TEXT | {"embedding_size": 16},
    "distilbert": {"vocab_size": WORDS, "dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS, "hidden_dim": 64},
    "deberta-v2": TEXT | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 8},
    "mpnet": TEXT,
    "fnet": TEXT,
    "convbert": TEXT | {"embedding_size": 16},
    "modernbert__dynamic": TEXT | {"global_attn_every_n_layers": 2, "cls_token_id": 1, "sep_token_id": 2},
    "nystromformer__inference": TEXT | {"num_landmarks": 9, "segment_means_seq_len": 9},
}
TRANSLATING = {
    "t5": SMALL_T5,
    "t5__dynamic": SMALL_T5,
    "bart": PAIR,
    "pegasus__inference": PAIR,
    "marian__eager": PAIR,
}
SEEING = {
    "vit": PATCHES | {"hidden_dropout_prob": 0.1},
    "vit__inference_dynamic": PATCHES,
    "beit": PATCHES | {"use_relative_position_bias": True},
    "dinov2": PATCHES,
    "swin": {"image_size": IMAGE, "patch_size": 2, "embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4},
    "convnext": {"hidden_sizes": [8, 16, 16, 32], "depths": [1, 1, 2, 1]},
    "resnet": {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]},
    "regnet__dynamic": {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "groups_width": 4},
    "segformer": {"hidden_sizes": [8, 16, 16, 32], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 2, 2, 4]},
    "poolformer": {"hidden_sizes": [8, 16], "depths": [1, 1], "num_encoder_blocks": 2},
}
HEARING = {"wav2vec2": SOUND, "hubert__inference": SOUND}
BOTH = {"clip": HALF, "siglip__inference": HALF}
VISION = {
    "torchvision_resnet18": "resnet18",
    "torchvision_mobilenet_v3_small": "mobilenet_v3_small",
    "torchvision_shufflenet_v2__dynamic": "shufflenet_v2_x0_5",
    "torchvision_squeezenet__inference": "squeezenet1_1",
    "torchvision_densenet": "densenet121",
    "torchvision_efficientnet": "efficientnet_b0",
}


def texts(config, length=9):
    return {"input_ids": torch.randint(3, WORDS, (2, length))}


def labelled(config, length=9):
    return texts(config, length) | {"labels": torch.randint(3, WORDS, (2, length))}


def images(config, length=9):
    return {"pixel_values": torch.randn(length - 7, 3, IMAGE, IMAGE)}


def sounds(config, length=9):
    return {"input_values": torch.randn(2, 64 * length)}


def transformer(kind, config, words):
    import transformers

    options = {"attn_implementation": "eager"} if "eager" in words else {}
    return getattr(transformers, kind).from_config(transformers.AutoConfig.for_model(config[0], **config[1]), **options)


def vision_model(kind, name, words):
    import torchvision

    return getattr(torchvision.models, kind)(num_classes=5)


def run(build, kind, config, inputs, words):
    torch.manual_seed(0)
    model = build(kind, config, words)
    model.train("inference" not in words)
    compiled = common.C(model, dynamic="dynamic" in words)
    with torch.set_grad_enabled("inference" not in words):
        for length in (9, 13) if "dynamic" in words else (9,):
            given = inputs(config, length)
            result = compiled(**given) if isinstance(config, tuple) else compiled(*given.values())
            common.back(result)


def add(table, kind, inputs):
    for name, config in table.items():
        model_type, _, words = name.partition("__")
        build, asked = (vision_model, config) if kind is None else (transformer, (model_type, config))
        arguments = (build, config if kind is None else kind, asked, inputs, words.split("_"))
        common.P[name] = lambda arguments=arguments: run(*arguments)


def main():
    out, *names = sys.argv[1:]
    add(CAUSAL, "AutoModelForCausalLM", lambda config, length: labelled(config, length) | {"use_cache": False})
    add(MASKED, "AutoModelForMaskedLM", labelled)
    add(TRANSLATING, "AutoModelForSeq2SeqLM", lambda config, length: labelled(config, length) | {"use_cache": False})
    add(SEEING, "AutoModelForImageClassification", images)
    add(HEARING, "AutoModel", sounds)
    add(BOTH, "AutoModel", lambda config, length: texts(config) | images(config, length))
    add(VISION, None, images)
    common.run_apart(out, names)


if __name__ == "__main__":
    os.environ["TORCH_TRACE"] = sys.argv[1]
    sys.path.insert(0, os.path.join(HERE, "programs"))
    import torch

    import common

    main()
