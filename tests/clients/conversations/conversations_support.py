"""The shared part of the Python suites of Responses and Messages: the records of chat_upstream.py, and the tool of its scripts."""
import json
import os
import urllib.parse
import urllib.request

from support import GATEWAY_URL, comes_true

KEY = "open-key"
CITY = {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False,
}
CITIES = [["Paris"], ["Oslo", 'Rome "é\\']]  # the cities that each turn of the script `weather` asks for
ANSWER = "It is sunny in all three."


def seen(text, provider="CHAT_URL"):
    """Returns the requests whose body contains this text, as the providers received them."""
    url = f"{os.environ[provider]}/seen?{urllib.parse.quote(text)}"
    with urllib.request.urlopen(url, timeout=5) as response:
        return json.load(response)


def seen_natively(text):
    """Returns the requests with this text, as the provider of Messages and Gemini received them."""
    return seen(text, "NATIVE_URL")


def assert_raced(test, text, count):
    """Checks that each of the turns ran at three providers, which found no fault, and that the losers were cancelled."""
    for provider in ("quick", "slow", "silent"):
        test.assertEqual(len(at(provider, text)), count, f"requests at {provider}")
    test.assertEqual([request["faults"] for request in seen(text) if request["faults"]], [])
    for loser in ("slow", "silent"):
        cancelled = lambda: all(request["left"] for request in at(loser, text))
        test.assertTrue(comes_true(cancelled), f"{loser} was not cancelled")


def at(provider, text):
    return [request for request in seen(text) if request["path"].startswith(f"/{provider}/")]


def last_request(text):
    """Returns the longest conversation that the winner received."""
    return max((request["body"] for request in at("quick", text)), key=lambda body: len(body["messages"]))


def get(path, **headers):
    request = urllib.request.Request(GATEWAY_URL + path, headers={"authorization": f"Bearer {KEY}", **headers})
    with urllib.request.urlopen(request, timeout=5) as response:
        return json.load(response)
