#!/usr/bin/env python3
"""A scripted provider of the APIs other than chat, in OpenAI's formats, and in Cohere's for rerank.

It prints its URL. The first part of a path is the encoding of its embeddings:
  /floats  lists of numbers; a request for base64 is refused with 400
  /plain   lists of numbers; encoding_format is ignored
  /base64  always base64
  /asked   the value of encoding_format
A model's name may have switches: m;delay=2;status=500;html;nan;cut. The bearer token must be KEY.
GET /seen?TEXT lists the requests whose body contains TEXT: {path, body, left}. `left` is true if the caller left before the answer.
The meaning of an embedding is a function of its text (meant), which the tests know also: they compare number by number.
"""
import base64
import json
import re
import struct

from scripted_provider import ScriptedProvider, serve

DIMENSIONS = 64
# Numbers that readers and writers often get wrong: signs, exponents, the limits of float32.
CORNERS = (0.0, -0.0, 1.0, -1.5, 0.1, 1e-10, -3.4028235e38, 1.1754944e-38, 1e-45, 16777216.0)


def float32(number):
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:  # rounding has produced a number above the largest float32
        return float("inf")


def meant(text, dimensions=DIMENSIONS):
    """Returns the vector of a text, or of a list of tokens, as float32s."""
    seed = 0
    for value in text.encode() if isinstance(text, str) else text:
        seed = (seed * 31 + value) % 1000003
    rest = (((seed + index * 7919) % 20011 - 10005) / 10007 for index in range(dimensions - len(CORNERS)))
    return [*map(float32, CORNERS), *map(float32, rest)][:dimensions]


def shortest(number):
    """Returns the shortest text that reads back as the same float32, as providers write it. For NaN it is the text of json.dumps."""
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
    """Sorts documents by the number of words that they share with the query, most first."""
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


# Forms and audio. The provider returns a file's text as its transcript.

def read_form(content_type, body):
    """Returns the fields of a form. Repeated fields become lists. Bytes are characters."""
    boundary = re.search(r'boundary="?([^";]+)', content_type).group(1).encode()
    first, *parts, end = (b"\r\n" + body).split(b"\r\n--" + boundary)
    assert (first, end.strip()) == (b"", b"--"), (first, end)
    fields = {}
    for part in parts:
        head, content = part.split(b"\r\n\r\n", 1)
        name = re.search(rb'\bname="?([^";\r]+)', head).group(1).decode()
        fields.setdefault(name, []).append(content.decode("latin-1"))
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}


def sound(body):
    """Returns the sound of a text. Each word is a piece of the sound."""
    return [b"RIFF\0\xff", *(word.encode() + b"\r\n" for word in body["input"].split())]


def transcript(body, translated=""):
    heard = translated + body["file"].removeprefix("RIFF")
    kind = body.get("response_format", "json")
    if kind == "srt":
        return f"1\n00:00:00,000 --> 00:00:01,000\n{heard}\n", "text/plain; charset=utf-8"
    if kind in ("text", "vtt"):
        return heard + "\n", "text/plain; charset=utf-8"
    usage = {"type": "tokens", "input_tokens": 14, "output_tokens": 2, "total_tokens": 16}
    more = {"task": "transcribe", "language": "english", "duration": 1.0, "words": []} if kind == "verbose_json" else {}
    return json.dumps({"text": heard, "usage": usage, **more}), "application/json"


def transcript_events(body):
    heard = body["file"].removeprefix("RIFF")
    for word in heard.split():
        yield {"type": "transcript.text.delta", "delta": word + " "}
    usage = {"type": "tokens", "input_tokens": 14, "output_tokens": 2, "total_tokens": 16}
    yield {"type": "transcript.text.done", "text": heard, "usage": usage}


def speech_events(body):
    for piece in sound(body):
        yield {"type": "speech.audio.delta", "audio": base64.b64encode(piece).decode()}
    yield {"type": "speech.audio.done", "usage": {"input_tokens": 3, "output_tokens": 9, "total_tokens": 12}}


def edited(body):
    files = body.get("image[]", body.get("image"))
    count = len(files) if isinstance(files, list) else 1
    return images({"prompt": f"{body.get('prompt', 'varied')} of {count}", "n": int(body.get("n", 1))})


# Completions: the text ends with the request's suffix, so that a test can check that the suffix arrived.

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


class Provider(ScriptedProvider):
    def do_POST(self):
        text, kind = self.rfile.read(int(self.headers["content-length"])), self.headers["content-type"]
        body = read_form(kind, text) if kind.startswith("multipart/") else json.loads(text)
        if not self.note(body=body):
            return None
        script = switches(body["model"])
        if "delay" in script and self.left_within(float(script["delay"])):
            return None
        if "status" in script:
            return self.refuse(int(script["status"]), f"scripted to answer {script['status']}")
        if "html" in script:
            return self.answer(200, "<html>Please log in</html>", "text/html")
        return self._serve(*self.path.strip("/").split("/", 2)[::2], body)

    def _serve(self, encoding, api, body):
        if api == "embeddings":
            asked = body.get("encoding_format", "float")
            if encoding == "floats" and asked != "float":
                return self.refuse(400, f"encoding_format {asked} is not supported")
            return self.answer(200, embeddings(encoding, asked, body))
        if api == "completions" and body.get("stream"):
            return self._stream(completion_chunks(body))
        if api.startswith("audio/"):
            return self._serve_audio(api, body)
        served = {
            "completions": whole_completion, "rerank": rerank, "moderations": moderations, "images/generations": images,
            "images/edits": edited, "images/variations": edited,
        }
        if api not in served:
            return self.refuse(404, f"{api} is not served")
        return self.answer(200, served[api](body))

    def _serve_audio(self, api, body):
        if api == "audio/speech" and body.get("stream_format") == "sse":
            return self._stream(speech_events(body), is_named=True)
        if api == "audio/speech":
            return self._sound(body)
        if body.get("stream") == "true":
            return self._stream(transcript_events(body))
        return self.answer(200, *transcript(body, "in English: " if api == "audio/translations" else ""))

    def _sound(self, body):
        self.begin("audio/wav")
        for piece in sound(body):
            self.chunk(piece)
            if "cut" in switches(body["model"]):
                self.close_connection = True
                return
        self.chunk(b"")

    def _stream(self, chunks, is_named=False):
        self.begin()
        for chunk in chunks:
            self.event(json.dumps(chunk), chunk["type"] if is_named else "")
        self.event("[DONE]")
        self.chunk(b"")


if __name__ == "__main__":
    serve(Provider)
