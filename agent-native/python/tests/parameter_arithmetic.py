"""Parameters of an architecture by arithmetic: a few sizes of its configuration in, the count out. Each term is a matrix or vector of the architecture as its
paper or code describes it; nothing here is read from a model, so a count that agrees was found twice.
"""
from typing import Any, Dict

Config = Dict[str, Any]


def block(h: int) -> int:
    """A layer with biases: attention 4h² + 4h, an MLP of width 4h 8h² + 5h, two norms 4h."""
    return 12 * h * h + 13 * h


def gpt2(c: Config) -> int:
    h, layers = c.get("n_embd", 768), c.get("n_layer", 12)
    return (50257 + 1024) * h + layers * block(h) + 2 * h


def bert(c: Config) -> int:
    h, layers = c.get("hidden_size", 768), c.get("num_hidden_layers", 12)
    return (30522 + 512 + 2) * h + 2 * h + layers * block(h) + h * h + h


def gpt_neox(c: Config) -> int:
    h = c["hidden_size"]
    return 2 * c["vocab_size"] * h + c["num_hidden_layers"] * block(h) + 2 * h


def bloom(c: Config) -> int:
    h = c["hidden_size"]
    return 250880 * h + 2 * h + c["n_layer"] * block(h) + 2 * h


def vit(_: Config) -> int:
    h, patch, patches, classes = 768, 16, 14 * 14, 1000
    return 3 * patch * patch * h + h + h + (patches + 1) * h + 12 * block(h) + 2 * h + classes * h + classes


def whisper(c: Config) -> int:
    h, layers, cross = c["d_model"], c["encoder_layers"], 4 * c["d_model"] ** 2 + 3 * c["d_model"] + 2 * c["d_model"]
    layer = block(h) - h  # keys have no bias
    encoder = 3 * h * c["num_mel_bins"] + h + 3 * h * h + h + 1500 * h + layers * layer + 2 * h
    return encoder + c["vocab_size"] * h + 448 * h + layers * (layer + cross) + 2 * h


def t5(_: Config) -> int:
    h, inner, width, layers, buckets, heads = 512, 512, 2048, 6, 32, 8
    attention, mlp = 4 * h * inner, 2 * h * width
    return 32128 * h + layers * (attention + mlp + 2 * h) + layers * (2 * attention + mlp + 3 * h) + 2 * (buckets * heads + h)


def mamba(c: Config) -> int:
    h, inner, state, rank = c["hidden_size"], 2 * c["hidden_size"], 16, c["hidden_size"] // 16
    mixer = h * 2 * inner + 4 * inner + inner + inner * (rank + 2 * state) + rank * inner + inner + inner * state + inner + inner * h
    return 50280 * h + c["num_hidden_layers"] * (mixer + h) + h


def attention(c: Config) -> int:
    """Grouped queries: q and o over all heads, k and v over the heads they have."""
    size = c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]
    return 2 * c["hidden_size"] * size * (c["num_attention_heads"] + c.get("num_key_value_heads", c["num_attention_heads"]))


def experts(c: Config) -> int:
    """Gated experts and the router in front of them; shared ones are experts without a router."""
    h, width = c["hidden_size"], c.get("moe_intermediate_size") or c["intermediate_size"]
    routed = c.get("num_local_experts") or c.get("num_experts") or c["n_routed_experts"]
    return (routed + c.get("n_shared_experts", 0)) * 3 * h * width + routed * h


def decoder(c: Config, own: int = 0, norms: int = 2) -> int:
    """Gated MLP or experts; `own` is what attention holds besides its matrices, `norms` how many a layer has."""
    h = c["hidden_size"]
    sparse = c.get("num_local_experts") or c.get("num_experts")
    mlp = experts(c) if sparse else 3 * h * c["intermediate_size"]
    embeddings = c["vocab_size"] * h * (1 if c.get("tie_word_embeddings") else 2)
    return embeddings + c["num_hidden_layers"] * (attention(c) + own + mlp + norms * h) + h


def head_norms(c: Config) -> int:
    """q_norm and k_norm over one head."""
    return decoder(c, own=2 * c["head_dim"])


def qkv_biases(c: Config) -> int:
    return decoder(c, own=(c["num_attention_heads"] + 2 * c["num_key_value_heads"]) * c["hidden_size"] // c["num_attention_heads"])


def wide_norms(c: Config) -> int:
    """q_norm and k_norm over all heads."""
    size = c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]
    return decoder(c, own=size * (c["num_attention_heads"] + c["num_key_value_heads"]))


def four_norms(c: Config) -> int:
    return decoder(c, norms=4)


def falcon(c: Config) -> int:
    h, kv = c["hidden_size"], c["num_kv_heads"] * (c["hidden_size"] // c["num_attention_heads"])
    return 2 * c["vocab_size"] * h + c["num_hidden_layers"] * (h * (h + 2 * kv) + h * h + 8 * h * h + 4 * h) + 2 * h


def gpt_oss(c: Config) -> int:
    h, width, routed, size = c["hidden_size"], c["intermediate_size"], c["num_local_experts"], c["head_dim"]
    biases = size * (c["num_attention_heads"] + 2 * c["num_key_value_heads"]) + h + c["num_attention_heads"]  # q, k, v, o, and a sink a head
    moe = routed * (3 * h * width + 2 * width + h) + routed * h + routed
    return 2 * c["vocab_size"] * h + c["num_hidden_layers"] * (attention(c) + biases + moe + 2 * h) + h


def latent_attention(c: Config) -> int:
    """Queries, keys and values through narrow matrices with a norm in between; queries directly where q_lora_rank is not set."""
    h, heads, rank, kv_rank = c["hidden_size"], c["num_attention_heads"], c.get("q_lora_rank"), c["kv_lora_rank"]
    query = heads * (c["qk_nope_head_dim"] + c["qk_rope_head_dim"])
    queries = h * rank + rank + rank * query if rank else h * query
    return queries + h * (kv_rank + c["qk_rope_head_dim"]) + kv_rank + kv_rank * heads * (c["qk_nope_head_dim"] + c["v_head_dim"]) + heads * c["v_head_dim"] * h


def indexer(c: Config) -> int:
    """Of sparse attention: queries from the narrow queries, one key with a norm, a weight a head."""
    heads, size = c["index_n_heads"], c["index_head_dim"]
    return c["q_lora_rank"] * heads * size + c["hidden_size"] * size + 2 * size + c["hidden_size"] * heads


def latent_decoder(c: Config) -> int:
    h, dense = c["hidden_size"], c["first_k_dense_replace"]
    layers = c["num_hidden_layers"] * (latent_attention(c) + 2 * h) + dense * 3 * h * c["intermediate_size"] + (c["num_hidden_layers"] - dense) * experts(c)
    return 2 * c["vocab_size"] * h + layers + h


def sparse_latent_decoder(c: Config) -> int:
    kinds = c.get("indexer_types") or ["full"] * c["num_hidden_layers"]
    return latent_decoder(c) + kinds.count("full") * indexer(c)


# What a published total counts besides.


def tied_head(c: Config) -> int:
    return c["vocab_size"] * c["hidden_size"]


def rotary_tables(c: Config) -> int:
    """Old Llama checkpoints hold the inverse frequencies of every layer."""
    return c["num_hidden_layers"] * (c["hidden_size"] // c["num_attention_heads"] // 2)


def router_biases(c: Config) -> int:
    """One correction an expert, a buffer in transformers; also that of the layer of multi-token prediction, where it is counted."""
    return (c["num_hidden_layers"] - c.get("first_k_dense_replace", 0)) * (c.get("num_local_experts") or c["n_routed_experts"])


def mtp_layer(c: Config) -> int:
    """A sparse layer of its own, a projection of two states to one, three norms, and its router's biases."""
    h = c["hidden_size"]
    return latent_attention(c) + indexer(c) + experts(c) + 2 * h + 2 * h * h + 3 * h + c["n_routed_experts"] + router_biases(c)


def mtp_layer_with_embeddings(c: Config) -> int:
    return mtp_layer(c) + 2 * tied_head(c)


def gated_mtp_layer(whole: Config) -> int:
    """Qwen3.5: a layer of full attention whose queries come with gates, a projection of two states to one, three norms."""
    c = whole["text_config"]
    h, size = c["hidden_size"], c["head_dim"]
    gates = h * size * c["num_attention_heads"]
    mlp = 3 * h * c["intermediate_size"] if "num_experts" not in c else experts(c) + 3 * h * c["shared_expert_intermediate_size"] + h
    return attention(c) + gates + 2 * size + mlp + 2 * h + 2 * h * h + 3 * h
