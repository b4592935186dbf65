#!/usr/bin/env python3
"""Plays sessions of coding agents, whose requests grow turn by turn, and counts the turns that a prompt cache served.

tests/agents/agent_sessions.py BASE_URL --model NAME [--api messages] [--sessions 6] [--turns 25] [--key KEY ...]

As a module: Sessions(base_url, model).run() returns a Turn for each request. warm_share(turns) is the share of warm turns,
whose prompt was in the cache.
"""

import argparse
import collections
import http.client
import json
import random
import re
import ssl
import statistics
import sys
import threading
import time
import typing
import urllib.parse

PATIENCE_S = 120


class Turn(typing.NamedTuple):
    """One request of a session. Times are from the steady clock."""

    session: int
    number: int  # counted from 1
    began: float
    ttft: float  # in seconds; None if no token arrived
    ended: float
    status: int  # 0 if the connection broke
    prompt_tokens: int  # all tokens of the prompt, cached or not
    cached_tokens: int
    before_tokens: int  # the prompt's tokens in the previous turn; 0 if that turn got no answer
    winner: str = ""  # the target, as the gateway names it; empty without a gateway
    expected_tokens: int = 0  # tokens that the gateway expected in the winner's cache; 0 for none, or without a gateway
    served_by: str = ""  # the gateway's name, if a balancer reports it in x-served-by

    @property
    def is_answered(self):
        return self.status == 200 and self.ttft is not None

    @property
    def may_be_warm(self):
        return self.is_answered and self.before_tokens > 0

    @property
    def is_warm(self):
        """A cache may store only whole steps, and never caches the text after the last message. Therefore 80 % of the previous
        prompt is enough."""
        return self.may_be_warm and self.cached_tokens >= 0.8 * self.before_tokens


    @property
    def is_expected_warm(self):
        """The gateway counts tokens by itself, so its limit is lower than the limit for the provider's count."""
        return self.may_be_warm and self.expected_tokens >= 0.7 * self.before_tokens


def share_of(turns, is_warm):
    able = [each for each in turns if each.may_be_warm]
    return sum(map(is_warm, able)) / len(able) if able else 0.0


def warm_share(turns):
    return share_of(turns, lambda each: each.is_warm)


def expected_share(turns):
    return share_of(turns, lambda each: each.is_expected_warm)


def words(chance, tokens):
    """Returns random words of about this number of tokens. The simulated provider counts a token for every four bytes."""
    return " ".join(f"{chance.randrange(16 ** 7):07x}" for _ in range(max(1, tokens // 2)))


class Chat:
    path = "/chat/completions"

    def body(self, model, system, messages, tokens):
        return {"model": model, "stream": True, "stream_options": {"include_usage": True}, "max_tokens": tokens,
                "messages": [{"role": "system", "content": system}, *messages]}

    def headers(self, key):
        return {"authorization": f"Bearer {key}"}

    def text(self, event):
        return "".join(each.get("delta", {}).get("content") or "" for each in event.get("choices") or [])

    def usage(self, event):
        usage = event.get("usage")
        if usage:
            yield usage["prompt_tokens"], (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)


class Messages:
    """Requests of the Messages API. They mark the system prompt and the last message for the cache, as Claude Code does."""

    path = "/messages"
    MARK = {"type": "ephemeral"}

    def body(self, model, system, messages, tokens):
        *before, last = messages
        marked = {"role": last["role"], "content": [{"type": "text", "text": last["content"], "cache_control": self.MARK}]}
        return {"model": model, "stream": True, "max_tokens": tokens, "messages": [*before, marked],
                "system": [{"type": "text", "text": system, "cache_control": self.MARK}]}

    def headers(self, key):
        return {"x-api-key": key, "anthropic-version": "2023-06-01"}

    def text(self, event):
        return event.get("delta", {}).get("text", "") if event.get("type") == "content_block_delta" else ""

    def usage(self, event):
        usage = event.get("message", {}).get("usage") or event.get("usage")
        if usage and "input_tokens" in usage:
            read, written = usage.get("cache_read_input_tokens", 0), usage.get("cache_creation_input_tokens", 0)
            yield usage["input_tokens"] + read + written, read


class Responses:
    path = "/responses"

    def body(self, model, system, messages, tokens):
        return {"model": model, "stream": True, "store": False, "instructions": system, "max_output_tokens": tokens,
                "input": messages}

    def headers(self, key):
        return {"authorization": f"Bearer {key}"}

    def text(self, event):
        return event.get("delta", "") if event.get("type") == "response.output_text.delta" else ""

    def usage(self, event):
        usage = (event.get("response") or {}).get("usage")
        if usage:
            yield usage["input_tokens"], (usage.get("input_tokens_details") or {}).get("cached_tokens", 0)


APIS = {"chat": Chat, "messages": Messages, "responses": Responses}


class Answer:
    """The answer of one stream, read event by event."""

    def __init__(self, api):
        self._api, self.text, self.first_at, self.prompt, self.cached = api, "", None, 0, 0

    def read(self, response):
        for line in response:
            if not line.startswith(b"data: {"):
                continue
            event = json.loads(line[6:])
            said = self._api.text(event)
            if said and self.first_at is None:
                self.first_at = time.monotonic()
            self.text += said
            for prompt, cached in self._api.usage(event):
                self.prompt, self.cached = max(self.prompt, prompt), max(self.cached, cached)


class Sessions:
    """`keys` has a key for each session, in turn. `pause_s` is the mean time between an answer and the next request, in
    addition to `least_pause_s`.

    If `shares_system` is true, all sessions have the same system prompt. The session's thread calls `on_turn` with each Turn.
    """

    def __init__(self, base_url, model, api="chat", sessions=6, turns=25, keys=("any-key",), system_tokens=4000, turn_tokens=800,
                 answer_tokens=40, pause_s=0.1, least_pause_s=0, shares_system=False, seed=1, headers=None, on_turn=None):
        self._url, self._model, self._api = urllib.parse.urlsplit(base_url), model, APIS[api]()
        self._sessions, self._turns, self._keys, self._pause_s = sessions, turns, list(keys), pause_s
        self._least_pause_s = least_pause_s
        self._system_tokens, self._turn_tokens, self._answer_tokens = system_tokens, turn_tokens, answer_tokens
        self._shares_system, self._seed, self._headers, self._on_turn = shares_system, seed, dict(headers or {}), on_turn
        self._over, self._lock, self.turns, self._failures = threading.Event(), threading.Lock(), [], []

    def run(self):
        threads = [threading.Thread(target=self._play, args=(each,), daemon=True) for each in range(self._sessions)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        if self._failures:
            raise self._failures[0]
        return self.turns

    def stop(self):
        """Lets no session begin another turn."""
        self._over.set()

    def _play(self, session):
        try:
            self._converse(session)
        except Exception as failed:  # run() raises the exception again
            self._failures.append(failed)

    def _converse(self, session):
        chance = random.Random(f"{self._seed} {session}")
        system = words(random.Random(self._seed) if self._shares_system else chance, self._system_tokens)
        messages, before = [], 0
        for number in range(1, self._turns + 1):
            messages.append({"role": "user", "content": words(chance, self._turn_tokens)})
            turn, text = self._ask(session, number, system, messages, before)
            with self._lock:
                self.turns.append(turn)
            if self._on_turn:
                self._on_turn(turn)
            before = turn.prompt_tokens if turn.is_answered else 0
            messages.append({"role": "assistant", "content": text or "I have no answer."})
            if self._over.wait(self._least_pause_s + (chance.expovariate(1 / self._pause_s) if self._pause_s > 0 else 0)):
                return

    def _connection(self):
        if self._url.scheme == "https":
            return http.client.HTTPSConnection(self._url.netloc, timeout=PATIENCE_S, context=ssl._create_unverified_context())
        return http.client.HTTPConnection(self._url.netloc, timeout=PATIENCE_S)

    def _ask(self, session, number, system, messages, before):
        answer, status, names = Answer(self._api), 0, {}
        body = json.dumps(self._api.body(self._model, system, messages, self._answer_tokens))
        headers = {"content-type": "application/json", **self._api.headers(self._keys[session % len(self._keys)]), **self._headers}
        connection, began = self._connection(), time.monotonic()
        try:
            connection.request("POST", self._url.path.rstrip("/") + self._api.path, body, headers)
            response = connection.getresponse()
            status, names = response.status, named(response)
            answer.read(response)
        except (OSError, http.client.HTTPException):
            status = 0
        finally:
            connection.close()
        ttft = None if answer.first_at is None else answer.first_at - began
        turn = Turn(session, number, began, ttft, time.monotonic(), status, answer.prompt, answer.cached, before, **names)
        return turn, answer.text


def named(response):
    """Returns the fields of a Turn that the response headers contain."""
    cache = re.fullmatch(r"warm;tokens=(\d+)", response.getheader("x-race-prompt-cache", ""))
    return {"winner": response.getheader("x-race-winner", ""), "served_by": response.getheader("x-served-by", ""),
            "expected_tokens": int(cache[1]) if cache else 0}


def summary(turns):
    answered = [each for each in turns if each.is_answered]
    times = sorted(each.ttft for each in answered)
    return {"turns": len(turns), "answered": len(answered), "may_be_warm": sum(each.may_be_warm for each in turns),
            "warm": sum(each.is_warm for each in turns), "warm_share": round(warm_share(turns), 4),
            "prompt_tokens": sum(each.prompt_tokens for each in turns), "cached_tokens": sum(each.cached_tokens for each in turns),
            "ttft_mean_s": round(statistics.fmean(times), 3) if times else None,
            "ttft_p99_s": round(times[min(len(times) - 1, int(0.99 * len(times)))], 3) if times else None,
            "winners": dict(collections.Counter(each.winner for each in answered if each.winner))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base_url")
    parser.add_argument("--model", required=True)
    parser.add_argument("--api", choices=sorted(APIS), default="chat")
    parser.add_argument("--key", action="append", dest="keys", help="may be repeated: one for each session in turn")
    for name, value in (("sessions", 6), ("turns", 25), ("system-tokens", 4000), ("turn-tokens", 800), ("answer-tokens", 40), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--pause-s", type=float, default=0.1, help="between two turns, in the mean")
    parser.add_argument("--shares-system", action="store_true", help="all sessions have one system prompt")
    given = vars(parser.parse_args())
    given["keys"] = given["keys"] or ["any-key"]
    turns = Sessions(given.pop("base_url"), given.pop("model"), **given).run()
    print(json.dumps(summary(turns), indent=1))
    return 0 if all(each.is_answered for each in turns) else 1


if __name__ == "__main__":
    sys.exit(main())
