// Tests the gateway with the AI SDK's package @ai-sdk/openai-compatible.
import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { comesTrue, gatewayUrl, measured, requests, requestsSoFar, test } from './support.mjs';

const prompt = 'Say hello';

function model(name, options = {}) {
  return createOpenAICompatible({ name: 'photofinish', baseURL: `${gatewayUrl}/v1`, ...options })(name);
}

function noteTool(notes) {
  return {
    note: tool({
      description: 'Keeps a note',
      inputSchema: z.object({ text: z.string() }),
      execute: async ({ text }) => (notes.push(text), 'kept'),
    }),
  };
}

// Reads a stream and returns its parts. An exception becomes the last part.
async function parts(name, more = {}) {
  const seen = [];
  try {
    for await (const part of streamText({ model: model(name), prompt, maxRetries: 0, onError() {}, ...more }).fullStream)
      seen.push(part);
  } catch (error) {
    seen.push({ type: 'thrown', error });
  }
  return seen;
}

function failure(promise) {
  return promise.then(() => assert.fail('it did not fail'), (error) => error);
}

test('streamText streams text and ends with stop', async () => {
  const result = streamText({ model: model('answer'), prompt });
  let text = '';
  for await (const delta of result.textStream) text += delta;
  assert.ok(text.length > 20);
  assert.equal(await result.text, text);
  assert.equal(await result.finishReason, 'stop');
});

test('streamText knows the usage when it asks for it', async () => {
  const result = streamText({ model: model('answer', { includeUsage: true }), prompt });
  await result.consumeStream();
  assert.equal((await result.usage).outputTokens, 12);
});

test('streamText hands the text on while the provider still writes', async () => {
  const times = [];
  for await (const delta of streamText({ model: model('sim/m;tps=20;tokens=10'), prompt }).textStream)
    times.push(performance.now());
  assert.ok(times.at(-1) - times[0] > 300, `only ${times.at(-1) - times[0]} ms between them`);
});

test('generateText returns text, usage, finish reason and our headers', async () => {
  const result = await generateText({ model: model('photo'), prompt });
  assert.ok(result.text.length > 20);
  assert.equal(result.finishReason, 'stop');
  assert.equal(result.usage.outputTokens, 12);
  assert.equal(result.response.headers['x-race-winner'], 'sim/quick;ttft=30ms');
  assert.match(result.response.headers['x-request-id'], /^req_/);
});

test('streamText exposes our headers', async () => {
  const result = streamText({ model: model('photo'), prompt });
  await result.consumeStream();
  assert.equal((await result.response).headers['x-race-winner'], 'sim/quick;ttft=30ms');
});

test('reasoning is kept apart from the text', async () => {
  const streamed = await parts('sim/m;reasoning=6;tokens=4');
  const kinds = streamed.map((part) => part.type).filter((type) => type.endsWith('-delta'));
  assert.deepEqual(kinds, [...Array(6).fill('reasoning-delta'), ...Array(4).fill('text-delta')]);
  const whole = await generateText({ model: model('sim/m;reasoning=6;tokens=4'), prompt });
  assert.ok(whole.reasoningText.length > 0 && whole.text.length > 0);
});

test('streamText runs a tool and goes on with its result', async () => {
  const notes = [];
  const prepareStep = ({ stepNumber }) => ({ model: model(stepNumber === 0 ? 'sim/m;tools' : 'answer') });
  const result = streamText({ model: model('answer'), prompt, tools: noteTool(notes), prepareStep, stopWhen: stepCountIs(3) });
  await result.consumeStream();
  assert.equal(notes.length, 1);
  assert.deepEqual((await result.steps).map((step) => step.finishReason), ['tool-calls', 'stop']);
  assert.ok((await result.text).length > 20);
});

test('generateText runs a tool and goes on with its result', async () => {
  const notes = [];
  const prepareStep = ({ stepNumber }) => ({ model: model(stepNumber === 0 ? 'sim/m;tools' : 'answer') });
  const result = await generateText({ model: model('answer'), prompt, tools: noteTool(notes), prepareStep, stopWhen: stepCountIs(3) });
  assert.equal(notes.length, 1);
  assert.deepEqual(result.steps.map((step) => step.finishReason), ['tool-calls', 'stop']);
  assert.ok(result.text.length > 20);
});

test('an unknown model is an APICallError with our message', async () => {
  const error = await failure(generateText({ model: model('anser'), prompt }));
  assert.ok(APICallError.isInstance(error), String(error));
  assert.equal(error.statusCode, 404);
  assert.equal(error.data.error.code, 'model_not_found');
  assert.match(error.message, /'answer'/);
});

test('a rate limit is repeated after retry-after until it is answered', async () => {
  const before = await requestsSoFar('limited');
  const result = await generateText({ model: model('limited'), prompt, maxRetries: 2 });
  assert.equal(result.finishReason, 'stop');
  assert.equal(await requestsSoFar('limited') - before, 3);
  // The simulated provider numbers the requests that it receives, so this id shows that it has received three.
  assert.equal(result.response.id, 'chatcmpl-sim-3');
});

test('a truncated stream is an error part with our message, and never a stop', async () => {
  for (const name of ['sim/m;close_after=5', 'sim/m;reset_after=5', 'stalling', 'sim/m;error_event=5']) {
    const seen = await parts(name);
    assert.ok(seen.some((part) => part.type === 'text-delta'), name);
    assert.match(seen.find((part) => part.type === 'error')?.error.message, /^sim\/m/, name);
    assert.deepEqual(seen.filter((part) => part.finishReason === 'stop'), [], name);
  }
});

test('a keyring as api key reaches each provider with its own key', async () => {
  const apiKey = 'groq=gsk-own,cerebras=csk-own';
  for (const name of ['groq/m', 'cerebras/m', 'groq/m,cerebras/m;ttft=2s', 'groq/m;ttft=2s,cerebras/m'])
    assert.equal((await generateText({ model: model(name, { apiKey }), prompt })).finishReason, 'stop', name);
});

test('a call without a key gets an error that says how to send one', async () => {
  const error = await failure(generateText({ model: model('groq/m'), prompt }));
  assert.equal(error.statusCode, 401);
  assert.match(error.message, /Bearer groq=KEY/);
});

test('an abort signal cancels the provider', async () => {
  const before = await requests('endless', 'client_cancelled');
  const controller = new AbortController();
  const seen = await parts('endless', {
    abortSignal: controller.signal,
    onChunk: ({ chunk }) => chunk.type === 'text-delta' && controller.abort(),
  });
  assert.ok(seen.some((part) => part.type === 'abort'));
  assert.ok(await comesTrue(async () =>
    await requests('endless', 'client_cancelled') === before + 1 &&
    await measured('photofinish_inflight_attempts', { provider: 'sim' }) === 0));
});
