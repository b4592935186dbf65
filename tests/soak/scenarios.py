"""The actions of clients and providers, and the results that the gateway must give. Each scenario raises an exception if a
result is wrong."""
import asyncio
import json
import socket
import struct
from dataclasses import dataclass
from typing import Awaitable, Callable

from house import chat, connect, fetch, read_answer, read_head, request_bytes

CHAT = "/v1/chat/completions"
ALL = {}


@dataclass
class Scenario:
    run: Callable[..., Awaitable[None]]
    weight: int


def scenario(weight):
    def add(function):
        ALL[function.__name__] = Scenario(function, weight)
        return function
    return add


def expect(is_true, what):
    if not is_true:
        raise AssertionError(what)


def events(body):
    """Returns the data of each event. Everything else in the body must be comments."""
    found = []
    for block in body.split("\n\n"):
        if block and not block.startswith(":"):
            expect(block.startswith("data: ") and "\n" not in block, f"no canonical event: {block[:80]!r}")
            found.append(block[6:])
    return found


def expect_complete(answer, winners):
    expect(answer.status == 200 and answer.is_whole,
           f"status {answer.status}, whole {answer.is_whole}: {answer.body[-300:]}")
    winner = answer.headers.get("x-race-winner", "")
    expect(winner.split("/")[0] in winners, f"winner {winner}")
    data = events(answer.body)
    expect(data[-1] == "[DONE]" and data.count("[DONE]") == 1, "no single [DONE] at the end")
    chunks = [json.loads(each) for each in data[:-1]]
    expect(len({chunk["id"] for chunk in chunks}) == 1, "several ids")
    finishes = [choice["finish_reason"] for chunk in chunks for choice in chunk["choices"] if choice.get("finish_reason")]
    expect(len(finishes) == 1, f"finish reasons {finishes}")
    expect(sum(1 for chunk in chunks if chunk.get("usage")) == 1, "not one usage chunk")


async def post(house, body, headers=()):
    return await fetch(house.url(CHAT), "POST", body, headers)


async def begin(house, body):
    reader, writer = await connect(house.url("/"))
    writer.write(request_bytes("POST", CHAT, body))
    return reader, writer


def reset(writer):
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.close()


@scenario(12)
async def a_stream_whose_truth_is_known(house, chance):
    expect_complete(await post(house, chat("known")), {"truth"})


@scenario(12)
async def a_race_of_three(house, chance):
    expect_complete(await post(house, chat("all")), {"quick", "slow", "truth"})


@scenario(6)
async def a_hedge(house, chance):
    expect_complete(await post(house, chat("hedge")), {"quick", "slow"})


@scenario(4)
async def a_fallback_over_failures(house, chance):
    expect_complete(await post(house, chat("fallback")), {"quick"})


@scenario(6)
async def liars_lose(house, chance):
    expect_complete(await post(house, chat("liars")), {"quick"})


@scenario(6)
async def a_whole_answer(house, chance):
    answer = await post(house, chat("all", stream=False))
    expect(answer.status == 200 and answer.is_whole, f"status {answer.status}")
    message = json.loads(answer.body)["choices"][0]
    expect(message["message"]["content"] and message["finish_reason"] == "stop", answer.body[:200])


@scenario(4)
async def a_big_prompt(house, chance):
    expect_complete(await post(house, chat("all", content="word " * chance.choice([10_000, 200_000]))),
                    {"quick", "slow", "truth"})


@scenario(4)
async def several_requests_on_one_connection(house, chance):
    reader, writer = await connect(house.url("/"))
    try:
        for _ in range(chance.randint(2, 5)):
            writer.write(request_bytes("POST", CHAT, chat("resident")))
            expect_complete(await read_answer(reader), {"quick"})
    finally:
        writer.close()


@scenario(2)
async def pipelined_requests(house, chance):
    reader, writer = await connect(house.url("/"))
    try:
        writer.write(request_bytes("POST", CHAT, chat("resident")) + request_bytes("GET", "/v1/models"))
        expect_complete(await read_answer(reader), {"quick"})
        expect((await read_answer(reader)).status == 200, "the second answer")
    finally:
        writer.close()


async def expect_broken(house, route):
    answer_status, body = 0, b""
    reader, writer = await begin(house, chat(route))
    try:
        answer_status, _ = await read_head(reader)
        body = await reader.read(-1)
    finally:
        writer.close()
    expect(answer_status == 200, f"status {answer_status}")
    expect(b'"error"' in body, "no error event")
    expect(b"[DONE]" not in body and not body.endswith(b"0\r\n\r\n"), "a cut answer looks complete")


@scenario(3)
async def a_provider_that_resets_midway(house, chance):
    await expect_broken(house, "resets")


@scenario(3)
async def a_provider_that_closes_midway(house, chance):
    await expect_broken(house, "cut")


@scenario(2)
async def a_provider_that_falls_silent(house, chance):
    await expect_broken(house, "stalls")


@scenario(2)
async def a_provider_that_never_answers(house, chance):
    answer = await post(house, chat("hangs"))
    expect(answer.status == 504 and "error" in json.loads(answer.body), f"status {answer.status}")


@scenario(3)
async def a_broken_whole_answer(house, chance):
    answer = await post(house, chat("cut", stream=False))
    expect(answer.status == 502, f"status {answer.status}")


@scenario(2)
async def an_error_keeps_its_status(house, chance):
    status = chance.choice([400, 401, 404, 429, 500, 503])
    answer = await post(house, chat(f"faulty/m;status={status}"))
    expect(answer.status >= 400 and json.loads(answer.body)["error"]["message"], f"status {answer.status}")


@scenario(4)
async def a_client_that_leaves_before_the_first_token(house, chance):
    _, writer = await begin(house, chat(chance.choice(["slow/m", "hangs", "all"]), stream=chance.random() < 0.5))
    await asyncio.sleep(chance.uniform(0, 0.05))
    reset(writer) if chance.random() < 0.5 else writer.close()


@scenario(4)
async def a_client_that_leaves_midway(house, chance):
    reader, writer = await begin(house, chat("endless"))
    await read_head(reader)
    await reader.read(1000)
    reset(writer) if chance.random() < 0.5 else writer.close()


@scenario(2)
async def a_client_that_half_closes_has_left(house, chance):
    reader, writer = await begin(house, chat("endless"))
    await read_head(reader)
    writer.write_eof()
    body = await reader.read(-1)
    expect(b"[DONE]" not in body, "an answer to a client that has left")
    writer.close()


@scenario(1)
async def a_client_that_never_reads(house, chance):
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.setblocking(False)
    loop = asyncio.get_running_loop()
    try:
        await loop.sock_connect(raw, ("127.0.0.1", house.port))
        await loop.sock_sendall(raw, request_bytes("POST", CHAT, chat("flood")))
        await asyncio.sleep(chance.uniform(1, 5))
    finally:
        raw.close()


@scenario(2)
async def a_client_that_crawls(house, chance):
    reader, writer = await connect(house.url("/"))
    try:
        for each in request_bytes("POST", CHAT, chat("quick/m"))[:60]:
            writer.write(bytes([each]))
            await asyncio.sleep(0.01)
    finally:
        writer.close()


@scenario(3)
async def bad_requests_are_told_so(house, chance):
    body, wanted = chance.choice([(b'{"model": "all", ', 400), (chat("no-such-route"), 404), (b"[]", 400),
                                  (b'{"model":"all","messages":[],"model":"all"}', 400), (b"x" * 5_000_000, 413),
                                  (b'{"model":"all","stream":"yes","messages":[{"role":"user","content":"a"}]}', 400)])
    answer = await post(house, body)
    expect(answer.status == wanted and json.loads(answer.body)["error"]["message"], f"{answer.status}, not {wanted}")


@scenario(2)
async def smuggled_requests_are_refused(house, chance):
    reader, writer = await connect(house.url("/"))
    head = chance.choice([b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"Content-Length: 5, 5\r\n",
                          b"Transfer-Encoding: xchunked\r\n", b"Transfer-Encoding: chunked, gzip\r\n"])
    try:
        writer.write(b"POST " + CHAT.encode() + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n" + head + b"\r\n0\r\n\r\n"
                     b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        answer = await read_answer(reader)
        expect(answer.status in (400, 501), f"status {answer.status}")
        expect(not await reader.read(-1), "a second answer")
    finally:
        writer.close()


@scenario(2)
async def nonsense_is_no_request(house, chance):
    reader, writer = await connect(house.url("/"))
    try:
        writer.write(bytes(chance.randrange(256) for _ in range(chance.randint(1, 3000))) + b"\r\n\r\n")
        await asyncio.wait_for(reader.read(-1), timeout=10)
    except ConnectionError:
        pass
    finally:
        writer.close()


@scenario(2)
async def an_idle_connection_costs_nothing(house, chance):
    _, writer = await connect(house.url("/"))
    await asyncio.sleep(chance.uniform(0, 2))
    writer.close()
