// Tests the gateway with openai-node.
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { comesTrue, gatewayUrl, guardedUrl, measured, prompt, requests, requestsSoFar, test } from './support.mjs';

function client(options = {}) {
  return new OpenAI({ baseURL: `${gatewayUrl}/v1`, apiKey: 'unused', maxRetries: 0, ...options });
}

function ask(model, more = {}) {
  return { model, messages: prompt, ...more };
}

async function all(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

function textOf(chunks) {
  return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
}

function failure(promise) {
  return promise.then(() => assert.fail('it did not fail'), (error) => error);
}

const tool = {
  type: 'function',
  function: {
    name: 'note',
    description: 'Keeps a note',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
};

// --- answers

test('a streamed answer is one role, its text, one finish reason', async () => {
  const chunks = await all(await client().chat.completions.create(ask('answer', { stream: true })));
  const choices = chunks.flatMap((chunk) => chunk.choices);
  assert.deepEqual(choices.map((choice) => choice.delta.role).filter(Boolean), ['assistant']);
  assert.deepEqual(choices.map((choice) => choice.finish_reason).filter(Boolean), ['stop']);
  assert.equal(textOf(chunks).trim().split(/\s+|(?=[.,])/).length, 12);
  assert.equal(new Set(chunks.map((chunk) => chunk.id)).size, 1);
  assert.equal(new Set(chunks.map((chunk) => chunk.created)).size, 1);
});

test('the first token is read long before the last one is written', async () => {
  const times = [];
  const stream = await client().chat.completions.create(ask('sim/m;tps=20;tokens=10', { stream: true }));
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) times.push(performance.now());
  assert.equal(times.length, 10);
  assert.ok(times.at(-1) - times[0] > 300, `only ${times.at(-1) - times[0]} ms between them`);
});

test('usage comes only when asked for, in one last chunk without choices', async () => {
  const plain = await all(await client().chat.completions.create(ask('answer', { stream: true })));
  assert.deepEqual(plain.filter((chunk) => chunk.usage), []);
  const asked = await all(
    await client().chat.completions.create(ask('answer', { stream: true, stream_options: { include_usage: true } })));
  assert.deepEqual(asked.filter((chunk) => chunk.usage), [asked.at(-1)]);
  assert.deepEqual(asked.at(-1).choices, []);
  assert.equal(asked.at(-1).usage.completion_tokens, 12);
});

test('a whole answer has its text, its finish reason and its usage', async () => {
  const answer = await client().chat.completions.create(ask('answer'));
  assert.equal(answer.object, 'chat.completion');
  assert.equal(answer.choices[0].message.role, 'assistant');
  assert.ok(answer.choices[0].message.content.length > 20);
  assert.equal(answer.choices[0].finish_reason, 'stop');
  assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens + 12);
});

test('max_tokens reaches the provider and the finish reason says so', async () => {
  const answer = await client().chat.completions.create(ask('answer', { max_tokens: 4 }));
  assert.equal(answer.choices[0].finish_reason, 'length');
  assert.equal(answer.usage.completion_tokens, 4);
});

test('reasoning is streamed before the content', async () => {
  const chunks = await all(await client().chat.completions.create(ask('sim/m;reasoning=6;tokens=4', { stream: true })));
  const kinds = chunks
    .map((chunk) => chunk.choices[0]?.delta ?? {})
    .map((delta) => (delta.reasoning_content ? 'reasoning' : delta.content ? 'content' : ''))
    .filter(Boolean);
  assert.deepEqual(kinds, [...Array(6).fill('reasoning'), ...Array(4).fill('content')]);
});

test('reasoning is part of a whole answer', async () => {
  const { choices } = await client().chat.completions.create(ask('sim/m;reasoning=6;tokens=4'));
  assert.ok(choices[0].message.reasoning_content.length > 0);
  assert.ok(choices[0].message.content.length > 0);
});

test('the base URL works without its v1', async () => {
  const answer = await client({ baseURL: gatewayUrl }).chat.completions.create(ask('answer'));
  assert.equal(answer.choices[0].finish_reason, 'stop');
});

test('comments before the first token do not disturb the stream', async () => {
  const stream = client().chat.completions.stream(ask('commented'));
  assert.ok((await stream.finalContent()).length > 20);
});

// --- tests of openai-node's stream helpers

test('the stream helper collects the final completion', async () => {
  const stream = client().chat.completions.stream(ask('answer', { stream_options: { include_usage: true } }));
  let text = '';
  stream.on('content', (delta) => (text += delta));
  const final = await stream.finalChatCompletion();
  assert.equal(final.choices[0].message.content, text);
  assert.equal(final.choices[0].finish_reason, 'stop');
  assert.equal((await stream.totalUsage()).completion_tokens, 12);
});

test('the stream helper collects a tool call', async () => {
  const stream = client().chat.completions.stream(ask('sim/m;tools', { tools: [tool] }));
  let done;
  stream.on('tool_calls.function.arguments.done', (call) => (done = call));
  const call = await stream.finalFunctionToolCall();
  assert.equal(call.name, 'note');
  assert.equal(typeof JSON.parse(call.arguments).text, 'string');
  assert.equal(done.arguments, call.arguments);
});

test('the stream helper raises what breaks in the middle', async () => {
  const stream = client().chat.completions.stream(ask('sim/m;close_after=5'));
  const error = await failure(stream.finalChatCompletion());
  assert.ok(error instanceof OpenAI.APIError, String(error));
});

async function runTools(stream) {
  const notes = [];
  const keeper = {
    type: 'function',
    function: { ...tool.function, parse: JSON.parse, function: ({ text }) => (notes.push(text), 'kept') },
  };
  const choice = { type: 'function', function: { name: 'note' } };
  const runner = client().chat.completions.runTools(
    ask('sim/m;tools', { stream, tools: [keeper], tool_choice: choice }));
  assert.equal(await runner.finalFunctionToolCallResult(), 'kept');
  assert.equal(notes.length, 1);
  assert.ok(notes[0].length > 0);
}

test('runTools calls our function from a streamed answer', () => runTools(true));

test('runTools calls our function from a whole answer', () => runTools(false));

// --- tools

test('a streamed tool call is one id, one name, and arguments that are JSON', async () => {
  const chunks = await all(await client().chat.completions.create(ask('sim/m;tools', { stream: true, tools: [tool] })));
  const parts = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
  assert.equal(parts.filter((part) => part.id).length, 1);
  assert.deepEqual(parts.map((part) => part.function?.name).filter(Boolean), ['note']);
  assert.deepEqual([...new Set(parts.map((part) => part.index))], [0]);
  assert.ok(JSON.parse(parts.map((part) => part.function?.arguments ?? '').join('')).text.length > 0);
  assert.equal(chunks.findLast((chunk) => chunk.choices[0]?.finish_reason).choices[0].finish_reason, 'tool_calls');
});

test('a tool call and its result make a conversation', async () => {
  const first = await client().chat.completions.create(ask('sim/m;tools', { tools: [tool] }));
  const message = first.choices[0].message;
  assert.equal(first.choices[0].finish_reason, 'tool_calls');
  assert.equal(message.tool_calls[0].function.name, 'note');
  const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'kept' };
  const second = await client().chat.completions.create(
    ask('answer', { tools: [tool], messages: [...prompt, message, result] }));
  assert.equal(second.choices[0].finish_reason, 'stop');
});

// --- races

test('the headers name the winner, the attempts, the time and the request', async () => {
  const { data, response, request_id } = await client()
    .chat.completions.create(ask('photo', { stream: true })).withResponse();
  assert.equal(response.headers.get('x-race-winner'), 'sim/quick;ttft=30ms');
  assert.equal(response.headers.get('x-race-attempts'), '2');
  const ttft = Number(response.headers.get('x-race-ttft-ms'));
  assert.ok(ttft >= 30 && ttft < 3000, `ttft ${ttft} ms`);
  assert.match(request_id, /^req_/);
  assert.ok(textOf(await all(data)).length > 0);
});

test('a whole answer carries the same headers', async () => {
  const { data, response } = await client().chat.completions.create(ask('photo')).withResponse();
  assert.equal(response.headers.get('x-race-winner'), 'sim/quick;ttft=30ms');
  assert.match(data._request_id, /^req_/);
});

test('a failed provider is not noticed while another one answers', async () => {
  const { data, response } = await client().chat.completions.create(ask('rescued')).withResponse();
  assert.equal(response.headers.get('x-race-winner'), 'sim/sound');
  assert.equal(data.choices[0].finish_reason, 'stop');
});

test('a list of targets in model is a race', async () => {
  const { response } = await client()
    .chat.completions.create(ask('sim/late;ttft=2s,sim/early')).withResponse();
  assert.equal(response.headers.get('x-race-winner'), 'sim/early');
});

test('a race header of the request keeps the second attempt from starting', async () => {
  const { response } = await client()
    .chat.completions.create(ask('photo'), { headers: { 'x-race-max-attempts': '1' } }).withResponse();
  assert.equal(response.headers.get('x-race-attempts'), '1');
});

// --- models

test('models.list tells routes and targets', async () => {
  const ids = [];
  for await (const model of client().models.list()) ids.push(model.id);
  for (const id of ['answer', 'photo', 'sim/openai/gpt-oss-120b']) assert.ok(ids.includes(id), id);
  assert.equal(new Set(ids).size, ids.length);
});

test('models.retrieve takes a name with slashes', async () => {
  const model = await client().models.retrieve('sim/openai/gpt-oss-120b');
  assert.equal(model.id, 'sim/openai/gpt-oss-120b');
  assert.equal(model.object, 'model');
});

test('models.retrieve of nothing we know is a NotFoundError', async () => {
  const error = await failure(client().models.retrieve('anser'));
  assert.ok(error instanceof OpenAI.NotFoundError, String(error));
  assert.equal(error.code, 'model_not_found');
});

// --- errors

test('an unknown model is a NotFoundError that suggests the near one', async () => {
  for (const stream of [true, false]) {
    const error = await failure(client().chat.completions.create(ask('anser', { stream })));
    assert.ok(error instanceof OpenAI.NotFoundError, String(error));
    assert.equal(error.code, 'model_not_found');
    assert.equal(error.param, 'model');
    assert.match(error.message, /'answer'/);
    assert.match(error.requestID, /^req_/);
  }
});

test('an endpoint that is not served is a NotFoundError that says so', async () => {
  const calls = [
    client().files.list(),
    client().vectorStores.create({}),
  ];
  for (const error of await Promise.all(calls.map(failure))) {
    assert.ok(error instanceof OpenAI.NotFoundError, String(error));
    assert.equal(error.code, 'unsupported_endpoint');
    assert.match(error.message, /not offered here/);
  }
});

test('a request that the provider refuses is a BadRequestError', async () => {
  const error = await failure(client({ maxRetries: 2 }).chat.completions.create(ask('sim/m;status=400')));
  assert.ok(error instanceof OpenAI.BadRequestError, String(error));
  assert.equal(error.type, 'invalid_request_error');
});

test('a request that the gateway refuses is a BadRequestError that names the parameter', async () => {
  const headers = { 'x-race-max-attempts': 'many' };
  const error = await failure(client().chat.completions.create(ask('answer'), { headers }));
  assert.ok(error instanceof OpenAI.BadRequestError, String(error));
  assert.equal(error.param, 'x-race-max-attempts');
});

test('a rate limit is repeated after retry-after until it is answered', async () => {
  const before = await requestsSoFar('limited');
  const answer = await client({ maxRetries: 2 }).chat.completions.create(ask('limited'));
  assert.equal(answer.choices[0].finish_reason, 'stop');
  assert.equal(await requestsSoFar('limited') - before, 3);
  assert.equal(answer.id, 'chatcmpl-sim-3');  // the provider numbers its requests, so this id shows that it got three
});

test('a stream is repeated after a rate limit too', async () => {
  const before = await requestsSoFar('limited');
  const chunks = await all(await client({ maxRetries: 2 }).chat.completions.create(ask('limited', { stream: true })));
  assert.ok(textOf(chunks).length > 0);
  assert.equal(await requestsSoFar('limited') - before, 3);
  assert.equal(chunks[0].id, 'chatcmpl-sim-6');
});

test('an exhausted quota is not repeated', async () => {
  const before = await requestsSoFar('exhausted');
  const error = await failure(client({ maxRetries: 2 }).chat.completions.create(ask('exhausted')));
  assert.ok(error instanceof OpenAI.RateLimitError, String(error));
  assert.equal(error.code, 'insufficient_quota');
  assert.equal(error.headers.get('x-should-retry'), 'false');
  assert.equal(await requestsSoFar('exhausted') - before, 1);
});

test('an overload is an InternalServerError that names the provider', async () => {
  const error = await failure(client().chat.completions.create(ask('overloaded')));
  assert.ok(error instanceof OpenAI.InternalServerError, String(error));
  assert.equal(error.status, 503);
  assert.equal(error.headers.get('retry-after'), '1');
  assert.match(error.message, /sim\/m/);
});

test('a race that is too late is a 504 that is not repeated', async () => {
  const before = await requestsSoFar('tardy');
  const error = await failure(client({ maxRetries: 2 }).chat.completions.create(ask('tardy')));
  assert.ok(error instanceof OpenAI.InternalServerError, String(error));
  assert.equal(error.status, 504);
  assert.equal(await requestsSoFar('tardy') - before, 1);
});

async function breaksAfterItsText(model) {
  const stream = await client().chat.completions.create(ask(model, { stream: true }));
  let text = '';
  const error = await failure((async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  })());
  assert.ok(error instanceof OpenAI.APIError, String(error));
  assert.ok(text.length > 0);
  return error;
}

test('an error in the middle of a stream is raised after the text that came', async () => {
  assert.match((await breaksAfterItsText('sim/m;error_event=5')).message, /sim\/m/);
});

test('a truncated stream is raised, not taken for an end', async () => {
  assert.equal((await breaksAfterItsText('sim/m;close_after=5')).code, 'upstream_broken');
});

test('a reset in the middle of a stream is raised', async () => {
  assert.equal((await breaksAfterItsText('sim/m;reset_after=5')).code, 'upstream_broken');
});

test('a stream that falls silent is raised', async () => {
  assert.equal((await breaksAfterItsText('stalling')).code, 'upstream_stalled');
});

test('a whole answer that is cut is a 502', async () => {
  const error = await failure(client().chat.completions.create(ask('sim/m;close_after=5')));
  assert.ok(error instanceof OpenAI.InternalServerError, String(error));
  assert.equal(error.status, 502);
});

// --- keys

const keyring = 'groq=gsk-own,cerebras=csk-own';

test('without a key it is an AuthenticationError that says how to send one', async () => {
  const error = await failure(client().chat.completions.create(ask('groq/m')));
  assert.ok(error instanceof OpenAI.AuthenticationError, String(error));
  assert.match(error.message, /Bearer groq=KEY/);
  assert.match(error.message, /x-provider-key-groq/);
});

test('a keyring as api key reaches each provider with its own key', async () => {
  for (const model of ['groq/m', 'cerebras/m', 'groq/m,cerebras/m;ttft=2s', 'groq/m;ttft=2s,cerebras/m']) {
    const answer = await client({ apiKey: keyring }).chat.completions.create(ask(model));
    assert.equal(answer.choices[0].finish_reason, 'stop', model);
  }
});

test('a wrong key of our own is an AuthenticationError', async () => {
  const error = await failure(client({ apiKey: 'groq=csk-own' }).chat.completions.create(ask('groq/m')));
  assert.ok(error instanceof OpenAI.AuthenticationError, String(error));
  assert.ok(!error.message.includes('csk-own'));
});

test('a key for an unknown provider is an AuthenticationError that names it', async () => {
  const error = await failure(client({ apiKey: 'groq=gsk-own,grok=secret' }).chat.completions.create(ask('groq/m')));
  assert.ok(error instanceof OpenAI.AuthenticationError, String(error));
  assert.match(error.message, /grok/);
  assert.ok(!error.message.includes('secret'));
});

test('a provider key may come in a default header', async () => {
  const defaultHeaders = { 'x-provider-key-cerebras': 'csk-own' };
  const answer = await client({ defaultHeaders }).chat.completions.create(ask('cerebras/m'));
  assert.equal(answer.choices[0].finish_reason, 'stop');
});

test('a plain api key never reaches a provider', async () => {
  const plain = client({ apiKey: 'plain-token' });
  assert.equal((await plain.chat.completions.create(ask('kept/m'))).choices[0].finish_reason, 'stop');
  const error = await failure(plain.chat.completions.create(ask('listening/m')));
  assert.equal(error.status, 502, String(error));
  assert.equal(error.code, 'provider_auth');
});

function guest(apiKey, defaultHeaders) {
  return client({ baseURL: `${guardedUrl}/v1`, apiKey, defaultHeaders });
}

test('an access key opens the gateway and its routes only', async () => {
  assert.ok((await guest('search-key').chat.completions.create(ask('answer'))).id);
  assert.ok((await guest('open-key').chat.completions.create(ask('other'))).id);
  const error = await failure(guest('search-key').chat.completions.create(ask('other')));
  assert.ok(error instanceof OpenAI.PermissionDeniedError, String(error));
  const listed = (await guest('search-key').models.list()).data.map((model) => model.id);
  assert.deepEqual(listed, ['answer']);
});

test('a wrong access key is an AuthenticationError', async () => {
  const calls = [guest('nonsense').chat.completions.create(ask('answer')), guest('nonsense').models.list()];
  for (const error of await Promise.all(calls.map(failure))) {
    assert.ok(error instanceof OpenAI.AuthenticationError, String(error));
    assert.ok(!error.message.includes('nonsense'));
  }
});

test('an access key travels beside provider keys', async () => {
  const ring = guest('photofinish=open-key,groq=gsk-own');
  assert.ok((await ring.chat.completions.create(ask('groq/m'))).id);
  const header = guest('groq=gsk-own', { 'x-photofinish-key': 'open-key' });
  assert.ok((await header.chat.completions.create(ask('groq/m'))).id);
});

// --- leaving

async function isCancelled(route, before) {
  return comesTrue(async () =>
    await requests(route, 'client_cancelled') === before + 1 &&
    await measured('photofinish_inflight_attempts', { provider: 'sim' }) === 0);
}

test('leaving the loop cancels the provider', async () => {
  const before = await requests('endless', 'client_cancelled');
  for await (const chunk of await client().chat.completions.create(ask('endless', { stream: true })))
    if (chunk.choices[0]?.delta.content) break;
  assert.ok(await isCancelled('endless', before));
});

test('an AbortController cancels a stream in the middle', async () => {
  const before = await requests('endless', 'client_cancelled');
  const controller = new AbortController();
  const stream = await client().chat.completions.create(ask('endless', { stream: true }), { signal: controller.signal });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) controller.abort();
  assert.ok(await isCancelled('endless', before));
});

test('an AbortController cancels a race that has no winner yet', async () => {
  for (const stream of [true, false]) {
    const before = await requests('silent', 'client_cancelled');
    const controller = new AbortController();
    const call = client().chat.completions.create(ask('silent', { stream }), { signal: controller.signal });
    assert.ok(await comesTrue(async () => await measured('photofinish_inflight_attempts', { provider: 'sim' }) === 1));
    controller.abort();
    assert.ok(await failure(call) instanceof OpenAI.APIUserAbortError);
    assert.ok(await isCancelled('silent', before));
  }
});

test('a timeout of the SDK cancels the provider', async () => {
  const before = await requests('silent', 'client_cancelled');
  const error = await failure(client({ timeout: 200 }).chat.completions.create(ask('silent')));
  assert.ok(error instanceof OpenAI.APIConnectionTimeoutError, String(error));
  assert.ok(await isCancelled('silent', before));
});
