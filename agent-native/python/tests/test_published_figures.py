"""Totals of well-known models against the figures their makers published, and against arithmetic of the configuration (parameter_arithmetic.py).

A figure is exact, or rounded as it was published (`step`: 1e9 for "671B"). "safetensors total" is the number of parameters that the Hugging Face Hub shows for
a repository: elements as stored. It can hold more than docs/shape-format.md counts (a tied head written twice, the correction biases of a router, a layer of
multi-token prediction that transformers does not build); `beyond` is that part, by arithmetic, so that the rest is exact.
"""
from typing import Any, Callable, NamedTuple, Optional

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")
from parameter_arithmetic import (
    Config,
    bert,
    bloom,
    decoder,
    falcon,
    four_norms,
    gated_mtp_layer,
    gpt2,
    gpt_neox,
    gpt_oss,
    head_norms,
    latent_decoder,
    mamba,
    mtp_layer,
    mtp_layer_with_embeddings,
    qkv_biases,
    rotary_tables,
    router_biases,
    sparse_latent_decoder,
    t5,
    tied_head,
    vit,
    whisper,
    wide_norms,
)
from repository import test_data

from lamella.build import BuildError, build, read_config
from lamella.reader import snapshot
from lamella.totals import totals

B = 10**9


class Published(NamedTuple):
    name: str
    figure: int
    step: int  # 1: exact; else what the figure was rounded to
    source: str
    config: Any  # its facts, or the name of a file of the public configurations
    arithmetic: Optional[Callable[[Config], int]] = None
    beyond: Optional[Callable[[Config], int]] = None


def of(kind: str, architecture: str, **facts: Any) -> Config:
    return dict(facts, model_type=kind, architectures=[architecture], dtype="bfloat16")


def hub(name: str) -> str:
    return "Hugging Face Hub, safetensors total of " + name


def llama(hidden: int, layers: int, heads: int, kv: int, width: int, vocab: int, **more: Any) -> Config:
    facts = {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kv, "intermediate_size": width}
    return of(more.pop("kind", "llama"), more.pop("architecture", "LlamaForCausalLM"), vocab_size=vocab, **facts, **more)


def neox(hidden: int, layers: int, heads: int, vocab: int) -> Config:
    facts = {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": 4 * hidden}
    return of("gpt_neox", "GPTNeoXForCausalLM", vocab_size=vocab, tie_word_embeddings=False, **facts)


QWEN2 = {"kind": "qwen2", "architecture": "Qwen2ForCausalLM"}
QWEN3 = {"kind": "qwen3", "architecture": "Qwen3ForCausalLM", "head_dim": 128}
GEMMA2 = {"kind": "gemma2", "architecture": "Gemma2ForCausalLM", "tie_word_embeddings": True}
MLA = {"kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
V2_MLA = dict(MLA, kind="deepseek_v2", architecture="DeepseekV2ForCausalLM", first_k_dense_replace=1, n_shared_experts=2, tie_word_embeddings=False)

MODELS = [
    Published("gpt2", 124_439_808, 1, hub("openai-community/gpt2"), of("gpt2", "GPT2LMHeadModel"), gpt2),
    Published("gpt2-xl", 1_557_611_200, 1, hub("openai-community/gpt2-xl"), of("gpt2", "GPT2LMHeadModel", n_embd=1600, n_layer=48, n_head=25), gpt2),
    Published("BERT base", 109_482_240, 1, "google-bert/bert-base-uncased without a head, as transformers and TF Hub count it", of("bert", "BertModel"), bert),
    Published("ViT-B/16", 86_567_656, 1, "torchvision documentation, num_params of vit_b_16", of("vit", "ViTForImageClassification", num_labels=1000), vit),
    Published("T5 small", 60_506_624, 1, hub("google-t5/t5-small"), of("t5", "T5ForConditionalGeneration"), t5),
    Published("Mamba 130M", 129_135_360, 1, hub("state-spaces/mamba-130m-hf"),
              of("mamba", "MambaForCausalLM", hidden_size=768, num_hidden_layers=24, vocab_size=50280), mamba),
    Published("Pythia 70M", 70_426_624, 1, "model card of EleutherAI/pythia-70m, table of exact parameter counts", neox(512, 6, 8, 50304), gpt_neox),
    Published("Pythia 12B", 11_846_072_320, 1, "model card of EleutherAI/pythia-12b, table of exact parameter counts", neox(5120, 36, 40, 50688), gpt_neox),
    Published("GPT-NeoX 20B", 20_554_567_680, 1, "model card of EleutherAI/gpt-neox-20b, n_parameters", neox(6144, 44, 64, 50432), gpt_neox),
    Published("BLOOM", 176_247_271_424, 1, "model card of bigscience/bloom",
              of("bloom", "BloomForCausalLM", vocab_size=250880, hidden_size=14336, n_layer=70, n_head=112), bloom),
    Published("BLOOM 560M", 559_214_592, 1, "model card of bigscience/bloom-560m",
              of("bloom", "BloomForCausalLM", vocab_size=250880, hidden_size=1024, n_layer=24, n_head=16), bloom),
    Published(
        "Whisper large-v3", 1_543_490_560, 1, hub("openai/whisper-large-v3"),
        of("whisper", "WhisperForConditionalGeneration", vocab_size=51866, num_mel_bins=128, d_model=1280, encoder_layers=32, decoder_layers=32,
           encoder_attention_heads=20, decoder_attention_heads=20, encoder_ffn_dim=5120, decoder_ffn_dim=5120), whisper,
    ),
    Published(
        "Falcon 180B", 179_522_565_120, 1, hub("tiiuae/falcon-180B"),
        of("falcon", "FalconForCausalLM", hidden_size=14848, num_hidden_layers=80, num_attention_heads=232, num_kv_heads=8, vocab_size=65024,
           new_decoder_architecture=True, parallel_attn=True, bias=False, alibi=False, tie_word_embeddings=False), falcon,
    ),
    Published("Llama 2 7B", 6_738_417_664, 1, hub("meta-llama/Llama-2-7b-hf"), llama(4096, 32, 32, 32, 11008, 32000), decoder, rotary_tables),
    Published("Llama 2 70B", 68_976_653_312, 1, hub("meta-llama/Llama-2-70b-hf"), llama(8192, 80, 64, 8, 28672, 32000), decoder, rotary_tables),
    Published("Llama 3.1 70B", 70_553_706_496, 1, hub("meta-llama/Llama-3.1-70B"), llama(8192, 80, 64, 8, 28672, 128256), decoder),
    Published("Llama 3.2 1B", 1_235_814_400, 1, hub("meta-llama/Llama-3.2-1B-Instruct"),
              llama(2048, 16, 32, 8, 8192, 128256, tie_word_embeddings=True), decoder),
    Published("SmolLM2 135M", 134_515_008, 1, hub("HuggingFaceTB/SmolLM2-135M-Instruct"), llama(576, 30, 9, 3, 1536, 49152, tie_word_embeddings=True), decoder),
    Published("Mistral 7B", 7_241_732_096, 1, hub("mistralai/Mistral-7B-v0.1"),
              llama(4096, 32, 32, 8, 14336, 32000, kind="mistral", architecture="MistralForCausalLM"), decoder),
    Published("Mixtral 8x22B", 140_620_634_112, 1, hub("mistral-community/Mixtral-8x22B-v0.1"),
              llama(6144, 56, 48, 8, 16384, 32000, kind="mixtral", architecture="MixtralForCausalLM", num_local_experts=8), decoder),
    Published("OLMo 2 7B", 7_298_617_344, 1, hub("allenai/OLMo-2-1124-7B"),
              llama(4096, 32, 32, 32, 11008, 100352, kind="olmo2", architecture="Olmo2ForCausalLM"), wide_norms),
    Published("OLMoE 1B-7B", 6_919_161_856, 1, hub("allenai/OLMoE-1B-7B-0924"),
              llama(2048, 16, 16, 16, 1024, 50304, kind="olmoe", architecture="OlmoeForCausalLM", num_experts=64), wide_norms),
    Published("Phi-3 mini", 3_821_079_552, 1, hub("microsoft/Phi-3-mini-4k-instruct"),
              llama(3072, 32, 32, 32, 8192, 32064, kind="phi3", architecture="Phi3ForCausalLM"), decoder),
    Published("Phi-4", 14_659_507_200, 1, hub("microsoft/phi-4"),
              llama(5120, 40, 40, 10, 17920, 100352, kind="phi3", architecture="Phi3ForCausalLM", pad_token_id=0), decoder),
    Published("Gemma 2 2B", 2_614_341_888, 1, hub("google/gemma-2-2b"), llama(2304, 26, 8, 4, 9216, 256000, head_dim=256, **GEMMA2), four_norms),
    Published("Gemma 2 27B", 27_227_128_320, 1, hub("google/gemma-2-27b-it"), llama(4608, 46, 32, 16, 36864, 256000, head_dim=128, **GEMMA2), four_norms),
    Published("Qwen2.5 0.5B", 494_032_768, 1, hub("Qwen/Qwen2.5-0.5B-Instruct"),
              llama(896, 24, 14, 2, 4864, 151936, tie_word_embeddings=True, **QWEN2), qkv_biases),
    Published("Qwen2.5 7B", 7_615_616_512, 1, hub("Qwen/Qwen2.5-7B-Instruct"),
              llama(3584, 28, 28, 4, 18944, 152064, tie_word_embeddings=False, **QWEN2), qkv_biases),
    Published("Qwen2.5 72B", 72_706_203_648, 1, hub("Qwen/Qwen2.5-72B-Instruct"),
              llama(8192, 80, 64, 8, 29568, 152064, tie_word_embeddings=False, **QWEN2), qkv_biases),
    Published("Qwen3 0.6B", 751_632_384, 1, hub("Qwen/Qwen3-0.6B") + ", its tied head stored twice",
              llama(1024, 28, 16, 8, 3072, 151936, tie_word_embeddings=True, **QWEN3), head_norms, tied_head),
    Published("Qwen3 8B", 8_190_735_360, 1, hub("Qwen/Qwen3-8B"), llama(4096, 36, 32, 8, 12288, 151936, tie_word_embeddings=False, **QWEN3), head_norms),
    Published("DeepSeek-V2-Lite", 15_706_484_224, 1, hub("deepseek-ai/DeepSeek-V2-Lite"),
              llama(2048, 27, 16, 16, 10944, 102400, q_lora_rank=None, moe_intermediate_size=1408, n_routed_experts=64, **V2_MLA), latent_decoder),
    Published("DeepSeek-V2", 235_741_434_880, 1, hub("deepseek-ai/DeepSeek-V2"),
              llama(5120, 60, 128, 128, 12288, 102400, q_lora_rank=1536, moe_intermediate_size=1536, n_routed_experts=160, **V2_MLA), latent_decoder),
    Published("DeepSeek-V3", 671 * B, B, "DeepSeek-V3 Technical Report, abstract",
              llama(7168, 61, 128, 128, 18432, 129280, kind="deepseek_v3", architecture="DeepseekV3ForCausalLM", q_lora_rank=1536, moe_intermediate_size=2048,
                    n_routed_experts=256, n_shared_experts=1, first_k_dense_replace=3, tie_word_embeddings=False, **MLA), latent_decoder),
    Published("Kimi K2", 10**12, 10**11, "README of Kimi-K2: 1T total parameters",
              llama(7168, 61, 64, 64, 18432, 163840, kind="deepseek_v3", architecture="DeepseekV3ForCausalLM", q_lora_rank=1536, moe_intermediate_size=2048,
                    n_routed_experts=384, n_shared_experts=1, n_group=1, topk_group=1, first_k_dense_replace=1, tie_word_embeddings=False, **MLA),
              latent_decoder),
    Published("gpt-oss-20b", 20_914_757_184, 1, hub("openai/gpt-oss-20b") + "; its model card says 20.9B",
              llama(2880, 24, 64, 8, 2880, 201088, kind="gpt_oss", architecture="GptOssForCausalLM", head_dim=64, num_local_experts=32), gpt_oss),
    Published(
        "Llama 4 Scout", 108_641_793_536, 1, hub("meta-llama/Llama-4-Scout-17B-16E-Instruct"),
        of("llama4", "Llama4ForConditionalGeneration",
           text_config=llama(5120, 48, 40, 8, 8192, 202048, kind="llama4_text", head_dim=128, intermediate_size_mlp=16384, num_local_experts=16,
                             interleave_moe_layer_step=1),
           vision_config={"hidden_size": 1408, "num_hidden_layers": 34, "num_attention_heads": 16, "intermediate_size": 5632, "image_size": 336,
                          "patch_size": 14, "pixel_shuffle_ratio": 0.5, "projector_input_dim": 4096, "projector_output_dim": 4096,
                          "vision_output_dim": 4096}),
    ),
]  # fmt: skip

M2 = hub("MiniMaxAI/MiniMax-M2") + ", of which this is a later training"
QWEN27 = hub("Qwen/Qwen3.6-27B") + ", of the same sizes as Qwen3.5-27B"
GLM5, GLM52, V32 = hub("zai-org/GLM-5"), hub("zai-org/GLM-5.2"), hub("deepseek-ai/DeepSeek-V3.2")
V4, NANO = "DeepSeek-V4 technical report, abstract: 284B and 1.6T", hub("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16")
QWEN235, QWEN397, KIMI = hub("Qwen/Qwen3-235B-A22B"), "model card of Qwen/Qwen3.5-397B-A17B", "README of Kimi-K2: 1T total parameters"
SUPER, ULTRA = "model card of NVIDIA-Nemotron-3-Super-120B-A12B", "model card of NVIDIA-Nemotron-3-Ultra-550B-A55B"

# Every configuration of the folder that is one of a model and that transformers knows.
FILES = [
    Published("MiniMax-M2.5", 228_689_764_864, 1, M2, "MiniMaxAI--MiniMax-M2.5_config.json", wide_norms, router_biases),
    Published("MiniMax-M2.5", 228_689_764_864, 1, M2, "nvidia--MiniMax-M2.5-NVFP4_config.json", wide_norms, router_biases),
    Published("MiniMax-M2.7", 228_689_764_864, 1, M2, "nvidia--MiniMax-M2.7-NVFP4_config.json", wide_norms, router_biases),
    Published("MiniMax-M3", 428 * B, 2 * B, "model card of MiniMaxAI/MiniMax-M3: about 428B", "nvidia--MiniMax-M3-NVFP4_config.json"),
    Published("Qwen3-1.7B", 2_031_739_904, 1, hub("Qwen/Qwen3-1.7B") + ", its tied head stored twice", "Qwen--Qwen3-1.7B_config.json", head_norms, tied_head),
    Published("Qwen3-32B", 32_762_123_264, 1, hub("Qwen/Qwen3-32B"), "Qwen--Qwen3-32B_config.json", head_norms),
    Published("Qwen3-30B-A3B", 30_532_122_624, 1, hub("Qwen/Qwen3-30B-A3B"), "Qwen--Qwen3-30B-A3B_config.json", head_norms),
    Published("Qwen3-235B-A22B", 235_093_634_560, 1, QWEN235, "Qwen--Qwen3-235B-A22B_config.json", head_norms),
    Published("Qwen3-235B-A22B", 235_093_634_560, 1, QWEN235, "nvidia--Qwen3-235B-A22B-NVFP4_config.json", head_norms),
    Published("Qwen3-Coder-480B", 480_154_875_392, 1, hub("Qwen/Qwen3-Coder-480B-A35B-Instruct"), "Qwen--Qwen3-Coder-480B-A35B-Instruct_config.json",
                  head_norms),
    Published("Qwen3-VL-2B", 2_127_532_032, 1, hub("Qwen/Qwen3-VL-2B-Instruct"), "Qwen--Qwen3-VL-2B-Instruct_config.json"),
    Published("Qwen3-VL-8B", 8_767_123_696, 1, hub("Qwen/Qwen3-VL-8B-Instruct"), "Qwen--Qwen3-VL-8B-Instruct_config.json"),
    Published("Qwen3-VL-32B", 33 * B, B, hub("Qwen/Qwen3-VL-32B-Instruct") + ", rounded: 33B", "Qwen--Qwen3-VL-32B-Instruct_config.json"),
    Published("Qwen3.5-27B", 27_781_427_952, 1, QWEN27, "Qwen--Qwen3.5-27B_config.json", None, gated_mtp_layer),
    Published("Qwen3.6-27B", 27_781_427_952, 1, QWEN27, "nvidia--Qwen3.6-27B-NVFP4_config.json", None, gated_mtp_layer),
    Published("Qwen3.6-35B-A3B", 35_951_822_704, 1, hub("Qwen/Qwen3.6-35B-A3B"), "nvidia--Qwen3.6-35B-A3B-NVFP4_config.json", None, gated_mtp_layer),
    Published("Qwen3.5-122B-A10B", 125_086_497_008, 1, hub("Qwen/Qwen3.5-122B-A10B"), "nvidia--Qwen3.5-122B-A10B-NVFP4_config.json", None, gated_mtp_layer),
    Published("Qwen3.5-397B-A17B", 397 * B, B, QWEN397, "Qwen--Qwen3.5-397B-A17B_config.json"),
    Published("Qwen3.5-397B-A17B", 397 * B, B, QWEN397, "nvidia--Qwen3.5-397B-A17B-NVFP4_config.json"),
    Published("MiMo-V2-Flash", 309 * B, B, "model card of XiaomiMiMo/MiMo-V2-Flash", "XiaomiMiMo--MiMo-V2-Flash_config.json"),
    Published("DeepSeek-V3.1", 671 * B, B, "DeepSeek-V3 Technical Report, abstract", "nvidia--DeepSeek-V3.1-NVFP4_config.json", latent_decoder),
    Published("DeepSeek-V3.2", 685_355_329_792, 1, V32, "deepseek-ai--DeepSeek-V3.2_config.json", sparse_latent_decoder, mtp_layer_with_embeddings),
    Published("DeepSeek-V3.2", 685_355_329_792, 1, V32, "nvidia--DeepSeek-V3.2-NVFP4_config.json", sparse_latent_decoder, mtp_layer_with_embeddings),
    Published("DeepSeek-V4-Flash", 284 * B, B, V4, "deepseek-ai--DeepSeek-V4-Flash_config.json"),
    Published("DeepSeek-V4-Flash", 284 * B, B, V4, "nvidia--DeepSeek-V4-Flash-NVFP4_config.json"),
    Published("DeepSeek-V4-Flash", 284 * B, B, V4, "sgl-project--DeepSeek-V4-Flash-FP8_config.json"),
    Published("DeepSeek-V4-Pro", 1600 * B, 100 * B, V4, "nvidia--DeepSeek-V4-Pro-NVFP4_config.json"),
    Published("Nemotron-3-Nano", 31_577_937_344, 1, NANO, "kaito__nemotron-3-nano-30b-a3b-config.json"),
    Published("Nemotron-3-Nano", 31_577_937_344, 1, NANO, "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4_config.json"),
    Published("Nemotron-3-Super", 120 * B, 10 * B, SUPER, "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8_config.json"),
    Published("Nemotron-3-Super", 120 * B, 10 * B, SUPER, "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4_config.json"),
    Published("Nemotron-3-Ultra", 550 * B, 10 * B, ULTRA, "nvidia--NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16_config.json"),
    Published("Llama 4 Maverick", 400 * B, 10 * B, "Llama 4 model card", "meta-llama--Llama-4-Maverick-17B-128E-Instruct_config.json"),
    Published("Llama 3.1 405B", 405_853_388_800, 1, hub("meta-llama/Llama-3.1-405B"), "meta-llama--Meta-Llama-3.1-405B_config.json", decoder),
    Published("Llama 3.1 8B", 8_030_261_248, 1, hub("meta-llama/Llama-3.1-8B"), "meta-llama--Meta-Llama-3.1-8B_config.json", decoder),
    Published("Mixtral 8x7B", 46_702_792_704, 1, hub("mistralai/Mixtral-8x7B-v0.1"), "mistralai--Mixtral-8x7B-v0.1_config.json", decoder),
    Published("Kimi K2.5", 1000 * B, 100 * B, KIMI, "moonshotai--Kimi-K2.5_config.json"),
    Published("Kimi K2.5", 1000 * B, 100 * B, KIMI, "nvidia--Kimi-K2.5-NVFP4_config.json"),
    Published("GLM-5", 753_864_139_008, 1, GLM5, "nvidia--GLM-5-NVFP4_config.json", sparse_latent_decoder, mtp_layer),
    Published("GLM-5", 753_864_139_008, 1, GLM5, "zai-org--GLM-5-FP8_config.json", sparse_latent_decoder, mtp_layer),
    Published("GLM-5.1", 753_864_139_008, 1, GLM5, "nvidia--GLM-5.1-NVFP4_config.json", sparse_latent_decoder, mtp_layer),
    Published("GLM-5.1", 753_864_139_008, 1, GLM5, "zai-org--GLM-5.1_config.json", sparse_latent_decoder, mtp_layer),
    Published("GLM-5.2", 753_329_940_480, 1, GLM52, "nvidia--GLM-5.2-NVFP4_config.json", sparse_latent_decoder, mtp_layer),
    Published("GLM-5.2", 753_329_940_480, 1, GLM52, "zai-org--GLM-5.2_config.json", sparse_latent_decoder, mtp_layer),
    Published("Gemma 4 26B-A4B", 25_805_933_872, 1, "weight index of google/gemma-4-26B-A4B-it, total_parameters", "nvidia--Gemma-4-26B-A4B-NVFP4_config.json"),
    Published("Gemma 4 31B", 31 * B, B, "model card of google/gemma-4-31B-it", "nvidia--Gemma-4-31B-IT-NVFP4_config.json"),
    Published("gpt-oss-120b", 116_829_156_672, 1, hub("openai/gpt-oss-120b") + "; its model card says 116.8B", "openai--gpt-oss-120b_config.json", gpt_oss),
    Published("Step 3.7 Flash", 198 * B, B, "model card of stepfun-ai/Step-3.7-Flash", "stepfun-ai--Step-3.7-Flash-FP8_config.json"),
]  # fmt: skip

# What transformers 5.24 cannot build, and what it says.
REFUSED = {"MiniMaxAI--MiniMax-M3_config.json": 'does not know model_type "minimax_m3" .nearest it knows: minimax_m2, minimax_m3_vl'}


def check(row, config):
    model = build(config).model
    shape = snapshot(model).shape
    counted = totals(shape).parameters
    assert counted == sum(parameter.numel() for parameter in model.parameters()), "the reader and torch count differently"
    if row.arithmetic:
        assert counted == row.arithmetic(config), "the model and the arithmetic of its configuration differ"
    published = counted + (row.beyond(config) if row.beyond else 0)
    assert abs(published - row.figure) * 2 <= row.step, "%s published %d" % (row.source, row.figure)
    assert len(shape.modules) < 60  # equal layers are one row


@pytest.mark.parametrize("row", MODELS, ids=lambda row: row.name)
def test_a_model_has_the_parameters_its_makers_published(row):
    check(row, row.config)


@pytest.mark.parametrize("row", FILES, ids=lambda row: row.config)
def test_a_public_configuration_has_the_parameters_its_makers_published(row):
    check(row, read_config(str(test_data("hf_config", row.config))))


def test_every_public_configuration_is_in_the_table_or_says_why_not():
    tabled = {row.config for row in FILES}
    for path in sorted(test_data("hf_config").glob("*.json")):
        if path.name.endswith("hf_quant_config.json"):
            with pytest.raises(BuildError, match="quantisation file"):
                read_config(str(path))
        elif path.name in REFUSED:
            with pytest.raises(BuildError, match=REFUSED[path.name]):
                build(read_config(str(path)))
        else:
            assert path.name in tabled


def test_the_table_is_long_enough_to_mean_something():
    exact = {row.figure for row in MODELS if row.step == 1}
    assert len(MODELS) >= 25 and len(exact) >= 25 and all(row.source for row in MODELS + FILES)
