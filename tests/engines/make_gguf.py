"""Makes a random Llama model for llama.cpp: make_gguf.py FILE. words.py has the model's size and its words."""

import sys

import gguf
import numpy

from words import CONTEXT, HEADS, LAYERS, TEMPLATE, WIDTH, WORDS

SPECIAL = [("<unk>", gguf.TokenType.UNKNOWN), ("<s>", gguf.TokenType.CONTROL), ("</s>", gguf.TokenType.CONTROL)]
BYTES = [(f"<0x{byte:02X}>", gguf.TokenType.BYTE) for byte in range(256)]
TOKENS = SPECIAL + BYTES + [("▁" + word, gguf.TokenType.NORMAL) for word in WORDS]


def main(path):
    random = numpy.random.default_rng(1)

    def matrix(*shape):
        return random.normal(0, 0.3, shape).astype(numpy.float32)

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(2 * WIDTH)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _ in TOKENS])
    writer.add_token_scores([0.0] * len(TOKENS))
    writer.add_token_types([kind for _, kind in TOKENS])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(TEMPLATE)

    writer.add_tensor("token_embd.weight", matrix(len(TOKENS), WIDTH))
    writer.add_tensor("output_norm.weight", numpy.ones(WIDTH, numpy.float32))
    head = matrix(len(TOKENS), WIDTH)
    head[: len(TOKENS) - len(WORDS)] = 0  # the model writes only words, and never ends an answer by itself
    writer.add_tensor("output.weight", head)
    for layer in range(LAYERS):
        for name, shape in {
            "attn_q": (WIDTH, WIDTH), "attn_k": (WIDTH, WIDTH), "attn_v": (WIDTH, WIDTH), "attn_output": (WIDTH, WIDTH),
            "ffn_gate": (2 * WIDTH, WIDTH), "ffn_up": (2 * WIDTH, WIDTH), "ffn_down": (WIDTH, 2 * WIDTH),
        }.items():
            writer.add_tensor(f"blk.{layer}.{name}.weight", matrix(*shape))
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", numpy.ones(WIDTH, numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1])
