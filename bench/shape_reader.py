"""What the reader costs a process that serves Qwen3-32B: medians of snapshot() and fingerprint() over a model of vLLM's fused layout, and of torch's own walk
over the same model, as JSON.

The model is built here, on the meta device and of modules that compute nothing: 840 modules on 903 paths, 515 parameters, one rotary embedding shared by
64 layers. Modules and parameters carry the attributes vLLM sets, since the reader goes through them. Both calls hold the interpreter lock throughout.
"""
import json
import statistics
import sys
import time

import torch
from torch import nn

from lamella.fingerprint import fingerprint
from lamella.reader import snapshot
from lamella.totals import totals

HIDDEN, HEADS, KV_HEADS, HEAD, WIDTH, LAYERS, VOCAB = 5120, 64, 8, 128, 25600, 64, 151936
TURNS, WARM_UP = 20, 2


def load_weight(parameter, loaded):
    raise NotImplementedError("the bench loads no weights")


class QuantMethod:
    pass


def weight(*sizes, **dims):
    parameter = nn.Parameter(torch.empty(sizes, dtype=torch.bfloat16, device="meta"), requires_grad=False)
    for name, value in dict(dims, weight_loader=load_weight).items():
        setattr(parameter, name, value)
    return parameter


class Linear(nn.Module):
    def __init__(self, inputs, outputs, prefix):
        super().__init__()
        self.input_size, self.output_size, self.input_size_per_partition, self.output_size_per_partition = inputs, outputs, inputs, outputs
        self.tp_rank, self.tp_size, self.prefix, self.skip_bias_add, self.return_bias = 0, 1, prefix, False, True
        self.params_dtype, self.quant_config, self.quant_method = torch.bfloat16, None, QuantMethod()
        self.weight = weight(outputs, inputs, input_dim=1, output_dim=0)
        self.register_parameter("bias", None)


class MergedColumnParallelLinear(Linear):
    pass


class QKVParallelLinear(Linear):
    pass


class RowParallelLinear(Linear):
    pass


class VocabParallelEmbedding(nn.Module):
    def __init__(self, prefix):
        super().__init__()
        self.num_embeddings = self.org_vocab_size = self.num_embeddings_padded = self.num_embeddings_per_partition = VOCAB
        self.embedding_dim, self.tp_size, self.prefix, self.quant_method = HIDDEN, 1, prefix, QuantMethod()
        self.weight = weight(VOCAB, HIDDEN, input_dim=1, output_dim=0)


class ParallelLMHead(VocabParallelEmbedding):
    pass


class RMSNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.hidden_size, self.variance_epsilon = size, 1e-6
        self.weight = weight(size)


class RotaryEmbedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.head_size, self.rotary_dim, self.max_position_embeddings, self.base = HEAD, HEAD, 40960, 1_000_000
        self.register_buffer("cos_sin_cache", torch.empty(40960, HEAD, dtype=torch.bfloat16, device="meta"), persistent=False)


class Attention(nn.Module):
    pass


class SiluAndMul(nn.Module):
    pass


class LogitsProcessor(nn.Module):
    pass


class Qwen3Attention(nn.Module):
    def __init__(self, rotary, prefix):
        super().__init__()
        self.num_heads, self.num_kv_heads, self.head_dim = HEADS, KV_HEADS, HEAD
        self.qkv_proj = QKVParallelLinear(HIDDEN, (HEADS + 2 * KV_HEADS) * HEAD, prefix + ".qkv_proj")
        self.o_proj = RowParallelLinear(HEADS * HEAD, HIDDEN, prefix + ".o_proj")
        self.rotary_emb = rotary
        self.attn = Attention()
        self.q_norm = RMSNorm(HEAD)
        self.k_norm = RMSNorm(HEAD)


class Qwen3MLP(nn.Module):
    def __init__(self, prefix):
        super().__init__()
        self.gate_up_proj = MergedColumnParallelLinear(HIDDEN, 2 * WIDTH, prefix + ".gate_up_proj")
        self.down_proj = RowParallelLinear(WIDTH, HIDDEN, prefix + ".down_proj")
        self.act_fn = SiluAndMul()


class Qwen3DecoderLayer(nn.Module):
    def __init__(self, rotary, prefix):
        super().__init__()
        self.self_attn = Qwen3Attention(rotary, prefix + ".self_attn")
        self.mlp = Qwen3MLP(prefix + ".mlp")
        self.input_layernorm = RMSNorm(HIDDEN)
        self.post_attention_layernorm = RMSNorm(HIDDEN)


class Qwen3Model(nn.Module):
    def __init__(self):
        super().__init__()
        rotary = RotaryEmbedding()
        self.embed_tokens = VocabParallelEmbedding("model.embed_tokens")
        self.layers = nn.ModuleList([Qwen3DecoderLayer(rotary, "model.layers.%d" % i) for i in range(LAYERS)])
        self.norm = RMSNorm(HIDDEN)


class Qwen3ForCausalLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Qwen3Model()
        self.lm_head = ParallelLMHead("lm_head")
        self.logits_processor = LogitsProcessor()


def torch_walk(model):
    return list(model.named_modules()), list(model.named_parameters()), list(model.named_buffers())


def measure(model, calls):
    """In turns of ten calls, so that a busy moment of the machine meets all of them and each runs as warm as in a loop of its own."""
    taken = {call.__name__: [] for call in calls}
    for turn in range(WARM_UP + TURNS):
        for call in calls:
            for _ in range(10):
                started = time.perf_counter()
                call(model)
                if turn >= WARM_UP:
                    taken[call.__name__].append((time.perf_counter() - started) * 1000)
    return {name: {"median": statistics.median(times), "least": min(times)} for name, times in taken.items()}


def main():
    model = Qwen3ForCausalLM()
    counts = totals(snapshot(model).shape)
    if counts.parameters != 32_762_123_264:
        sys.exit("the model has %d parameters, Qwen3-32B has 32,762,123,264" % counts.parameters)
    facts = {"modules": sum(1 for _ in model.modules()), "paths": counts.modules}
    print(json.dumps(dict(facts, milliseconds=measure(model, (snapshot, fingerprint, torch_walk)))))


if __name__ == "__main__":
    main()
