"""Makes a random Llama model as a folder for MLX and transformers: make_safetensors.py FOLDER. words.py has its size and its
words."""

import json
import pathlib
import sys

import numpy
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from words import CONTEXT, HEADS, LAYERS, TEMPLATE, WIDTH, WORDS

SPECIAL = ["<unk>", "<s>", "</s>"]


def write_tokenizer(folder):
    vocabulary = {word: index for index, word in enumerate(SPECIAL + ["▁" + word for word in WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>", chat_template=TEMPLATE
    )
    wrapped.save_pretrained(folder)
    return len(vocabulary)


def write_model(folder, size):
    random = numpy.random.default_rng(1)

    def matrix(*shape):
        return random.normal(0, 0.3, shape).astype(numpy.float32)

    head = matrix(size, WIDTH)
    head[: len(SPECIAL)] = 0  # the model writes only words, and never ends an answer by itself
    tensors = {
        "model.embed_tokens.weight": matrix(size, WIDTH),
        "model.norm.weight": numpy.ones(WIDTH, numpy.float32),
        "lm_head.weight": head,
    }
    for layer in range(LAYERS):
        at = f"model.layers.{layer}."
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            tensors[f"{at}self_attn.{name}.weight"] = matrix(WIDTH, WIDTH)
        tensors[f"{at}mlp.gate_proj.weight"] = matrix(2 * WIDTH, WIDTH)
        tensors[f"{at}mlp.up_proj.weight"] = matrix(2 * WIDTH, WIDTH)
        tensors[f"{at}mlp.down_proj.weight"] = matrix(WIDTH, 2 * WIDTH)
        for name in ("input_layernorm", "post_attention_layernorm"):
            tensors[f"{at}{name}.weight"] = numpy.ones(WIDTH, numpy.float32)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    (folder / "config.json").write_text(
        json.dumps(
            {
                "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": size,
                "hidden_size": WIDTH, "intermediate_size": 2 * WIDTH, "num_hidden_layers": LAYERS,
                "num_attention_heads": HEADS, "num_key_value_heads": HEADS, "rms_norm_eps": 1e-5,
                "rope_theta": 10000.0, "max_position_embeddings": CONTEXT, "tie_word_embeddings": False,
                "bos_token_id": 1, "eos_token_id": 2, "torch_dtype": "float32", "hidden_act": "silu",
            }
        )
    )


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write_model(target, write_tokenizer(target))
