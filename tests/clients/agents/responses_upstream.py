#!/usr/bin/env python3
"""A scripted, strict provider of OpenAI's Responses (/v1/responses). It plays the scripts of chat_upstream.py, encrypts its
reasoning, which clients must return unchanged, and keeps its answers unless `store` is false.

A request that the real API would refuse is recorded as a fault and refused. GET /seen?TEXT and the key are the same as in
chat_upstream.py. TEXT is searched in the whole conversation, which includes the responses that `previous_response_id` continues.
"""
import itertools
import json
import pathlib
import sys

CLIENTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(CLIENTS), str(CLIENTS / "conversations")]
from chat_upstream import play  # noqa: E402
from scripted_provider import ScriptedProvider, serve  # noqa: E402

PARAMETERS = frozenset(
    "model input instructions tools tool_choice parallel_tool_calls stream stream_options store include reasoning text "
    "previous_response_id prompt_cache_key max_output_tokens temperature top_p truncation metadata user service_tier "
    "client_metadata safety_identifier".split()
)
TOOLS = {"function", "custom", "namespace", "tool_search"}
CALLS = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output",
         "tool_search_call": "tool_search_output"}
issued, kept, numbers = set(), {}, itertools.count(1)


def new_id(kind):
    return f"{kind}_{next(numbers):08d}"


def items_of(body):
    given = body.get("input")
    return [{"type": "message", "role": "user", "content": given}] if isinstance(given, str) else given or []


def text_of(item):
    content = item.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def faults_of(body, conversation):
    for name in set(body) - PARAMETERS:
        yield f"Unknown parameter: '{name}'."
    for tool in body.get("tools") or []:
        if tool.get("type") not in TOOLS:
            yield f"Invalid value: '{tool.get('type')}'. Supported values are: 'function', …"
    waiting = {}
    for place, item in enumerate(conversation):
        kind = item.get("type", "message")
        if kind == "reasoning" and item.get("encrypted_content") not in (None, *issued):
            yield f"input[{place}]: The encrypted content could not be verified."
        if kind in CALLS:
            waiting[item.get("call_id")] = CALLS[kind]
        elif kind in CALLS.values() and waiting.pop(item.get("call_id"), None) != kind:
            yield f"No tool call found for {kind} with call_id {item.get('call_id')}."
    for call_id in waiting:
        yield f"No tool output found for function call {call_id}."


def as_chat(body, conversation):
    """Returns the conversation in the form that chat_upstream.play() reads: the items of one answer are one message."""
    messages = []
    for item in conversation:
        kind = item.get("type", "message")
        is_answer = item.get("role") == "assistant" or kind in ("reasoning", *CALLS)
        role = "assistant" if is_answer else "tool" if kind in CALLS.values() else item.get("role", "user")
        if role == "assistant" and messages and messages[-1]["role"] == "assistant":
            messages[-1]["content"] += text_of(item)
        else:
            messages.append({"role": role, "content": text_of(item)})
    names = [{"function": {"name": tool.get("name", tool["type"])}} for tool in body.get("tools") or []]
    return {"messages": messages, "tools": names}


def call_of(name, arguments, kinds):
    call = {"call_id": new_id("call"), "status": "completed"}
    if kinds.get(name) == "tool_search":
        return {"type": "tool_search_call", "id": new_id("tsc"), "execution": "client", "arguments": arguments, **call}
    if kinds.get(name) == "custom":
        return {"type": "custom_tool_call", "id": new_id("ctc"), "name": name, "input": arguments["input"], **call}
    return {"type": "function_call", "id": new_id("fc"), "name": name, "arguments": json.dumps(arguments), **call}


def output_of(said, tools):
    """Returns the script's next answer as items. Successive thoughts or texts are one item."""
    kinds = {tool.get("name", tool["type"]): tool["type"] for tool in tools}
    for kind, group in itertools.groupby(said, lambda each: each[0]):
        parts = list(group)
        if kind == "think":
            secret = f"gAAAA{next(numbers):08d}"
            issued.add(secret)
            yield {"type": "reasoning", "id": new_id("rs"), "encrypted_content": secret,
                   "summary": [{"type": "summary_text", "text": "".join(each[1] for each in parts)}]}
        elif kind == "say":
            text = "".join(each[1] for each in parts)
            content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
            yield {"type": "message", "id": new_id("msg"), "role": "assistant", "status": "completed",
                   "content": content}
        else:
            yield from (call_of(name, arguments, kinds) for _, name, arguments in parts)


def deltas_of(index, item):
    """Returns the events between output_item.added and output_item.done."""
    at = {"item_id": item["id"], "output_index": index}
    if item["type"] in ("function_call", "custom_tool_call"):
        member = "arguments" if "arguments" in item else "input"
        event, text = "function_call_arguments" if member == "arguments" else "custom_tool_call_input", item[member]
        for place in range(0, len(text), 7):
            yield {"type": f"response.{event}.delta", **at, "delta": text[place : place + 7]}
        yield {"type": f"response.{event}.done", **at, member: text}
    elif item["type"] == "tool_search_call":
        return
    elif item["type"] == "message":
        part, at = item["content"][0], {**at, "content_index": 0}
        yield {"type": "response.content_part.added", **at, "part": {**part, "text": ""}}
        yield {"type": "response.output_text.delta", **at, "delta": part["text"], "logprobs": []}
        yield {"type": "response.output_text.done", **at, "text": part["text"], "logprobs": []}
        yield {"type": "response.content_part.done", **at, "part": part}
    else:
        part, at = item["summary"][0], {**at, "summary_index": 0}
        yield {"type": "response.reasoning_summary_part.added", **at, "part": {**part, "text": ""}}
        yield {"type": "response.reasoning_summary_text.delta", **at, "delta": part["text"]}
        yield {"type": "response.reasoning_summary_text.done", **at, "text": part["text"]}
        yield {"type": "response.reasoning_summary_part.done", **at, "part": part}


def opened(item):
    """Returns an item as output_item.added contains it: without content."""
    empty = {"arguments": "", "input": "", "content": [], "summary": []}
    if item["type"] == "tool_search_call":
        return item
    return {name: empty.get(name, value) for name, value in item.items()}


def events_of(response):
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(response["output"]):
        yield {"type": "response.output_item.added", "output_index": index, "item": opened(item)}
        yield from deltas_of(index, item)
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": response}


def response_of(body, output):
    usage = {"input_tokens": 20, "input_tokens_details": {"cached_tokens": 10}, "output_tokens": 10,
             "output_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 30}
    return {"id": new_id("resp"), "object": "response", "created_at": 1, "status": "completed", "model": body["model"],
            "error": None, "incomplete_details": None, "instructions": body.get("instructions"), "metadata": {},
            "output": output, "parallel_tool_calls": True, "previous_response_id": body.get("previous_response_id"),
            "store": body.get("store") is not False, "temperature": 1.0, "tool_choice": "auto",
            "tools": body.get("tools") or [], "top_p": 1.0, "usage": usage}


class Provider(ScriptedProvider):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        before = body.get("previous_response_id")
        conversation = [*kept.get(before, []), *items_of(body)]
        faults = list(faults_of(body, conversation))
        if before is not None and before not in kept:
            faults.append(f"Previous response with id '{before}' not found.")
        if not self.note(body={**body, "conversation": conversation}, faults=faults):
            return
        if faults:
            self.refuse(400, "; ".join(faults))
            return
        output = list(output_of(play(as_chat(body, conversation)), body.get("tools") or []))
        response = response_of(body, output)
        if response["store"]:
            kept[response["id"]] = [*conversation, *output]
        if not body.get("stream"):
            self.answer(200, json.dumps(response))
            return
        self.begin()
        for number, event in enumerate(events_of(response)):
            self.event(json.dumps({**event, "sequence_number": number}), event["type"])
        self.chunk(b"")


if __name__ == "__main__":
    serve(Provider)
