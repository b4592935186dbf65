"""What the random models are made of: the same few words and the same small shape for each engine."""

import itertools

WORDS = ["".join(letters) for letters in itertools.product("bdfglm", "aeiou", "knprst", "aeiou")]  # 900 of four letters
CONTEXT = 65536  # tokens: an answer can be too long to end before it is cancelled
WIDTH, HEADS, LAYERS = 64, 4, 2
TEMPLATE = "{% for message in messages %}{{ message.content }} {% endfor %}"
