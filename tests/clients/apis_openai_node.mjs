// Tests the gateway's APIs other than chat with openai-node. The gateway's provider is upstreams.py.
import assert from 'node:assert/strict';
import OpenAI, { AzureOpenAI, toFile } from 'openai';
import { accessKey, encodings, left, meant, seen } from './apis_support.mjs';
import { comesTrue, gatewayUrl, prompt, test } from './support.mjs';

const text = 'The food was delicious, and the waiter … said 你好';

function client(options = {}) {
  return new OpenAI({ baseURL: `${gatewayUrl}/v1`, apiKey: accessKey, maxRetries: 0, ...options });
}

function azure(options = {}) {
  const settings = { endpoint: gatewayUrl, apiKey: accessKey, apiVersion: '2024-10-21', maxRetries: 0 };
  return new AzureOpenAI({ ...settings, ...options });
}

function embed(model, input = text, more = {}) {
  return client().embeddings.create({ model, input, ...more });
}

function failure(promise) {
  return promise.then(() => assert.fail('it did not fail'), (error) => error);
}

// Compares the embeddings in an answer with the expected vectors. Zeros must have the expected sign, because strict
// deepEqual distinguishes 0 and -0.
function assertMeant(answer, texts, dimensions = 64) {
  assert.deepEqual(answer.data.map((item) => item.index), [...texts.keys()]);
  answer.data.forEach((item, place) =>
    assert.deepEqual(item.embedding.map(Math.fround), meant(texts[place], dimensions), texts[place]));
}

async function all(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

function textOf(chunks) {
  return chunks.flatMap((chunk) => chunk.choices).map((choice) => choice.text).join('');
}

// --- embeddings

test('by the defaults of the SDK the numbers are those that the provider meant', async () => {
  for (const model of encodings) {
    const answer = await embed(model);
    assertMeant(answer, [text]);
    assert.deepEqual([answer.object, answer.model, answer.usage.total_tokens], ['list', 'm', 3], model);
  }
});

test('floats that were asked for are lists of numbers', async () => {
  for (const model of encodings) assertMeant(await embed(model, text, { encoding_format: 'float' }), [text]);
});

test('base64 that was asked for is the bytes of the float32s', async () => {
  for (const model of encodings) {
    const answer = await embed(model, text, { encoding_format: 'base64' });
    const bytes = Buffer.from(answer.data[0].embedding, 'base64');
    assert.equal(bytes.toString('base64'), answer.data[0].embedding, model);
    const numbers = Array.from({ length: bytes.length / 4 }, (_, place) => bytes.readFloatLE(4 * place));
    assert.deepEqual(numbers, meant(text), model);
  }
});

test('dimensions reach the provider', async () => {
  for (const model of encodings)
    for (const dimensions of [1, 2, 3, 17, 256])
      assertMeant(await embed(model, text, { dimensions }), [text], dimensions);
});

test('a batch keeps its order', async () => {
  const texts = Array.from({ length: 20 }, (_, number) => `text ${number}`);
  for (const model of encodings) assertMeant(await embed(model, texts), texts);
});

test('a batch of half a megabyte is converted number by number', async () => {
  const texts = Array.from({ length: 100 }, (_, number) => `page ${number}`);
  for (const model of ['plain/m', 'base64/m'])
    for (const more of [{}, { encoding_format: 'float' }])
      assertMeant(await embed(model, texts, { dimensions: 768, ...more }), texts, 768);
});

test('tokens may stand for text', async () => {
  const tokens = [[1212, 318, 257], [1332, 13]];
  assertMeant(await embed('plain/m', tokens), tokens);
  assertMeant(await embed('plain/m', tokens[0]), [tokens[0]]);
});

test('a provider that refuses base64 is asked for nothing', async () => {
  await embed('floats/m', 'nothing is asked for', { user: 'me' });
  const [request] = await seen('nothing is asked for');
  assert.deepEqual(request.body, { input: 'nothing is asked for', model: 'm', user: 'me' });
});

test('the SDK reads right what it reads wrongly without the gateway', async () => {
  const direct = client({ baseURL: `${process.env.UPSTREAMS_URL}/plain/v1`, apiKey: 'upstream-own' });
  const wrong = await direct.embeddings.create({ model: 'm', input: text });
  assert.notDeepEqual(wrong.data[0].embedding, meant(text), 'the SDK has been mended: this test may go');
  assertMeant(await embed('plain/m'), [text]);
});

// --- completions

function complete(more = {}, options = {}) {
  return client(options).completions.create({ model: 'asked/m', prompt: 'count', ...more });
}

test('a whole completion has its text and its usage', async () => {
  const answer = await complete();
  assert.deepEqual([answer.object, answer.choices[0].text], ['text_completion', 'one two three']);
  assert.deepEqual([answer.choices[0].finish_reason, answer.usage.completion_tokens], ['stop', 3]);
});

test('a streamed completion is its text and one finish reason', async () => {
  const chunks = await all(await complete({ stream: true, stream_options: { include_usage: true } }));
  const choices = chunks.flatMap((chunk) => chunk.choices);
  assert.deepEqual(choices.map((choice) => choice.text).filter(Boolean), ['one', ' two', ' three']);
  assert.deepEqual(choices.map((choice) => choice.finish_reason).filter(Boolean), ['stop']);
  assert.equal(new Set(chunks.map((chunk) => `${chunk.id} ${chunk.object}`)).size, 1);
  assert.deepEqual(chunks.filter((chunk) => chunk.usage), [chunks.at(-1)]);
  assert.equal(chunks.at(-1).usage.completion_tokens, 3);
});

test('a suffix reaches the provider streamed and whole', async () => {
  const expected = 'one two three before return x';
  assert.equal((await complete({ suffix: 'return x' })).choices[0].text, expected);
  assert.equal(textOf(await all(await complete({ suffix: 'return x', stream: true }))), expected);
});

test('several choices keep their indexes', async () => {
  const { choices } = await complete({ n: 3 });
  const expected = [0, 1, 2].map((index) => [index, 'one two three']);
  assert.deepEqual(choices.map((choice) => [choice.index, choice.text]), expected);
});

// --- tests of the APIs for moderations and images

test('moderations have their categories, and need no model', async () => {
  const answer = await client().moderations.create({ model: 'asked/omni', input: ['I love you', 'I will kill you'] });
  assert.deepEqual(answer.results.map((result) => result.flagged), [false, true]);
  assert.equal(answer.results[1].categories.violence, true);
  assert.equal(answer.results[1].category_scores.violence, 0.97);
  assert.equal((await client().moderations.create({ input: 'hello there' })).model, 'omni');
});

test('images come as they were made', async () => {
  const answer = await client().images.generate({ model: 'asked/painter', prompt: 'a cat', n: 2, size: '1024x1024' });
  assert.equal(answer.data.length, 2);
  assert.equal(Buffer.from(answer.data[1].b64_json, 'base64').toString('latin1'), '\x89PNG\r\n\x1a\na cat');
  assert.equal(answer.usage.total_tokens, 25);
});

// --- tests of the APIs for audio and image edits; the provider returns the text of the uploaded file as the transcript

const file = (text) => toFile(Buffer.from(`RIFF${text}`), 'a.wav');

test('speech is its bytes, as a stream', async () => {
  const answer = await client().audio.speech.create({ model: 'voice', voice: 'alloy', input: 'say hello' });
  assert.equal(answer.headers.get('x-race-winner'), 'asked/quick');
  assert.equal(answer.headers.get('content-type'), 'audio/wav');
  assert.equal(Buffer.from(await answer.arrayBuffer()).toString('latin1'), 'RIFF\0\xffsay\r\nhello\r\n');
});

test('speech that is cut is an error', async () => {
  const answer = await client().audio.speech.create({ model: 'asked/m;cut', voice: 'alloy', input: 'say hello' });
  await failure(answer.arrayBuffer());
});

test('a transcript in every form', async () => {
  const call = async (more) => client().audio.transcriptions.create({ model: 'voice', file: await file('hello'), ...more });
  assert.equal((await call()).text, 'hello');
  assert.equal((await call({ response_format: 'verbose_json' })).language, 'english');
  assert.match(await call({ response_format: 'srt' }), /-->/);
  const events = await all(await call({ stream: true }));
  assert.deepEqual(events.map((event) => event.type), ['transcript.text.delta', 'transcript.text.done']);
  const translated = await client().audio.translations.create({ model: 'voice', file: await file('hallo') });
  assert.equal(translated.text, 'in English: hallo');
});

test('images are made from images', async () => {
  const files = [await file('1'), await file('2')];
  const answer = await client().images.edit({ model: 'asked/painter', prompt: 'a hat', image: files });
  assert.equal(Buffer.from(answer.data[0].b64_json, 'base64').toString('latin1'), '\x89PNG\r\n\x1a\na hat of 2');
});

// --- tests of the rerank API, for which openai-node has no method

test('rerank by the own post of the SDK', async () => {
  const documents = ['about dogs', 'a cat and a dog', 'the cat sat', 'nothing'];
  const answer = await client().post('/rerank', { body: { model: 'asked/m', query: 'the cat', documents, top_n: 2 } });
  assert.deepEqual(answer.results.map((result) => result.index), [2, 1]);
});

// --- tests of races and failures

test('a slow provider loses, is left, and the winner has the right numbers', async () => {
  const { data, response } = await embed('photo', 'who is first').withResponse();
  assert.equal(response.headers.get('x-race-winner'), 'plain/quick');
  assert.equal(response.headers.get('x-race-attempts'), '2');
  assertMeant(data, ['who is first']);
  assert.ok(await comesTrue(async () => await left('who is first') === 1));
});

test('a slow completion loses, streamed and whole', async () => {
  for (const stream of [true, false]) {
    const { data, response } = await complete({ model: 'texts', stream }).withResponse();
    assert.equal(response.headers.get('x-race-winner'), 'asked/quick');
    assert.equal(stream ? textOf(await all(data)) : data.choices[0].text, 'one two three');
  }
});

test('an error, a page and a refusal are followed by the next', async () => {
  const { data, response } = await embed('rescued').withResponse();
  assert.equal(response.headers.get('x-race-winner'), 'base64/sound');
  assert.equal(response.headers.get('x-race-attempts'), '4');
  assertMeant(data, [text]);
});

test('errors are of the class that their status says', async () => {
  const unknown = await failure(embed('nothing'));
  assert.ok(unknown instanceof OpenAI.NotFoundError, String(unknown));
  assert.equal(unknown.code, 'model_not_found');
  assert.ok(await failure(embed('limited')) instanceof OpenAI.RateLimitError);
  const broken = await failure(embed('broken'));
  assert.ok(broken instanceof OpenAI.InternalServerError, String(broken));
  assert.equal(broken.code, 'provider_error');
  assert.match(broken.message, /scripted to answer 500/);
  const refused = await failure(embed('refused'));
  assert.ok(refused instanceof OpenAI.BadRequestError, String(refused));
  assert.match(refused.message, /encoding_format base64 is not supported/);
  const unserved = await failure(embed('conversing'));
  assert.deepEqual([unserved.status, unserved.code], [400, 'unsupported_parameter']);
  const stranger = await failure(client({ apiKey: 'wrong' }).embeddings.create({ model: 'photo', input: text }));
  assert.ok(stranger instanceof OpenAI.AuthenticationError, String(stranger));
});

test('an AbortController cancels a race that has no winner yet', async () => {
  const controller = new AbortController();
  const request = client().embeddings.create({ model: 'asked/m;delay=10', input: 'not waited for' },
    { signal: controller.signal });
  assert.ok(await comesTrue(async () => (await seen('not waited for')).length === 1));
  controller.abort();
  assert.ok(await failure(request) instanceof OpenAI.APIUserAbortError);
  assert.ok(await comesTrue(async () => await left('not waited for') === 1));
});

// --- a test with the client for Azure

test('an Azure client is served by its own paths and key', async () => {
  assertMeant(await azure().embeddings.create({ model: 'photo', input: text }), [text]);
  const whole = await azure().completions.create({ model: 'texts', prompt: 'count' });
  assert.equal(whole.choices[0].text, 'one two three');
  const stream = await azure().completions.create({ model: 'texts', prompt: 'count', stream: true });
  assert.equal(textOf(await all(stream)), 'one two three');
  const chat = await azure().chat.completions.create({ model: 'answer', messages: prompt });
  assert.ok(chat.choices[0].message.content.length > 20);
  assert.equal((await azure().images.generate({ model: 'asked/painter', prompt: 'a dog' })).data.length, 1);
  const deployed = azure({ deployment: 'text-embedding-3-small' });
  assertMeant(await deployed.embeddings.create({ model: 'ignored', input: text }), [text]);
});

test('an Azure client gets its errors', async () => {
  const stranger = await failure(azure({ apiKey: 'wrong' }).embeddings.create({ model: 'photo', input: text }));
  assert.ok(stranger instanceof OpenAI.AuthenticationError, String(stranger));
  const unknown = await failure(azure().embeddings.create({ model: 'nothing', input: text }));
  assert.ok(unknown instanceof OpenAI.NotFoundError, String(unknown));
});
