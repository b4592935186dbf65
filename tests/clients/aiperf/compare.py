"""Compares the report of `photofinish bench` with AIPerf's, figure by figure.

compare.py compare OURS.json THEIRS.json   prints a line for each figure; exit code 1 if a figure differs by more than 3 %
compare.py names                           prints the names of the compared figures
compare.py make-tokenizer FOLDER           writes a tokenizer for AIPerf that needs no network
"""
import json
import sys

TOLERANCE = 0.03
# No quantile above p75, because with two dozen requests a p99 would show only a single disturbance of the machine.
FIGURES = [
    ("time_to_first_token", "p50"),
    ("time_to_first_token", "p75"),
    ("inter_token_latency", "p50"),
    ("inter_token_latency", "p75"),
    ("request_latency", "p50"),
    ("request_latency", "p75"),
    ("output_token_throughput_per_user", "p50"),
    ("output_sequence_length", "avg"),
    ("output_token_throughput", "avg"),
    ("request_throughput", "avg"),
    ("request_count", "avg"),
]


def compare(ours_file, theirs_file):
    with open(ours_file, encoding="utf-8") as file:
        ours = json.load(file)["levels"][0]
    with open(theirs_file, encoding="utf-8") as file:
        theirs = json.load(file)
    failed = 0
    for tag, statistic in FIGURES:
        mine, other = ours[tag][statistic], theirs[tag][statistic]
        off = abs(mine - other) / other
        agrees = off <= TOLERANCE and ours[tag]["unit"] == theirs[tag]["unit"]
        failed += not agrees
        print(f"{'ok  ' if agrees else 'FAIL'}  aiperf: {tag} {statistic}: {mine:.2f} here, {other:.2f} there, "
              f"{100 * off:.2f} % apart ({theirs[tag]['unit']})")
    print(f"aiperf: {len(FIGURES) - failed} passed, {failed} failed, 0 skipped (AIPerf {theirs['aiperf_version']})")
    return 1 if failed else 0


def make_tokenizer(folder):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    vocabulary["<end>"] = len(vocabulary)
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<end>", eos_token="<end>").save_pretrained(folder)
    return 0


def main(arguments):
    match arguments:
        case ["compare", ours, theirs]:
            return compare(ours, theirs)
        case ["names"]:
            print("\n".join(f"{tag} {statistic}" for tag, statistic in FIGURES))
            return 0
        case ["make-tokenizer", folder]:
            return make_tokenizer(folder)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
