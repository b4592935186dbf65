"""The content of the random models: the same words and the same small size for each engine."""

import itertools

WORDS = ["".join(letters) for letters in itertools.product("bdfglm", "aeiou", "knprst", "aeiou")]  # 900 words of four letters
CONTEXT = 65536  # number of tokens: large enough that an answer cannot end before it is cancelled
WIDTH, HEADS, LAYERS = 64, 4, 2
TEMPLATE = "{% for message in messages %}{{ message.content }} {% endfor %}"
