#!/usr/bin/env python3
"""Draws texts to judge how clear they are: tests/style/english/sample.py [SEED]

Prints 60 comments, 60 messages, 60 sentences of documents and 60 commit subjects, each with its number and its file.
The default seed is the first 8 hex digits of the last commit. The same seed and tree give the same sample."""
import pathlib
import random
import re
import subprocess
import sys

PER_KIND = 60
SUBJECTS = 200  # the number of last commits
ROOT = pathlib.Path(__file__).resolve().parents[3]
PRODUCT = ("gateway/", "proxy/", "racing/", "metrics/")
# Literals in these files are not messages of the gateway: answers of simulated models, prompts, texts of vendors, AIPerf's
# names.
NO_MESSAGES = ("gateway/simulator/plan/", "gateway/simulator/prompts/", "proxy/failures/error_phrases", "proxy/failures/token_excess",
               "gateway/attempts/retryable_rejection", "gateway/bench/level_report", "gateway/bench/request_figures",
               "gateway/commands/line/completion", "gateway/commands/line/man_page")

LITERAL = r'"(?:[^"\\\n]|\\.)*"'
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|' + LITERAL + r"|(?<!\w)'(?:[^'\\\n]|\\.)*'", re.DOTALL)
COMMENT = re.compile(r"^(?P<code>.*?)(?P<mark>(?:(?<=\s)|(?<=^))//+)(?P<text>.*)$")
BETWEEN = re.compile(r"\s*(?:(\+|<<)[^\";{}?]*\1\s*)?")  # white space, or an expression that is joined to both literals
# Code and protocol elements: requests, header lines, lists of header names, Lua, HTML, JSON, commands, URLs.
CODE = re.compile(r"^(?:GET|POST|PUT|DELETE) /|^HTTP/1\.1 |^default-src |^[a-z-]+: [a-z]+/[a-z]+|^retry-after: |"
                  r"^[A-Za-z-]+(?:, [A-Za-z-]+)+$|"
                  r"\$\{|redis\.|KEYS\[|ARGV\[|\\r\\n|</|\\x|\":|^\s*photofinish |https?://\S+$")


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True, text=True).stdout.splitlines()


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def words(text):
    return re.findall(r"[A-Za-z]{2,}", text)


def comments(path):
    """Each block of // lines as one text. A comment next to code continues in the same column of the next lines."""
    blocks, column = [], None
    for line in read(path).split("\n"):
        found = COMMENT.match(line)
        if not found or found["code"].count('"') % 2:
            column = None
            continue
        text, at = found["text"].strip(), found.start("mark")
        if not text:
            column = None
        elif column == at and not found["code"].strip():
            blocks[-1] += " " + text
        else:
            blocks.append(text)
            column = at
    cleaned = [re.sub(r"\s*\[pure[^\]]*\]", "", block) for block in blocks]
    return [block for block in cleaned if len(words(block)) > 2 and not block.startswith(("clang-format", "NOLINT", "namespace "))]


def is_message(text):
    letters = sum(each.isalpha() or each.isspace() for each in text)
    return len(words(text)) > 2 and " " in text.strip() and letters > 0.75 * len(text) and not CODE.search(text)


def messages_in(code):
    """Literals that are joined, next to each other or by + and <<, are one text. Values in it are shown as an ellipsis."""
    literals = [each for each in TOKEN.finditer(code) if each[0].startswith('"')]
    texts, end = [], None
    for each in literals:
        if re.search(r"#\s*include\s*$", code[:each.start()].rsplit("\n", 1)[-1]):
            continue
        text = re.sub(r"\\(.)", lambda escape: " " if escape[1] == "n" else escape[1], each[0][1:-1])
        joint = BETWEEN.fullmatch(code, end, each.start()) if end is not None else None
        if joint:
            texts[-1] += ("…" if joint[1] else "") + text
        else:
            before = code[:each.start()].rstrip()
            texts.append(("…" if before.endswith("+") else "") + text)
        end = each.end()
        if code[end:].lstrip().startswith("+") and not BETWEEN.match(code, end)[1]:
            texts[-1] += "…"
    return [" ".join(text.split()) for text in texts if is_message(text)]


def messages(path):
    return messages_in(read(path))


def paragraphs(path):
    lines, is_code = [], False
    for line in read(path).split("\n") + [""]:
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
            line = ""
        is_item = re.match(r"\s*(?:[-*]|\d+\.) ", line)
        is_prose = line.strip() and not is_code and not line.lstrip().startswith(("|", "#", "<", "!!!"))
        if lines and (is_item or not is_prose):
            yield " ".join(lines)
            lines = []
        if is_prose and (lines or is_item or not line.startswith("    ")):
            lines.append(re.sub(r"^\s*(?:(?:[-*]|\d+\.) |> )?", "", line).strip())


def sentences(path):
    """A label in italics or bold stays with the sentence after it."""
    found = []
    for paragraph in paragraphs(path):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)
        found += re.split(r"(?<=[.!?])[\"')]* (?=[*_\"'(`]*[A-Z`])", plain)
    return [sentence for sentence in found if len(words(sentence)) > 3]


def population():
    files = git("ls-files")
    code = [path for path in files if path.startswith((*PRODUCT, "tests/")) and path.endswith((".hpp", ".cpp", ".js", ".mjs"))
            and not path.startswith("gateway/page/uplot/")]
    product = [path for path in code if path.startswith(PRODUCT) and path.endswith(("pp")) and not path.startswith(NO_MESSAGES)]
    pages = [path for path in files if path.endswith(".md") and (path.startswith("docs/") or "/" not in path)]
    return {
        "Comments": [(path, text) for path in code for text in comments(path)],
        "Messages": [(path, text) for path in product for text in messages(path)],
        "Documents' sentences": [(path, text) for path in pages for text in sentences(path)],
        "Subjects of commits": [tuple(line.split(" ", 1)) for line in git("log", f"-{SUBJECTS}", "--no-merges", "--format=%h %s")],
    }


def main():
    seed = sys.argv[1] if len(sys.argv) > 1 else git("rev-parse", "HEAD")[0][:8]
    print(f"seed {seed}")
    for kind, texts in population().items():
        print(f"\n{kind}: {min(PER_KIND, len(texts))} of {len(texts)}")
        drawn = random.Random(f"{seed} {kind}").sample(texts, min(PER_KIND, len(texts)))
        for number, (place, text) in enumerate(drawn, 1):
            print(f"{kind[0]}{number} {place}: {text}")


if __name__ == "__main__":
    main()
