#!/usr/bin/env python3
"""A scripted, strict provider of Anthropic's Messages (/anthropic/v1/messages) and of Gemini's generateContent
(/gemini/v1beta/models/NAME:streamGenerateContent). It plays the scripts of chat_upstream.py in these APIs, with signed thoughts
that clients must return unchanged.

A request that the real API would refuse is recorded as a fault and refused. GET /seen?TEXT and the key are the same as in
chat_upstream.py. Messages with `thread` are kept until GET /forget.
"""
import itertools
import json
import re

from chat_upstream import play
from scripted_provider import ScriptedProvider, serve

SKIPPED = "skip_thought_signature_validator"  # a signature that Gemini accepts for calls of other models
issued, numbers = set(), itertools.count(1)
threads = {}  # maps a message's id to the conversation up to this message


def sign():
    signature = f"c2lnbmVk{next(numbers):06d}AA=="
    issued.add(signature)
    return signature


# --- Messages: faults, the script's input, and the answer

MESSAGES_PARAMETERS = frozenset(
    "model max_tokens messages system tools tool_choice temperature top_p top_k metadata stream thinking "
    "stop_sequences output_config service_tier".split()
)


def blocks_of(message):
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def messages_faults(body, has_betas):
    """Checks the members. Betas allow more parameters, and system messages between other messages."""
    for name in set() if has_betas else set(body) - MESSAGES_PARAMETERS:
        yield f"{name}: Extra inputs are not permitted"
    if not isinstance(body.get("max_tokens"), int):
        yield "max_tokens: Field required"
    for name in {"temperature", "top_p", "top_k"} & set(body):
        yield f"`{name}` is deprecated for this model."
    if body.get("thinking", {}).get("type") == "enabled":
        yield "thinking.type.enabled is not supported for this model"
    for tool in body.get("tools") or []:
        if not re.match(r"^[a-zA-Z0-9_-]{1,128}$", tool.get("name", "")):
            yield f"tools: the name {tool.get('name')!r}"
        if tool.get("input_schema", {}).get("type") != "object":
            yield "tools: input_schema.type: Field required"
    role, open_calls, ids = "assistant", [], set()
    messages = [each for each in body.get("messages") or [{}] if not (has_betas and each.get("role") == "system")]
    for place, message in enumerate(messages):
        where, blocks = f"messages.{place}", blocks_of(message)
        if message.get("role") not in ("user", "assistant") or message["role"] == role:
            yield f"{where}: roles must alternate between user and assistant, beginning with user"
        role = message.get("role")
        if not blocks:
            yield f"{where}: content is empty"
        if role == "user":
            results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
            if sorted(results) != sorted(open_calls):
                yield f"{where}: results of {results}, not of {open_calls}"
            if any(block["type"] == "tool_result" for block in blocks[len(results):]):
                yield f"{where}: results are not in front"
            open_calls = []
        for block in blocks:
            yield from block_faults(block, where, ids)
            if block["type"] == "tool_use":
                open_calls.append(block.get("id"))
    if open_calls or role != "user":
        yield "the conversation does not end with the user"


def block_faults(block, where, ids):
    if block["type"] == "text" and not block["text"].strip():
        yield f"{where}: text content blocks must contain non-whitespace text"
    if block["type"] == "thinking" and block.get("signature") not in issued:
        yield f"{where}: Invalid `signature` in `thinking` block"
    if block["type"] == "redacted_thinking" and block.get("data") not in issued:
        yield f"{where}: Invalid `data` in `redacted_thinking` block"
    if block["type"] != "tool_use":
        return
    if not isinstance(block.get("input"), dict):
        yield f"{where}: tool_use.input: Input should be a valid dictionary"
    if not re.match(r"^[a-zA-Z0-9_-]+$", block.get("id", "")) or block["id"] in ids:
        yield f"{where}: tool_use.id {block.get('id')!r}"
    ids.add(block.get("id"))


def whole_conversation(body):
    """Returns the body. For a turn of a thread, adds the content of the thread. Returns None if the thread is unknown."""
    thread = body.get("thread") or {"type": "create"}
    before = [] if thread["type"] == "create" else threads.get(thread["previous_message_id"])
    return None if before is None else {**body, "messages": [*before, *body["messages"]]}


def keep_thread(body, events):
    """Adds the content of an answer's events to its conversation."""
    blocks = []
    for event in events:
        if event["type"] == "content_block_start":
            blocks.append({**event["content_block"], "input_text": ""})
        elif event["type"] == "content_block_delta":
            for name, piece in event["delta"].items():
                member = "input_text" if name == "partial_json" else name
                if name != "type":
                    blocks[-1][member] += piece
    for block in blocks:
        text = block.pop("input_text")
        if block["type"] == "tool_use":
            block["input"] = json.loads(text)
    threads[events[0]["message"]["id"]] = [*body["messages"], {"role": "assistant", "content": blocks}]


def messages_as_chat(body):
    texts = [{"role": each["role"], "content": "\n".join(block.get("text", "") for block in blocks_of(each))}
             for each in body["messages"]]
    return {"messages": texts, "tools": [{"function": {"name": tool["name"]}} for tool in body.get("tools") or []]}


def blocks_said(said):
    """Returns the steps as blocks. A call is a separate block; successive thoughts or texts are one block."""
    groups = itertools.groupby(enumerate(said), lambda each: (each[1][0], each[0] if each[1][0] == "call" else None))
    return [[part for _, part in group] for _, group in groups]


def message_events(body, said):
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 5, "output_tokens": 1}
    head = {"id": f"msg_{next(numbers)}", "type": "message", "role": "assistant", "model": body["model"], "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield {"type": "message_start", "message": head}
    yield {"type": "ping"}
    for index, parts in enumerate(blocks_said(said)):
        kind, what = parts[0][:2]
        if kind == "think":
            block = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": each[1]} for each in parts]
            deltas.append({"type": "signature_delta", "signature": sign()})
        elif kind == "say":
            block, deltas = {"type": "text", "text": ""}, [{"type": "text_delta", "text": each[1]} for each in parts]
        else:
            text = json.dumps(parts[0][2])
            block = {"type": "tool_use", "id": f"toolu_{next(numbers)}", "name": what, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": text[at : at + 7]} for at in range(0, len(text), 7)]
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    reason = "tool_use" if any(each[0] == "call" for each in said) else "end_turn"
    ended = {"stop_reason": reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 20}}
    yield {"type": "message_stop"}


# --- Gemini: faults, the script's input, and the answer

GEMINI_PARAMETERS = {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings",
                     "cachedContent"}
SCHEMA_WORDS = ("$ref", "$schema", "additionalProperties", "const", "exclusiveMinimum", "propertyNames")


def gemini_faults(body):
    for name in set(body) - GEMINI_PARAMETERS:
        yield f'Unknown name "{name}"'
    for tool in body.get("tools") or []:
        for function in tool.get("functionDeclarations") or []:
            if not re.match(r"^[a-zA-Z_][a-zA-Z0-9_.-]{0,127}$", function.get("name", "")):
                yield f"Invalid function name {function.get('name')!r}"
            for word in SCHEMA_WORDS:
                if f'"{word}"' in json.dumps(function.get("parameters")):
                    yield f'Unknown name "{word}" at parameters'
    role, calls = "model", []
    for place, content in enumerate(body.get("contents") or [{}]):
        where, parts = f"contents[{place}]", content.get("parts") or []
        if content.get("role") not in ("user", "model") or content["role"] == role:
            yield f"{where}: Please ensure that multiturn requests alternate between user and model."
        role = content.get("role")
        if not parts:
            yield f"{where}: parts must not be empty"
        results = [part["functionResponse"].get("name") for part in parts if "functionResponse" in part]
        if role == "user" and results != calls:
            yield f"{where}: function responses {results} for the function calls {calls}"
        calls = [part["functionCall"].get("name") for part in parts if "functionCall" in part]
        for part in parts:
            yield from part_faults(part, where)
        first = next((part for part in parts if "functionCall" in part), None)
        if first and "thoughtSignature" not in first:
            yield f"{where}: Function call is missing a thought_signature"
    if calls or role != "user":
        yield "the conversation does not end with the user"


def part_faults(part, where):
    signature = part.get("thoughtSignature")
    if signature is not None and signature != SKIPPED and signature not in issued:
        yield f"{where}: Corrupted thought signature."
    if part.get("text") == "" and signature is None:
        yield f"{where}: must have a text parameter"
    if "functionCall" in part and not isinstance(part["functionCall"].get("args"), dict):
        yield f"{where}: function_call.args is not an object"
    if "functionResponse" in part:
        if signature is not None:
            yield f"{where}: a thought signature is not allowed here"
        if not isinstance(part["functionResponse"].get("response"), dict):
            yield f"{where}: function_response.response is not an object"


def gemini_as_chat(body):
    texts = [{"role": "assistant" if each["role"] == "model" else "user",
              "content": "\n".join(part.get("text", "") for part in each["parts"])} for each in body["contents"]]
    names = [function["name"] for tool in body.get("tools") or [] for function in tool.get("functionDeclarations", [])]
    return {"messages": texts, "tools": [{"function": {"name": name}} for name in names]}


def gemini_chunks(said):
    """Signs the first of several parallel calls. Without calls, signs an empty text at the end."""
    is_signed = False
    for kind, what, *arguments in said:
        part = {"text": what, "thought": True} if kind == "think" else {"text": what}
        if kind == "call":
            part = {"functionCall": {"name": what, "args": arguments[0]}}
            if not is_signed:
                part["thoughtSignature"] = sign()
            is_signed = True
        yield gemini_chunk(part)
    yield gemini_chunk({"text": ""} if is_signed else {"text": "", "thoughtSignature": sign()}, "STOP")


def gemini_chunk(part, finish=None):
    candidate = {"content": {"role": "model", "parts": [part]}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    usage = {"promptTokenCount": 15, "candidatesTokenCount": 20, "thoughtsTokenCount": 3, "totalTokenCount": 38}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-3-pro", "responseId": "r"}


NO_THREAD = {"type": "error", "error": {"type": "not_found_error", "message": "previous_message_id: not found",
                                        "details": {"error_code": "thread_not_found"}}}


class Provider(ScriptedProvider):
    def do_GET(self):
        if self.path != "/forget":
            super().do_GET()
            return
        threads.clear()
        self.answer(200, "{}")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        is_gemini = self.path.startswith("/gemini/")
        whole = body if is_gemini else whole_conversation(body)
        if whole is None:
            if self.note(body=body, faults=["thread_not_found"]):
                self.answer(404, json.dumps(NO_THREAD))
            return
        faults = list(gemini_faults(body) if is_gemini else messages_faults(whole, "anthropic-beta" in self.headers))
        if not self.note(body=body, faults=faults):
            return
        if faults:
            self.refuse(400, "; ".join(faults))
            return
        said = play(gemini_as_chat(body) if is_gemini else messages_as_chat(whole))
        events = list(gemini_chunks(said) if is_gemini else message_events(body, said))
        if "thread" in body:
            keep_thread(whole, events)
        self.begin()
        for event in events:
            self.event(json.dumps(event), "" if is_gemini else event["type"])
        self.chunk(b"")


if __name__ == "__main__":
    serve(Provider)
