#!/usr/bin/env python3
"""A scripted provider of the APIs beside chat, in OpenAI's shapes, and in Cohere's for rerank.

It prints its URL. The first part of a path is the encoding of its embeddings, whatever was requested:
  /floats  lists of numbers; a request for base64 is refused with 400
  /plain   lists of numbers, and encoding_format is ignored
  /base64  base64
  /asked   as encoding_format says
A model's name may have switches: m;delay=2;status=500;html;nan. The bearer token must be KEY.
GET /seen?TEXT lists the requests whose body contains TEXT: {path, body, left}, left if the caller went before it was
answered.
What an embedding means is a function of its text (meant), which the tests know too: they compare number by number.
"""
import base64
import http.server
import json
import select
import socket
import struct
import threading
import urllib.parse

KEY = "upstream-own"
DIMENSIONS = 64
# What readers and writers of numbers get wrong first: signs, exponents, the float32s' ends.
CORNERS = (0.0, -0.0, 1.0, -1.5, 0.1, 1e-10, -3.4028235e38, 1.1754944e-38, 1e-45, 16777216.0)


def float32(number):
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:  # its digits round up above the largest
        return float("inf")


def meant(text, dimensions=DIMENSIONS):
    """The vector of a text, or of a list of tokens: float32s."""
    seed = 0
    for value in text.encode() if isinstance(text, str) else text:
        seed = (seed * 31 + value) % 1000003
    rest = (((seed + index * 7919) % 20011 - 10005) / 10007 for index in range(dimensions - len(CORNERS)))
    return [*map(float32, CORNERS), *map(float32, rest)][:dimensions]


def shortest(number):
    """The shortest text that reads back as the same float32, as providers write them; what json.dumps writes of NaN."""
    if number != number:
        return "NaN"
    for digits in range(1, 10):
        text = f"{number:.{digits}g}"
        if float32(float(text)) == number:
            return text
    raise ValueError(number)


def embedding(vector, is_base64):
    if is_base64:
        return json.dumps(base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode())
    return "[" + ",".join(map(shortest, vector)) + "]"


def embeddings(encoding, asked, body):
    inputs = body["input"]
    if isinstance(inputs, str) or isinstance(inputs[0], int):
        inputs = [inputs]
    dimensions = body.get("dimensions", DIMENSIONS)
    is_base64 = encoding == "base64" or (encoding == "asked" and asked == "base64")
    vectors = [meant(text, dimensions) for text in inputs]
    if "nan" in switches(body["model"]):
        vectors[0][0] = float("nan")
    data = ",".join(
        f'{{"object":"embedding","index":{index},"embedding":{embedding(vector, is_base64)}}}'
        for index, vector in enumerate(vectors)
    )
    usage = {"prompt_tokens": 3 * len(inputs), "total_tokens": 3 * len(inputs)}
    return f'{{"object":"list","data":[{data}],"model":{json.dumps(body["model"])},"usage":{json.dumps(usage)}}}'


def rerank(body):
    """The documents that share most words with the query come first."""
    texts = [document if isinstance(document, str) else document["text"] for document in body["documents"]]
    words = set(body["query"].lower().split())
    scored = [(len(words & set(text.lower().split())) / len(words), -index) for index, text in enumerate(texts)]
    best = sorted(scored, reverse=True)[: body.get("top_n", len(texts))]
    results = [{"index": -index, "relevance_score": score} for score, index in best]
    if body.get("return_documents"):
        results = [{**result, "document": {"text": texts[result["index"]]}} for result in results]
    meta = {"api_version": {"version": "1"}, "billed_units": {"search_units": 1}}
    return json.dumps({"id": "rerank-1", "results": results, "meta": meta})


CATEGORIES = (
    "harassment", "harassment/threatening", "hate", "hate/threatening", "illicit", "illicit/violent", "self-harm",
    "self-harm/instructions", "self-harm/intent", "sexual", "sexual/minors", "violence", "violence/graphic",
)


def moderation(text):
    is_violent = "kill" in json.dumps(text)
    return {
        "flagged": is_violent,
        "categories": {name: is_violent and name == "violence" for name in CATEGORIES},
        "category_scores": {name: 0.97 if is_violent and name == "violence" else 0.001 for name in CATEGORIES},
        "category_applied_input_types": {name: ["text"] for name in CATEGORIES},
    }


def moderations(body):
    inputs = body["input"]
    if isinstance(inputs, str) or isinstance(inputs[0], dict):
        inputs = [inputs]
    return json.dumps({"id": "modr-1", "model": body["model"], "results": list(map(moderation, inputs))})


def images(body):
    picture = base64.b64encode(b"\x89PNG\r\n\x1a\n" + body["prompt"].encode()).decode()
    data = [{"b64_json": picture, "revised_prompt": body["prompt"]}] * body.get("n", 1)
    usage = {"input_tokens": 5, "output_tokens": 20, "total_tokens": 25}
    usage["input_tokens_details"] = {"text_tokens": 5, "image_tokens": 0}
    return json.dumps({"created": 1, "data": data, "usage": usage})


# Completions: the words that the model says, with the suffix repeated, so that a test sees that it came.

def words_of(body):
    prompt = body["prompt"] if isinstance(body["prompt"], str) else "many"
    suffix = body.get("suffix")
    echoed = prompt.split() if body.get("echo") else []
    return [*echoed, "one", "two", "three", *(["before", suffix] if suffix else [])]


def usage_of(body):
    count = len(words_of(body)) * body.get("n", 1)
    return {"prompt_tokens": 4, "completion_tokens": count, "total_tokens": 4 + count}


def completion(body, choices, **more):
    head = {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": body["model"]}
    return {**head, "choices": choices, **more}


def choice(index, text, finish):
    return {"index": index, "text": text, "logprobs": None, "finish_reason": finish}


def whole_completion(body):
    text = " ".join(words_of(body))
    choices = [choice(index, text, "stop") for index in range(body.get("n", 1))]
    return json.dumps(completion(body, choices, usage=usage_of(body)))


def completion_chunks(body):
    words = words_of(body)
    for place, word in enumerate(words):
        for index in range(body.get("n", 1)):
            yield completion(body, [choice(index, word if place == 0 else " " + word, None)])
    for index in range(body.get("n", 1)):
        yield completion(body, [choice(index, "", "stop")])
    if (body.get("stream_options") or {}).get("include_usage"):
        yield completion(body, [], usage=usage_of(body))


def switches(model):
    return dict(part.partition("=")[::2] for part in model.split(";")[1:])


class Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    seen = []
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            pass  # the caller has left

    def do_GET(self):
        wanted = urllib.parse.unquote(urllib.parse.urlsplit(self.path).query)
        with self.lock:
            found = [record for record in self.seen if wanted in json.dumps(record["body"])]
        self._answer(200, json.dumps(found))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        record = {"path": self.path, "body": body, "left": False}
        with self.lock:
            self.seen.append(record)
        if self.headers["authorization"] != f"Bearer {KEY}":
            return self._refuse(401, "this is not the provider's key")
        script = switches(body["model"])
        if "delay" in script and self._left_within(float(script["delay"])):
            record["left"] = True
            self.close_connection = True
            return None
        if "status" in script:
            return self._refuse(int(script["status"]), f"scripted to answer {script['status']}")
        if "html" in script:
            return self._answer(200, "<html>Please log in</html>", "text/html")
        return self._serve(*self.path.strip("/").split("/", 2)[::2], body)

    def _serve(self, encoding, api, body):
        if api == "embeddings":
            asked = body.get("encoding_format", "float")
            if encoding == "floats" and asked != "float":
                return self._refuse(400, f"encoding_format {asked} is not supported")
            return self._answer(200, embeddings(encoding, asked, body))
        if api == "completions" and body.get("stream"):
            return self._stream(completion_chunks(body))
        served = {
            "completions": whole_completion, "rerank": rerank, "moderations": moderations, "images/generations": images,
        }
        if api not in served:
            return self._refuse(404, f"{api} is not served")
        return self._answer(200, served[api](body))

    def _left_within(self, seconds):
        readable, _, _ = select.select([self.connection], [], [], seconds)
        try:
            return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""
        except ConnectionResetError:
            return True

    def _refuse(self, status, why):
        self._answer(status, json.dumps({"error": {"message": why, "type": "scripted", "param": None, "code": None}}))

    def _answer(self, status, text, kind="application/json"):
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def _stream(self, chunks):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in [*map(json.dumps, chunks), "[DONE]"]:
            line = f"data: {event}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
