#!/usr/bin/env python3
"""A scripted, strict provider that serves only chat completions, for clients of other APIs.

It prints its URL. The first part of a path selects its behaviour:
  /quick   answers by its script
  /slow    answers after ten seconds if the caller still waits
  /silent  begins a stream, and is then silent for ten seconds
  /cut     breaks off after the first token, and answers if the same request is sent again
  /held    answers after GET /release?TEXT, if TEXT is a part of the request
  /paused  begins a stream, and continues it after the same release
  /broken  answers with the status 500
The user's last text with `script NAME` or `script NAME on PATH` selects the script. The number of the assistant's later messages
selects the script's step. A request that a strict engine would refuse is recorded as a fault and refused.
GET /seen?TEXT lists the requests whose body contains TEXT: {path, body, left, faults}.
The bearer token must be KEY.
"""
import json
import pathlib
import re
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from scripted_provider import ScriptedProvider, serve  # noqa: E402

PATIENCE_S = 10
NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
PARAMETERS = frozenset(
    "model messages tools tool_choice parallel_tool_calls stream stream_options max_tokens max_completion_tokens "
    "temperature top_p top_k stop response_format reasoning_effort user service_tier n seed presence_penalty "
    "frequency_penalty logprobs top_logprobs metadata store prompt_cache_key safety_identifier verbosity".split()
)


# --- requests that a strict engine refuses

def text_of(content):
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [] if isinstance(part, dict))


def content_faults(content, where, kinds):
    if isinstance(content, str):
        return
    if not isinstance(content, list) or not content:
        yield f"{where}: content is neither text nor parts"
        return
    for part in content:
        kind = part.get("type")
        if kind not in kinds:
            yield f"{where}: a part of type {kind}"
        elif kind == "text" and not isinstance(part.get("text"), str):
            yield f"{where}: a text part without text"
        elif kind == "image_url" and not re.match("data:image/|https?://", part["image_url"].get("url", "")):
            yield f"{where}: an image without a URL"


def call_faults(calls, where, names):
    if not isinstance(calls, list) or not calls:
        yield f"{where}: tool_calls is not a list with calls"
        return
    for call in calls:
        function = call.get("function", {})
        if call.get("type") != "function" or not call.get("id"):
            yield f"{where}: a call without its type or id"
        if function.get("name") not in names:
            yield f"{where}: {function.get('name')} is called, and is not in tools"
        try:
            if not isinstance(json.loads(function.get("arguments")), dict):
                yield f"{where}: arguments are not an object"
        except (TypeError, ValueError):
            yield f"{where}: arguments are not JSON text: {function.get('arguments')!r}"


def message_faults(messages, names):
    wanted = []  # ids of calls whose results must be in the following messages
    for place, message in enumerate(messages):
        where, role = f"messages[{place}]", message.get("role")
        if role == "tool":
            if message.get("tool_call_id") not in wanted:
                yield f"{where}: the result of {message.get('tool_call_id')}, not of one of {wanted}"
            else:
                wanted.remove(message["tool_call_id"])
            yield from content_faults(message.get("content"), where, ("text",))
            continue
        if wanted:
            yield f"{where}: the results of {wanted} are missing before it"
        wanted = []
        if role == "system" and place > 0:
            yield f"{where}: a system message that is not the first"
        if role == "assistant":
            calls = message.get("tool_calls")
            if "tool_calls" in message:
                yield from call_faults(calls, where, names)
                wanted = [call.get("id") for call in calls or []]
            if not calls or message.get("content") is not None:
                yield from content_faults(message.get("content"), where, ("text", "refusal"))
        elif role in ("system", "user"):
            yield from content_faults(message.get("content"), where, ("text", "image_url", "file"))
            if role == "user" and message.get("content") == "":
                yield f"{where}: an empty user message"
        else:
            yield f"{where}: role {role}"
    if wanted:
        yield f"at the end the results of {wanted} are missing"


def tool_faults(tools):
    names = set()
    for place, tool in enumerate(tools):
        function = tool.get("function", {})
        name = function.get("name", "")
        if tool.get("type") != "function" or set(tool) != {"type", "function"}:
            yield f"tools[{place}]: not a function"
        if not NAME.match(name) or name in names:
            yield f"tools[{place}]: the name {name!r}"
        if function.get("parameters", {}).get("type") != "object":
            yield f"tools[{place}]: parameters of type {function.get('parameters', {}).get('type')}"
        if not set(function) <= {"name", "description", "parameters", "strict"}:
            yield f"tools[{place}]: members {sorted(function)}"
        names.add(name)


def faults_of(body):
    tools = body.get("tools") or []
    names = {tool.get("function", {}).get("name") for tool in tools}
    for name in set(body) - PARAMETERS:
        yield f"unknown parameter {name}"
    if "tools" in body and not tools:
        yield "tools is empty"
    if "tool_choice" in body and not tools:
        yield "tool_choice without tools"
    if not body.get("messages"):
        yield "no messages"
    yield from tool_faults(tools)
    yield from message_faults(body.get("messages") or [], names)


# --- scripts: a step is the content of one answer: ("think" | "say", text), ("call", name, arguments)

def weather(step, **_):
    return [
        [("think", "I should look outside."), ("say", "Let me see."), ("call", "get_weather", {"city": "Paris"})],
        [("think", "Once more."), ("call", "get_weather", {"city": "Oslo"}),
         ("call", "get_weather", {"city": "Rome \"é\\"})],
        [("think", "Now I know."), ("say", "It is sunny "), ("say", "in all three.")],
    ][min(step, 2)]


def hello(**_):
    return [("say", "Hello"), ("say", " there"), ("say", "!")]


def long(**_):
    return [("think", "a thought "), ("say", "word ")] * 400


def picture(body, **_):
    images = [part for message in body["messages"] if isinstance(message["content"], list)
              for part in message["content"] if part["type"] == "image_url"]
    return [("say", f"I see {len(images)} picture: {images[0]['image_url']['url'][:22] if images else 'none'}")]


def shout(body, **_):
    system = [text_of(each["content"]) for each in body["messages"] if each["role"] == "system"]
    return [("say", " | ".join(system).upper())]


def structured(**_):
    return [("say", '{"city": "Paris", '), ("say", '"degrees": 21}')]


# A coding agent changes `red` to `green` in PATH, with the tools of this agent.
def paint(step, path, body, **_):
    names = [tool["function"]["name"] for tool in body.get("tools") or []]
    if "Edit" in names:
        reads = ("call", "Read", {"file_path": path})
        steps = [[reads], [("call", "Edit", {"file_path": path, "old_string": "red", "new_string": "green"})], [reads]]
    elif "apply_patch" in names:
        patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-The door is red.\n+The door is green.\n*** End Patch\n"
        reads = ("call", "exec_command", {"cmd": f"cat {path}"})
        steps = [[reads], [("call", "apply_patch", {"input": patch})], [reads]]
    else:
        reads = ("call", "exec_command", {"cmd": f"cat {path}"})
        steps = [[reads], [("call", "exec_command", {"cmd": f"sed -i s/red/green/ {path}"})], [reads, reads]]
    if step < len(steps):
        return [("think", f"Step {step}."), ("say", f"Step {step} of the work."), *steps[step]]
    return [("think", "All is done."), ("say", "The door is "), ("say", "painted green.")]


# Claude Code reads the file PATH.
def read(step, path, **_):
    return [[("call", "Read", {"file_path": path})], [("say", "I have read it.")]][min(step, 1)]


# Codex runs the script PATH, searches for tools, and runs the script again.
def errand(step, path, **_):
    runs = ("call", "exec_command", {"cmd": f"sh {path}"})
    steps = [runs, ("call", "tool_search", {"query": "spawn an agent"}), runs, ("say", "The errand is done.")]
    return [("think", f"Step {step}."), steps[min(step, 3)]]


# Claude Code delegates the work to its sub-agent PATH.
def delegate(step, path, **_):
    task = {"description": "Say hello", "prompt": f"script hello, as {path}", "subagent_type": path}
    return [[("call", "Agent", task)], [("say", "It is delegated.")]][min(step, 1)]


SCRIPTS = {each.__name__: each for each in (weather, hello, long, picture, shout, structured, paint, read, errand,
                                            delegate)}
CHOICE = re.compile(rf"script ({'|'.join(SCRIPTS)})\b(?: on (\S+))?")


def play(body):
    """Returns the script's next answer."""
    script, path, step = "hello", None, 0
    for message in body["messages"]:
        if message["role"] == "user":
            for found in CHOICE.finditer(text_of(message["content"])):
                script, path, step = found[1], found[2], 0
        if message["role"] == "assistant":
            step += 1
    return SCRIPTS[script](step=step, path=path, body=body)


# --- chunks

def tokens_of(text):
    return max(1, len(text) // 4)


def usage_of(body, said):
    count = sum(tokens_of(json.dumps(each[1:])) for each in said)
    thought = sum(tokens_of(each[1]) for each in said if each[0] == "think")
    read = tokens_of(json.dumps(body["messages"]))
    return {
        "prompt_tokens": read, "completion_tokens": count, "total_tokens": read + count,
        "prompt_tokens_details": {"cached_tokens": read // 2},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }


def deltas_of(said):
    """Interleaves parallel calls: first their names, then their arguments in turn, a few characters at a time."""
    yield {"role": "assistant", "content": ""}
    calls = [each for each in said if each[0] == "call"]
    for each in said:
        if each[0] != "call":
            yield {"reasoning_content" if each[0] == "think" else "content": each[1]}
    for index, (_, name, _) in enumerate(calls):
        function = {"name": name, "arguments": ""}
        yield {"tool_calls": [{"index": index, "id": f"call_{name}_{id(said)}_{index}", "type": "function",
                               "function": function}]}
    texts = [json.dumps(arguments) for _, _, arguments in calls]
    for at in range(0, max(map(len, texts), default=0), 7):
        for index, text in enumerate(texts):
            if text[at : at + 7]:
                yield {"tool_calls": [{"index": index, "function": {"arguments": text[at : at + 7]}}]}


def chunks_of(body, said):
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
    for delta in deltas_of(said):
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    reason = "tool_calls" if any(each[0] == "call" for each in said) else "stop"
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield {**head, "choices": [], "usage": usage_of(body, said)}


class Provider(ScriptedProvider):
    released = set()  # texts of GET /release, which are parts of requests

    def do_GET(self):
        asked = urllib.parse.urlsplit(self.path)
        if asked.path != "/release":
            super().do_GET()
            return
        self.released.add(urllib.parse.unquote(asked.query))
        self.answer(200, "{}")

    def left_before_release(self, body):
        """Waits for the release of this request. Returns True if the caller has left."""
        text = json.dumps(body)
        while not any(each in text for each in list(self.released)):
            if self.left_within(0.05):
                return True
        return False

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if not self.note(body=body, faults=list(faults_of(body))):
            return None
        if self.path.startswith("/broken/"):
            return self.refuse(500, "scripted to fail")
        if self.path.startswith("/slow/") and self.left_within(PATIENCE_S):
            return None
        if self.record["faults"]:
            return self.refuse(400, "; ".join(self.record["faults"]))
        if self.path.startswith("/held/") and self.left_before_release(body):
            return None
        chunks = list(map(json.dumps, chunks_of(body, play(body))))
        self.begin()
        if self.path.startswith("/paused/"):
            self.event(chunks.pop(0))
            self.event(chunks.pop(0))
            if self.left_before_release(body):
                return None
        if self.path.startswith("/silent/"):
            self.event(chunks.pop(0))
            if self.left_within(PATIENCE_S):
                return None
        is_cut = self.path.startswith("/cut/") and sum(each["body"] == body for each in self.seen) == 1
        for chunk in chunks[:2] if is_cut else [*chunks, "[DONE]"]:
            self.event(chunk)
        if is_cut:
            self.close_connection = True
        else:
            self.chunk(b"")
        return None


if __name__ == "__main__":
    serve(Provider)
