// Tests the gateway with the AI SDK's packages @ai-sdk/openai, which uses the Responses API by default, and
// @ai-sdk/anthropic.
import assert from 'node:assert/strict';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, Output, generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { gatewayUrl, test } from './support.mjs';
import { accessKey, answer, assertRaced, cities, lastRequest } from './conversations_support.mjs';

const settings = { baseURL: `${gatewayUrl}/v1`, apiKey: accessKey };
const models = { openai: createOpenAI(settings), anthropic: createAnthropic(settings) };
// Sets `store: false`. Without this option the SDK sends references to earlier items instead of the items, because
// OpenAI would keep the items.
const providerOptions = { openai: { store: false } };

function weather(asked) {
  const execute = async ({ city }) => (asked.push(city), 'sunny');
  return { get_weather: tool({ description: 'The weather', inputSchema: z.object({ city: z.string() }), execute }) };
}

function ask(name, prompt, more = {}) {
  return { model: models[name](more.route ?? 'fast'), prompt, maxRetries: 0, providerOptions, ...more };
}

test('three turns with tools, whole', async () => {
  for (const name of Object.keys(models)) {
    const asked = [];
    const prompt = `script weather, whole by ${name}`;
    const result = await generateText(ask(name, prompt, { tools: weather(asked), stopWhen: stepCountIs(5) }));
    assert.deepEqual([asked, result.text, result.steps.length], [cities.flat(), answer, 3], name);
    await assertRaced(prompt, 3);
  }
});

test('three turns with tools, streamed', async () => {
  for (const name of Object.keys(models)) {
    const asked = [];
    const prompt = `script weather, streamed by ${name}`;
    const result = streamText(ask(name, prompt, { tools: weather(asked), stopWhen: stepCountIs(5) }));
    const parts = [];
    for await (const part of result.fullStream) parts.push(part);
    assert.deepEqual(parts.filter((part) => part.type === 'error'), [], name);
    const of = (type) => parts.filter((part) => part.type === type).map((part) => part.text).join('');
    assert.equal(of('text-delta'), `Let me see.${answer}`, name);
    assert.equal(of('reasoning-delta'), 'I should look outside.Once more.Now I know.', name);
    assert.deepEqual([asked, await result.text], [cities.flat(), answer], name);
    await assertRaced(prompt, 3);
  }
});

// No provider stores items. The gateway keeps the items of its answers, and inserts them in place of references.
test('references to earlier items, which come by default, are found', async () => {
  const bodies = [];
  const noting = (url, init) => (bodies.push(init.body), fetch(url, init));
  const model = createOpenAI({ ...settings, fetch: noting })('fast');
  const asked = [];
  const prompt = 'script weather, by the default of openai';
  const result = await generateText({ model, prompt, maxRetries: 0, tools: weather(asked), stopWhen: stepCountIs(5) });
  assert.deepEqual([asked, result.text, result.steps.length], [cities.flat(), answer, 3]);
  assert.ok(bodies.at(-1).includes('"item_reference"'), 'the SDK does no longer refer to items');
  assert.ok((await lastRequest(prompt)).messages.some((each) => each.role === 'assistant' && each.content === 'Let me see.'));
  await assertRaced(prompt, 3);
});

test('structured output is asked for and parsed', async () => {
  const schema = z.object({ city: z.string(), degrees: z.number().int() });
  for (const name of Object.keys(models)) {
    const prompt = `script structured, by ${name}`;
    const { output } = await generateText(ask(name, prompt, { output: Output.object({ schema }) }));
    assert.deepEqual(output, { city: 'Paris', degrees: 21 }, name);
    if (name === 'openai') assert.equal((await lastRequest(prompt)).response_format.type, 'json_schema');
  }
});

test('errors have their status', async () => {
  for (const name of Object.keys(models))
    for (const [route, status] of [['nothing', 404], ['failing', 502]]) {
      const fails = (error) => APICallError.isInstance(error) && error.statusCode === status;
      await assert.rejects(generateText(ask(name, 'x', { route })), fails, `${name} ${route}`);
    }
});
