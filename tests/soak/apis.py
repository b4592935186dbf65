"""Scenarios of the other APIs, and of providers with other dialects. See scenarios.py."""
import asyncio
import base64
import json
import struct

from house import connect, chat, fetch, read_head, request_bytes
from scenarios import expect, expect_broken, expect_complete, events, post, reset, scenario


def named_events(body):
    """Returns the names and the data of a stream's events. Everything else in the stream must be comments."""
    found = []
    for block in body.split("\n\n"):
        if not block or block.startswith(":"):
            continue
        name, data = block.split("\n")
        expect(name.startswith("event: ") and data.startswith("data: "), f"no named event: {block[:80]!r}")
        found.append((name[7:], json.loads(data[6:])))
        expect(found[-1][1]["type"] == name[7:], f"{name} of type {found[-1][1]['type']}")
    return found


async def ask_other(house, path, body):
    answer = await fetch(house.url(path), "POST", json.dumps(body).encode())
    expect(answer.status == 200 and answer.is_whole, f"status {answer.status}, whole {answer.is_whole}: {answer.body[-300:]}")
    return answer.body


@scenario(4)
async def a_response_and_what_refers_to_it(house, chance):
    is_streamed = chance.random() < 0.7
    body = await ask_other(house, "/v1/responses", {"model": "all", "stream": is_streamed, "input": "Say hello"})
    response = json.loads(body) if not is_streamed else None
    if is_streamed:
        events_read = named_events(body)
        expect([each["sequence_number"] for _, each in events_read] == list(range(len(events_read))), "numbers")
        expect(events_read[-1][0] == "response.completed", f"its end is {events_read[-1][0]}")
        response = events_read[-1][1]["response"]
    item = response["output"][0]
    expect(response["status"] == "completed" and item["content"][0]["text"], str(response)[:300])
    await ask_other(house, "/v1/responses", {"model": "resident", "input": [{"type": "item_reference", "id": item["id"]},
                                                                           {"role": "user", "content": "And?"}]})


@scenario(4)
async def a_message(house, chance):
    request = {"model": "all", "max_tokens": 99, "messages": [{"role": "user", "content": "Say hello"}]}
    if chance.random() < 0.3:
        message = json.loads(await ask_other(house, "/v1/messages", request))
        expect(message["stop_reason"] == "end_turn" and message["content"][0]["text"], str(message)[:300])
        return
    names = [name for name, _ in named_events(await ask_other(house, "/v1/messages", {**request, "stream": True}))]
    expect(names[0] == "message_start" and names[-2:] == ["message_delta", "message_stop"], str(names))
    expect(names.count("content_block_start") == names.count("content_block_stop") == 1, str(names))


@scenario(3)
async def a_client_of_another_api_that_leaves_midway(house, chance):
    path, body = chance.choice([("/v1/responses", {"input": "hi"}),
                                ("/v1/messages", {"max_tokens": 99, "messages": [{"role": "user", "content": "hi"}]})])
    reader, writer = await connect(house.url("/"))
    writer.write(request_bytes("POST", path, json.dumps({"model": "endless", "stream": True, **body}).encode()))
    await read_head(reader)
    await reader.read(1000)
    reset(writer) if chance.random() < 0.5 else writer.close()


# These scenarios use each API for conversations, with any provider.

async def converse(house, chance, model):
    """Reads a stream of one of the APIs to its end."""
    api = chance.choice(["chat", "responses", "messages"])
    if api == "chat":
        return expect_complete(await post(house, chat(model)), DIALECTS)
    if api == "responses":
        read = named_events(await ask_other(house, "/v1/responses", {"model": model, "stream": True, "input": "hi"}))
        response = read[-1][1]["response"]
        expect(response["status"] == "completed" and response["usage"]["output_tokens"] > 0, str(response)[:300])
        return
    request = {"model": model, "stream": True, "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}]}
    read = named_events(await ask_other(house, "/v1/messages", request))
    expect(read[-1][0] == "message_stop" and read[-2][1]["usage"]["output_tokens"] > 0, str(read[-2:]))


DIALECTS = {"by-responses", "by-messages", "by-gemini", "by-bedrock"}
SPOKEN = [*(f"{provider}/m" for provider in sorted(DIALECTS)), "by-bedrock/anthropic.m"]


@scenario(10)
async def a_race_across_dialects(house, chance):
    await converse(house, chance, "dialects")


@scenario(4)
async def dialects_that_fail_over(house, chance):
    await converse(house, chance, "failing_dialects")


@scenario(3)
async def a_dialect_that_is_cut_midway(house, chance):
    await expect_broken(house, f"{chance.choice(SPOKEN)};{chance.choice(['close_after', 'reset_after', 'error_event'])}=5")


@scenario(3)
async def a_client_that_leaves_a_dialect_midway(house, chance):
    endless = f"{chance.choice(SPOKEN)};tokens=100000;tps=2000"
    reader, writer = await connect(house.url("/"))
    writer.write(request_bytes("POST", "/v1/chat/completions", chat(endless, max_tokens=100000)))
    status, _ = await read_head(reader)
    expect(status == 200, f"status {status}")
    await reader.read(1000)
    reset(writer) if chance.random() < 0.5 else writer.close()


@scenario(2)
async def a_whole_answer_across_dialects(house, chance):
    message = json.loads(await ask_other(house, "/v1/chat/completions", {
        "model": "dialects", "messages": [{"role": "user", "content": "hi"}]}))["choices"][0]
    expect(message["message"]["content"] and message["finish_reason"] == "stop", str(message)[:200])


# These scenarios use the other APIs, which tests/clients/upstreams.py serves.

@scenario(4)
async def texts_are_embedded(house, chance):
    encoding = chance.choice(["float", "base64"])
    texts = [f"text {chance.random()}" for _ in range(chance.choice([1, 3, 40]))]
    answer = json.loads(await ask_other(house, "/v1/embeddings", {"model": "embed", "input": texts,
                                                                  "encoding_format": encoding}))
    expect([each["index"] for each in answer["data"]] == list(range(len(texts))), "indexes")
    for each in answer["data"]:
        vector = each["embedding"]
        if encoding == "base64":
            vector = struct.unpack("<64f", base64.b64decode(vector))
        expect(len(vector) == 64 and vector[2] == 1.0 and vector[3] == -1.5, str(vector)[:100])


@scenario(3)
async def text_is_completed(house, chance):
    is_streamed = chance.random() < 0.7
    body = await ask_other(house, "/v1/completions", {"model": "other", "prompt": "Once", "stream": is_streamed})
    if is_streamed:
        data = events(body)
        expect(data[-1] == "[DONE]", "no [DONE]")
        text = "".join(choice["text"] for each in data[:-1] for choice in json.loads(each)["choices"])
    else:
        text = json.loads(body)["choices"][0]["text"]
    expect(text == "one two three", text)


@scenario(3)
async def a_whole_answer_of_another_api(house, chance):
    path, request, wanted = chance.choice([
        ("/v1/rerank", {"query": "red fox", "documents": ["a cat", "a red fox"]}, '"index": 1'),
        ("/v1/moderations", {"input": "kill"}, '"flagged": true'),
        ("/v1/images/generations", {"prompt": "a fox"}, '"b64_json"')])
    answer = await ask_other(house, path, {"model": "other", **request})
    expect(wanted in answer, answer[:300])


@scenario(2)
async def words_are_spoken(house, chance):
    answer = await ask_other(house, "/v1/audio/speech", {"model": "other", "input": "a b c", "voice": "v"})
    expect(answer.startswith("RIFF\0\xff") and answer.endswith("a\r\nb\r\nc\r\n"), answer[-40:])


@scenario(2)
async def sound_is_written_down(house, chance):
    form = ("--x\r\ncontent-disposition: form-data; name=\"model\"\r\n\r\nother\r\n--x\r\n"
            "content-disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\nRIFFhello there\r\n--x--\r\n")
    answer = await fetch(house.url("/v1/audio/transcriptions"), "POST", form.encode(), kind="multipart/form-data; boundary=x")
    expect(answer.status == 200 and json.loads(answer.body)["text"] == "hello there", f"{answer.status} {answer.body[:200]}")


@scenario(2)
async def a_client_of_whole_answers_that_leaves(house, chance):
    _, writer = await connect(house.url("/"))
    writer.write(request_bytes("POST", "/v1/embeddings", json.dumps({"model": "late", "input": "x"}).encode()))
    await asyncio.sleep(chance.uniform(0, 0.05))
    reset(writer) if chance.random() < 0.5 else writer.close()
