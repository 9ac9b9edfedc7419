#!/usr/bin/env python3
"""Writes trace logs of more public models, with random weights: python make_more_model_logs.py OUT [NAME…]

Families that make_model_logs.py leaves out: more of transformers, and timm, torchvision's detectors and segmentation,
and the models of diffusers. The words behind `__` say how: dynamic, inference, eager (attention written out), inductor
(AOTAutograd as Inductor calls it). A library that is not installed is left out. The logs are not kept here.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from make_model_logs import (
    EXPERTS,
    GROUPED,
    HALF,
    HEADS,
    LAYERS,
    PAIR,
    PATCHES,
    SMALL_GPT2,
    SMALL_T5,
    SOUND,
    TEXT,
    WIDTH,
    WORDS,
)

HEAD8 = GROUPED | {"head_dim": 8}
LATENT = EXPERTS | {"q_lora_rank": 8, "kv_lora_rank": 8, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 8}
LATENT |= {"n_routed_experts": 4, "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1, "num_key_value_heads": 4}
EMBEDDED = TEXT | {"embedding_size": 16}
STAGES = {"hidden_sizes": [8, 16, 16, 32], "depths": [1, 1, 1, 1]}
MEL = {"vocab_size": WORDS, "d_model": WIDTH, "encoder_layers": LAYERS, "decoder_layers": LAYERS, "encoder_ffn_dim": 64}
MEL |= {"encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS, "decoder_ffn_dim": 64, "pad_token_id": 0}
MEL |= {"bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}

CAUSAL = {
    "qwen2_moe": EXPERTS | {"shared_expert_intermediate_size": 16},
    "qwen3__inductor": HEAD8,
    "phi__dynamic": GROUPED,
    "gemma": HEAD8,
    "gemma3_text": HEAD8 | {"query_pre_attn_scalar": 8, "sliding_window": 4},
    "cohere__inference": GROUPED,
    "cohere2": HEAD8 | {"sliding_window": 4},
    "stablelm": GROUPED,
    "persimmon__eager": TEXT,
    "codegen": SMALL_GPT2 | {"rotary_dim": 4},
    "gpt_bigcode__dynamic": SMALL_GPT2,
    "gpt_neo": {
        "vocab_size": WORDS,
        "hidden_size": WIDTH,
        "num_layers": 2,
        "num_heads": HEADS,
        "attention_types": [[["global", "local"], 1]],
    },
    "xglm": {"vocab_size": WORDS, "d_model": WIDTH, "num_layers": 2, "attention_heads": HEADS, "ffn_dim": 64},
    "biogpt": TEXT,
    "mpt": {"vocab_size": WORDS, "d_model": WIDTH, "n_layers": 2, "n_heads": HEADS, "max_seq_len": 64},
    "olmo__inference": GROUPED,
    "olmo3": GROUPED | {"sliding_window": 4},
    "olmoe": EXPERTS,
    "deepseek_v2__inference": LATENT,
    "deepseek_v3": LATENT,
    "jamba__eager": EXPERTS
    | {"attn_layer_period": 2, "attn_layer_offset": 1, "use_mamba_kernels": False, "mamba_d_state": 4},
    "mamba2": {
        "vocab_size": WORDS,
        "hidden_size": WIDTH,
        "num_hidden_layers": 2,
        "state_size": 8,
        "num_heads": 8,
        "head_dim": 8,
        "chunk_size": 4,
        "n_groups": 1,
    },
    "falcon_mamba__inference": {"vocab_size": WORDS, "hidden_size": WIDTH, "num_hidden_layers": 2, "state_size": 8},
    "rwkv": {"vocab_size": WORDS, "hidden_size": WIDTH, "num_hidden_layers": 2, "attention_hidden_size": WIDTH},
    "recurrent_gemma": HEAD8 | {"lru_width": WIDTH, "attention_window_size": 8},
    "glm": HEAD8,
    "glm4__dynamic": HEAD8,
    "nemotron": GROUPED,
    "smollm3": GROUPED,
    "gpt_oss": EXPERTS | {"head_dim": 8, "sliding_window": 4},
    "bitnet": GROUPED,
    "exaone4": GROUPED,
    "granitemoe": EXPERTS,
    "xlnet": {"vocab_size": WORDS, "d_model": WIDTH, "n_layer": 2, "n_head": HEADS, "d_inner": 64},
    "ctrl": {"vocab_size": WORDS, "n_embd": WIDTH, "n_layer": 2, "n_head": HEADS, "dff": 64, "n_positions": 64},
    "openai-gpt": SMALL_GPT2,
    "helium": HEAD8,
    "lfm2": GROUPED,
    "ernie4_5": GROUPED,
    "arcee": GROUPED,
    "llama__inference_inductor": GROUPED,
    "mistral__dynamic_inductor": GROUPED,
    "qwen3_next": EXPERTS
    | {
        "head_dim": 8,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
    },
    "llama4_text": EXPERTS | {"head_dim": 8, "intermediate_size_mlp": 64},
    "diffllama": GROUPED,
    "bamba": GROUPED
    | {
        "mamba_n_heads": 8,
        "mamba_d_head": 8,
        "mamba_d_state": 8,
        "mamba_n_groups": 1,
        "mamba_chunk_size": 4,
        "attn_layer_indices": [1],
    },
}
MASKED = {
    "xlm-roberta__dynamic_inductor": TEXT,
    "camembert": TEXT,
    "big_bird": TEXT | {"attention_type": "original_full"},
    "squeezebert": EMBEDDED
    | {
        "q_groups": 2,
        "k_groups": 2,
        "v_groups": 2,
        "post_attention_groups": 2,
        "intermediate_groups": 2,
        "output_groups": 2,
        "embedding_size": WIDTH,
    },
    "mobilebert": TEXT | {"embedding_size": 16, "intra_bottleneck_size": 16, "num_feedforward_networks": 2},
    "rembert": TEXT | {"input_embedding_size": 16, "output_embedding_size": 16},
    "roformer": EMBEDDED,
    "layoutlm": TEXT,
    "esm": TEXT | {"mask_token_id": 3, "position_embedding_type": "rotary"},
    "ibert": TEXT,
    "deberta": TEXT | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    "ernie": TEXT,
    "megatron-bert": TEXT,
    "flaubert": {"vocab_size": WORDS, "emb_dim": WIDTH, "n_layers": 2, "n_heads": HEADS},
    "xlm__inference": {"vocab_size": WORDS, "emb_dim": WIDTH, "n_layers": 2, "n_heads": HEADS},
    "yoso": TEXT | {"use_expectation": True},
    "funnel": {
        "vocab_size": WORDS,
        "d_model": WIDTH,
        "block_sizes": [1, 1],
        "n_head": HEADS,
        "d_head": 8,
        "d_inner": 64,
    },
    "data2vec-text": TEXT,
    "eurobert": GROUPED,
    "longformer__inference": TEXT | {"attention_window": 8},
    "bert__inductor": TEXT,
    "distilbert__dynamic_inductor": {
        "vocab_size": WORDS,
        "dim": WIDTH,
        "n_layers": 2,
        "n_heads": HEADS,
        "hidden_dim": 64,
    },
}
TRANSLATING = {
    "mbart": PAIR,
    "blenderbot": PAIR,
    "m2m_100__dynamic": PAIR,
    "prophetnet": {
        "vocab_size": WORDS,
        "hidden_size": WIDTH,
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
        "num_encoder_attention_heads": HEADS,
        "num_decoder_attention_heads": HEADS,
        "encoder_ffn_dim": 64,
        "decoder_ffn_dim": 64,
        "pad_token_id": 0,
        "decoder_start_token_id": 2,
        "eos_token_id": 2,
    },
    "led": PAIR | {"attention_window": 4, "max_encoder_position_embeddings": 64, "max_decoder_position_embeddings": 64},
    "longt5": SMALL_T5 | {"local_radius": 4},
    "mt5__inference": SMALL_T5,
    "umt5": SMALL_T5,
    "switch_transformers": SMALL_T5
    | {"num_experts": 4, "num_sparse_encoder_layers": 1, "num_sparse_decoder_layers": 1},
    "plbart": PAIR,
    "bart__dynamic_inductor": PAIR,
    "fsmt": {
        "src_vocab_size": WORDS,
        "tgt_vocab_size": WORDS,
        "langs": ["en", "de"],
        "d_model": WIDTH,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": HEADS,
        "decoder_attention_heads": HEADS,
        "encoder_ffn_dim": 64,
        "decoder_ffn_dim": 64,
    },
}
SEEING = {
    "deit": PATCHES,
    "mobilenet_v1": {"depth_multiplier": 0.25},
    "mobilenet_v2": {"depth_multiplier": 0.25, "expand_ratio": 2},
    "mobilevit": {"image_size": 32, "hidden_sizes": [16, 16, 16], "neck_hidden_sizes": [8, 8, 8, 16, 16, 16, 16]},
    "mobilevitv2__dynamic": {"image_size": 32, "width_multiplier": 0.25},
    "levit": {
        "image_size": 64,
        "hidden_sizes": [16, 16, 16],
        "num_attention_heads": [2, 2, 2],
        "depths": [1, 1, 1],
        "key_dim": [8, 8, 8],
    },
    "cvt": {"embed_dim": [8, 16, 16], "num_heads": [1, 2, 2], "depth": [1, 1, 1]},
    "pvt": {
        "image_size": 32,
        "hidden_sizes": [8, 16, 16, 32],
        "depths": [1, 1, 1, 1],
        "num_attention_heads": [1, 2, 2, 4],
    },
    "pvt_v2__inference": {
        "image_size": 32,
        "hidden_sizes": [8, 16, 16, 32],
        "depths": [1, 1, 1, 1],
        "num_attention_heads": [1, 2, 2, 4],
    },
    "efficientnet": {"image_size": 32, "width_coefficient": 0.25, "depth_coefficient": 0.3, "hidden_dim": 320},
    "convnextv2": STAGES,
    "swinv2": {
        "image_size": 32,
        "patch_size": 2,
        "embed_dim": 16,
        "depths": [2, 2],
        "num_heads": [2, 4],
        "window_size": 4,
    },
    "focalnet": {
        "image_size": 32,
        "patch_size": 4,
        "embed_dim": 8,
        "depths": [1, 1],
        "focal_levels": [2, 2],
        "focal_windows": [3, 3],
        "hidden_sizes": [8, 16],
    },
    "bit": {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "num_groups": 2},
    "dinov2_with_registers": PATCHES,
    "swiftformer": {"image_size": 32, "depths": [1, 1, 1, 1], "embed_dims": [8, 16, 16, 32], "mlp_ratio": 2},
    "vit_msn__eager": PATCHES,
    "ijepa__inference": PATCHES,
    "hiera": {
        "image_size": [32, 32],
        "patch_size": [7, 7],
        "patch_stride": [4, 4],
        "patch_padding": [3, 3],
        "embed_dim": 8,
        "depths": [1, 1],
        "num_heads": [1, 2],
        "query_stride": [2, 2],
        "num_query_pool": 1,
        "masked_unit_size": [4, 4],
    },
    "textnet": {
        "stem_num_channels": 3,
        "stem_out_channels": 8,
        "hidden_sizes": [8, 8, 8, 8, 8],
        "image_size": [32, 32],
    },
    "resnet__dynamic_inductor": {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]},
    "vit__inductor": PATCHES,
}
HEARING = {
    "wavlm": SOUND,
    "sew": SOUND | {"squeeze_factor": 2},
    "unispeech": SOUND,
    "data2vec-audio__inference": SOUND,
    "wav2vec2-conformer": SOUND,
    "encodec__inference": {
        "hidden_size": 16,
        "num_filters": 4,
        "num_residual_layers": 1,
        "upsampling_ratios": [4, 2],
        "codebook_size": 16,
        "codebook_dim": 16,
    },
    "dac__inference": {
        "encoder_hidden_size": 8,
        "downsampling_ratios": [2, 2],
        "decoder_hidden_size": 16,
        "n_codebooks": 2,
        "codebook_size": 16,
        "hidden_size": 32,
    },
}
SPOKEN = {
    "whisper": MEL | {"num_mel_bins": 8, "max_source_positions": 16, "max_target_positions": 32},
    "whisper__inference": MEL | {"num_mel_bins": 8, "max_source_positions": 16, "max_target_positions": 32},
}
SPOKEN_LONG = {
    "speech_to_text": MEL
    | {"input_feat_per_channel": 8, "conv_channels": 16, "max_source_positions": 64, "max_target_positions": 64},
}
BOTH = {
    "blip": HALF | {"projection_dim": 16, "image_text_hidden_size": 16},
    "chinese_clip": HALF,
    "git": TEXT | {"vision_config": PATCHES},
    "siglip__dynamic": HALF,
    "clip__dynamic_inductor": HALF,
}
BACKBONE = {
    "model_type": "resnet",
    "embedding_size": 8,
    "hidden_sizes": [8, 16, 16, 32],
    "depths": [1, 1, 1, 1],
    "out_features": ["stage4"],
}
DETECTING = {
    "detr": {
        "d_model": WIDTH,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 32,
        "decoder_ffn_dim": 32,
        "num_queries": 5,
        "use_timm_backbone": False,
        "use_pretrained_backbone": False,
        "backbone": None,
        "backbone_config": BACKBONE,
    },
    "conditional_detr__inference": {
        "d_model": WIDTH,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 32,
        "decoder_ffn_dim": 32,
        "num_queries": 5,
        "use_timm_backbone": False,
        "use_pretrained_backbone": False,
        "backbone": None,
        "backbone_config": BACKBONE,
    },
    "yolos": PATCHES | {"image_size": [32, 32], "num_detection_tokens": 4},
    "deformable_detr": {
        "d_model": WIDTH,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 32,
        "decoder_ffn_dim": 32,
        "num_queries": 5,
        "num_feature_levels": 2,
        "encoder_n_points": 2,
        "decoder_n_points": 2,
        "use_timm_backbone": False,
        "use_pretrained_backbone": False,
        "backbone": None,
        "backbone_config": BACKBONE | {"out_features": ["stage3", "stage4"]},
    },
}
SEGMENTING = {
    "segformer": {
        "hidden_sizes": [8, 16, 16, 32],
        "depths": [1, 1, 1, 1],
        "num_attention_heads": [1, 2, 2, 4],
        "decoder_hidden_size": 16,
    },
    "mobilenet_v2": {"depth_multiplier": 0.25, "expand_ratio": 2},
    "upernet": {
        "backbone_config": BACKBONE | {"out_features": ["stage1", "stage2", "stage3", "stage4"]},
        "hidden_size": 16,
        "auxiliary_channels": 8,
        "auxiliary_in_channels": 16,
        "use_auxiliary_head": True,
        "pool_scales": [1, 2],
    },
}
DEEP = {
    "glpn": {
        "hidden_sizes": [8, 16, 16, 32],
        "depths": [1, 1, 1, 1],
        "num_attention_heads": [1, 2, 2, 4],
        "decoder_hidden_size": 16,
    },
    "dpt": PATCHES
    | {
        "is_hybrid": False,
        "backbone_out_indices": [0, 1, 1, 1],
        "neck_hidden_sizes": [8, 8, 8, 8],
        "fusion_hidden_size": 8,
    },
}
SERIES = {
    "context_length": 12,
    "prediction_length": 4,
    "lags_sequence": [1, 2],
    "d_model": 16,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_ffn_dim": 16,
    "decoder_ffn_dim": 16,
    "num_time_features": 1,
}
FORECASTING = {"time_series_transformer": SERIES, "informer": SERIES, "autoformer": SERIES}
PATCHED_SERIES = {
    "patchtst": {
        "num_input_channels": 2,
        "context_length": 16,
        "patch_length": 4,
        "patch_stride": 4,
        "d_model": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "ffn_dim": 16,
        "prediction_length": 4,
    },
    "patchtsmixer": {
        "num_input_channels": 2,
        "context_length": 16,
        "patch_length": 4,
        "patch_stride": 4,
        "d_model": 8,
        "num_layers": 1,
        "prediction_length": 4,
    },
}

TIMM = (
    """efficientnet_b0 mobilenetv3_small_050__dynamic mobilenetv4_conv_small resnet10t resnet26d__inference seresnet18
ecaresnet26t skresnet18 resnest14d res2net50_14w_8s__inference vit_tiny_patch16_224 deit3_small_patch16_224 mixer_s32_224
resmlp_12_224 gmlp_ti16_224 convmixer_768_32__inference convnext_atto convnextv2_atto__inductor poolformer_s12 poolformerv2_s12
regnetx_002__dynamic_inductor regnety_002 repvgg_a0 ghostnet_050 ghostnetv2_100 hardcorenas_a mnasnet_small tf_efficientnetv2_b0
mixnet_s fbnetc_100 spnasnet_100__inference dla34 hrnet_w18_small__inference vovnet39a cspresnet50__inference dpn48b
nf_resnet26 nfnet_f0__inference eca_nfnet_l0 xcit_nano_12_p16_224 cait_xxs24_224__inference crossvit_tiny_240
tnt_s_patch16_224__inference twins_svt_small__inference volo_d1_224__inference edgenext_xx_small efficientformer_l1
efficientformerv2_s0 fastvit_t8 mobileone_s0 tiny_vit_5m_224 pit_ti_224 levit_128s convit_tiny beit_base_patch16_224__inference
eva02_tiny_patch14_224 mvitv2_tiny__inference pvt_v2_b0 focalnet_tiny_srf__inference gcvit_xxtiny__inference caformer_s18__inference
hgnetv2_b0 repghostnet_050 swin_tiny_patch4_window7_224__inference sequencer2d_s__inference starnet_s1 mambaout_femto
coatnet_nano_rw_224__inference maxvit_pico_rw_256__inference bat_resnext26ts botnet26t_256 halonet26t lambda_resnet26t
haloregnetz_b visformer_tiny inception_next_tiny__inference xception41__inference rexnet_100 selecsls42b vgg11__inference
densenet121__inference inception_v3__inference repvit_m0_9 shvit_s1 efficientvit_b0 efficientvit_m0 swiftformer_xs lcnet_050 tinynet_e
davit_tiny__inference hiera_tiny_224__inference nextvit_small__inference mobilevit_xxs mobilevitv2_050 coat_tiny__inference
resnetv2_50__inference gernet_s vit_relpos_small_patch16_224 rdnet_tiny__inference convformer_s18__inference""".split()
)

DETECTORS = {
    "tv_fcn_resnet50__inference": ("segmentation", "fcn_resnet50"),
    "tv_deeplabv3_mobilenet": ("segmentation", "deeplabv3_mobilenet_v3_large"),
    "tv_lraspp__dynamic": ("segmentation", "lraspp_mobilenet_v3_large"),
    "tv_vit_b_32__inference": ("", "vit_b_32"),
    "tv_googlenet": ("", "googlenet"),
    "tv_mnasnet": ("", "mnasnet0_5"),
    "tv_regnet": ("", "regnet_y_400mf"),
    "tv_swin_v2_t__inference": ("", "swin_v2_t"),
    "tv_convnext_tiny__inductor": ("", "convnext_tiny"),
    "tv_resnet50__dynamic": ("", "resnet50"),
    "tv_mobilenet_v2__inductor": ("", "mobilenet_v2"),
    "tv_r3d_18": ("video", "r3d_18"),
    "tv_r2plus1d__inference": ("video", "r2plus1d_18"),
    "tv_s3d__inference": ("video", "s3d"),
}


def tv(kind, given, words):
    import torchvision

    place = getattr(torchvision.models, given[0]) if given[0] else torchvision.models
    options = {"init_weights": False} if given[1] == "googlenet" else {}
    if given[0] == "segmentation":
        options |= {"weights": None, "weights_backbone": None}
    return getattr(place, given[1])(num_classes=5, **options)


def timm_model(kind, name, words):
    import timm

    return timm.create_model(name, num_classes=5)


def tv_images(config, length=9):
    name = config[1]
    size = 224 if "vit" in name else 64
    video = config[0] == "video"
    return {"x": torch.randn(*((2, 3, 14, 64, 64) if video else (length - 7, 3, size, size)))}


def timm_images(config, length=9):
    size = 256 if "256" in config else 240 if "240" in config else 75 if config == "inception_v3" else 64
    fixed = (
        "vit",
        "mixer",
        "resmlp",
        "gmlp",
        "xcit",
        "cait",
        "tnt",
        "deit",
        "volo",
        "levit",
        "pit",
        "beit",
        "eva",
        "swin",
        "coat",
        "twins",
        "gcvit",
        "focal",
        "sequencer",
        "hiera",
        "lambda",
        "halo",
        "visformer",
        "efficientformer",
        "davit",
        "nextvit",
    )
    if (
        size == 64
        and any(word in config for word in fixed)
        and not config.startswith(("mobilevit", "efficientvit_b", "fastvit", "repvit", "shvit", "tiny_vit"))
    ):
        size = 224
    if config == "tiny_vit_5m_224" or config == "efficientvit_m0":
        size = 224
    return {"x": torch.randn(length - 7, 3, size, size)}


def sizes(size):
    return lambda config, length=9: {"pixel_values": torch.randn(length - 7, 3, size, size)}


def mel(config, length=9):
    return {"input_features": torch.randn(2, 8, 32), "labels": torch.randint(3, WORDS, (2, 7)), "use_cache": False}


def mel_long(config, length=9):
    return {"input_features": torch.randn(2, 40, 8), "labels": torch.randint(3, WORDS, (2, 7)), "use_cache": False}


def series(config, length=9):
    past, future = 16 if "auto" not in config[0] else 16, 4
    past = 12 + max(config[1]["lags_sequence"])
    return {
        "past_values": torch.randn(2, past).abs(),
        "past_time_features": torch.randn(2, past, 1),
        "past_observed_mask": torch.ones(2, past),
        "future_values": torch.randn(2, future).abs(),
        "future_time_features": torch.randn(2, future, 1),
    }


def patched(config, length=9):
    return {"past_values": torch.randn(length - 7, 16, 2), "future_values": torch.randn(length - 7, 4, 2)}


def detect_boxes(kind, name, words):
    import torchvision

    model = getattr(torchvision.models.detection, name)(
        weights=None, weights_backbone=None, num_classes=3, min_size=64, max_size=64
    )
    return model


def diffusing(name, module, call, words=""):
    def program():
        import diffusers

        torch.manual_seed(0)
        model = module(diffusers)
        model.train("inference" not in words)
        compiled = common.C(model, dynamic="dynamic" in words)
        with torch.set_grad_enabled("inference" not in words):
            for batch in (2, 3) if "dynamic" in words else (2,):
                common.back(compiled(**call(batch), return_dict=False))

    P[name] = program


def add_diffusers():
    blocks = {"block_out_channels": (8, 16), "layers_per_block": 1, "norm_num_groups": 4}
    down, up = ("DownBlock2D", "AttnDownBlock2D"), ("AttnUpBlock2D", "UpBlock2D")
    unet = lambda d: d.UNet2DModel(
        sample_size=8, down_block_types=down, up_block_types=up, attention_head_dim=4, **blocks
    )
    noisy = lambda channels: lambda b: {"sample": torch.randn(b, channels, 8, 8), "timestep": torch.tensor([5] * b)}
    told = lambda channels: lambda b: noisy(channels)(b) | {"encoder_hidden_states": torch.randn(b, 5, 16)}
    diffusing("df_unet2d", unet, noisy(3))
    diffusing("df_unet2d__dynamic", unet, noisy(3), "dynamic")
    cross = {
        "down_block_types": ("CrossAttnDownBlock2D", "DownBlock2D"),
        "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D"),
    }
    conditioned = lambda d: d.UNet2DConditionModel(
        sample_size=8, cross_attention_dim=16, attention_head_dim=4, **cross, **blocks
    )
    diffusing("df_unet2d_condition", conditioned, told(4))
    diffusing("df_unet2d_condition__inference", conditioned, told(4), "inference")
    vae = lambda d: d.AutoencoderKL(
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        latent_channels=4,
        **blocks
    )
    diffusing("df_autoencoder_kl", vae, lambda b: {"sample": torch.randn(b, 3, 16, 16)})
    vq = lambda d: d.VQModel(
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        latent_channels=4,
        num_vq_embeddings=16,
        vq_embed_dim=4,
        **blocks
    )
    diffusing("df_vq", vq, lambda b: {"sample": torch.randn(b, 3, 16, 16)})
    dit = lambda d: d.DiTTransformer2DModel(
        num_attention_heads=2, attention_head_dim=8, in_channels=4, num_layers=1, sample_size=8, norm_num_groups=4
    )
    diffusing(
        "df_dit",
        dit,
        lambda b: {
            "hidden_states": torch.randn(b, 4, 8, 8),
            "timestep": torch.tensor([3] * b),
            "class_labels": torch.tensor([1] * b),
        },
    )
    pixart = lambda d: d.PixArtTransformer2DModel(
        num_attention_heads=2,
        attention_head_dim=8,
        in_channels=4,
        out_channels=8,
        num_layers=1,
        sample_size=8,
        cross_attention_dim=16,
        caption_channels=16,
        norm_num_groups=4,
    )
    diffusing(
        "df_pixart",
        pixart,
        lambda b: {
            "hidden_states": torch.randn(b, 4, 8, 8),
            "encoder_hidden_states": torch.randn(b, 5, 16),
            "timestep": torch.tensor([3] * b),
        },
        "inference",
    )
    sd3 = lambda d: d.SD3Transformer2DModel(
        sample_size=8,
        in_channels=4,
        num_layers=2,
        attention_head_dim=8,
        num_attention_heads=2,
        joint_attention_dim=16,
        caption_projection_dim=16,
        pooled_projection_dim=16,
        out_channels=4,
    )
    diffusing(
        "df_sd3",
        sd3,
        lambda b: {
            "hidden_states": torch.randn(b, 4, 8, 8),
            "encoder_hidden_states": torch.randn(b, 5, 16),
            "pooled_projections": torch.randn(b, 16),
            "timestep": torch.tensor([3] * b),
        },
    )
    flux = lambda d: d.FluxTransformer2DModel(
        patch_size=1,
        in_channels=4,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=16,
        pooled_projection_dim=16,
        axes_dims_rope=(4, 4, 8),
    )
    diffusing(
        "df_flux",
        flux,
        lambda b: {
            "hidden_states": torch.randn(b, 16, 4),
            "encoder_hidden_states": torch.randn(b, 5, 16),
            "pooled_projections": torch.randn(b, 16),
            "timestep": torch.tensor([0.3] * b),
            "img_ids": torch.randn(16, 3),
            "txt_ids": torch.randn(5, 3),
        },
    )
    unet1d = lambda d: d.UNet1DModel(
        sample_size=16,
        in_channels=4,
        out_channels=4,
        block_out_channels=(8, 16),
        down_block_types=("DownBlock1DNoSkip", "DownBlock1D"),
        up_block_types=("UpBlock1D", "UpBlock1DNoSkip"),
        extra_in_channels=16,
    )
    diffusing("df_unet1d", unet1d, lambda b: {"sample": torch.randn(b, 4, 16), "timestep": 5}, "inference")
    control = lambda d: d.ControlNetModel(
        block_out_channels=(8, 16),
        layers_per_block=1,
        norm_num_groups=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        cross_attention_dim=16,
        attention_head_dim=4,
        conditioning_embedding_out_channels=(8, 16),
    )
    diffusing("df_controlnet", control, lambda b: told(4)(b) | {"controlnet_cond": torch.randn(b, 3, 16, 16)})
    prior = lambda d: d.PriorTransformer(
        num_attention_heads=2, attention_head_dim=8, num_layers=1, embedding_dim=16, num_embeddings=5
    )
    diffusing(
        "df_prior",
        prior,
        lambda b: {
            "hidden_states": torch.randn(b, 16),
            "timestep": 3,
            "proj_embedding": torch.randn(b, 16),
            "encoder_hidden_states": torch.randn(b, 5, 16),
        },
    )


def detection_program(name, words):
    def program():
        torch.manual_seed(0)
        model = detect_boxes(None, name, words)
        model.train("inference" not in words)
        compiled = common.C(model)
        pictures = [torch.randn(3, 64, 64), torch.randn(3, 56, 64)]
        boxes = [{"boxes": torch.tensor([[4.0, 4.0, 30.0, 40.0]]), "labels": torch.tensor([1])} for _ in pictures]
        with torch.set_grad_enabled("inference" not in words):
            common.back(compiled(pictures, None if "inference" in words else boxes))

    return program


def in_words(run):
    """Programs whose name says inductor are compiled with that backend."""

    def wrapped(build, kind, config, inputs, words):
        if "inductor" in words:
            common.choose_backend("inductor_graphs")
        run(build, kind, config, inputs, words)

    return wrapped


def main():
    import make_model_logs as first

    first.torch, first.common = torch, common
    first.run = in_words(first.run)
    out, *names = sys.argv[1:]
    one_cacheless = lambda given: lambda config, length=9: given(config, length) | {"use_cache": False}
    tables = (
        (CAUSAL, "AutoModelForCausalLM", one_cacheless(first.labelled)),
        (MASKED, "AutoModelForMaskedLM", first.labelled),
        (TRANSLATING, "AutoModelForSeq2SeqLM", one_cacheless(first.labelled)),
        (
            SEEING,
            "AutoModelForImageClassification",
            lambda config, length=9: sizes(64 if config[0] in ("levit", "textnet") else 32)(config, length),
        ),
        (HEARING, "AutoModel", first.sounds),
        (SPOKEN, "AutoModelForSpeechSeq2Seq", mel),
        (SPOKEN_LONG, "AutoModelForSpeechSeq2Seq", mel_long),
        (BOTH, "AutoModel", lambda config, length=9: first.texts(config) | first.images(config, length)),
        (DETECTING, "AutoModelForObjectDetection", sizes(64)),
        (SEGMENTING, "AutoModelForSemanticSegmentation", sizes(64)),
        (DEEP, "AutoModelForDepthEstimation", sizes(32)),
    )
    for table, kind, inputs in tables:
        for name, config in table.items():
            family = {"AutoModelForSemanticSegmentation": "seg_", "AutoModelForSpeechSeq2Seq": ""}.get(kind, "")
            model_type, _, words = name.partition("__")
            arguments = (first.transformer, kind, (model_type, config), inputs, words.split("_"))
            P["hf_" + family + name] = lambda arguments=arguments: first.run(*arguments)
    import transformers

    for name, config in FORECASTING.items():
        kind = {
            "time_series_transformer": "TimeSeriesTransformerForPrediction",
            "informer": "InformerForPrediction",
            "autoformer": "AutoformerForPrediction",
        }[name]
        build = lambda k, c, w, kind=kind: getattr(transformers, kind)(transformers.AutoConfig.for_model(c[0], **c[1]))
        P["hf_" + name] = lambda b=build, n=name, c=config: first.run(b, None, (n, c), series, [])
    for name, config in PATCHED_SERIES.items():
        kind = {"patchtst": "PatchTSTForPrediction", "patchtsmixer": "PatchTSMixerForPrediction"}[name]
        build = lambda k, c, w, kind=kind: getattr(transformers, kind)(transformers.AutoConfig.for_model(c[0], **c[1]))
        P["hf_" + name] = lambda b=build, n=name, c=config: first.run(b, None, (n, c), patched, [])
    for name in TIMM:
        plain, _, words = name.partition("__")
        P["timm_" + name] = lambda plain=plain, words=words: first.run(
            timm_model, None, plain, timm_images, words.split("_")
        )
    for name, given in DETECTORS.items():
        words = name.partition("__")[2]
        P[name] = lambda given=given, words=words: first.run(
            tv, None, Listed(given), lambda c, l=9: tv_images(c, l), words.split("_")
        )
    for name in (
        "fasterrcnn_mobilenet_v3_large_320_fpn",
        "retinanet_resnet50_fpn",
        "fcos_resnet50_fpn",
        "maskrcnn_resnet50_fpn",
    ):
        P["tv_" + name] = detection_program(name, "")
        P["tv_" + name + "__inference"] = detection_program(name, "inference")
    add_diffusers()
    if names == ["--list"]:
        print("\n".join(P))
        return
    import timm
    import torchvision

    common.run_apart(out, names)


class Listed(list):
    """What is given to a model by position."""


if __name__ == "__main__":
    os.environ["TORCH_TRACE"] = sys.argv[1]
    sys.path.insert(0, os.path.join(HERE, "programs"))
    import torch

    import common
    from common import P

    main()
