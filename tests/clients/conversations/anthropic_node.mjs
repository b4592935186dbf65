// Tests /v1/messages with @anthropic-ai/sdk and three racing chat providers.
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { comesTrue, gatewayUrl, test } from './support.mjs';
import { accessKey, answer, assertRaced, cities, citySchema, lastRequest, seen } from './conversations_support.mjs';

const tool = { name: 'get_weather', description: 'The weather in a city', input_schema: citySchema };

function client(options = {}) {
  return new Anthropic({ baseURL: gatewayUrl, apiKey: accessKey, maxRetries: 0, timeout: 15_000, ...options });
}

function ask(text, more = {}) {
  return { model: 'fast', max_tokens: 500, messages: [{ role: 'user', content: text }], ...more };
}

test('a whole message has its text and its usage', async () => {
  const message = await client().messages.create(ask('script hello, whole by node'));
  assert.deepEqual(message.content.map((block) => block.text), ['Hello there!']);
  assert.deepEqual([message.stop_reason, message.usage.output_tokens], ['end_turn', 5]);
  await assertRaced('whole by node', 1);
});

test('a stream adds up to the message', async () => {
  const stream = client().messages.stream(ask('script weather, streamed by node', { tools: [tool] }));
  const events = [];
  stream.on('streamEvent', (event) => events.push(event.type));
  const message = await stream.finalMessage();
  assert.deepEqual(message.content.map((block) => block.type), ['thinking', 'text', 'tool_use']);
  assert.deepEqual(message.content[2].input, { city: 'Paris' });
  assert.equal(message.stop_reason, 'tool_use');
  assert.deepEqual([events[0], events.at(-1)], ['message_start', 'message_stop']);
  assert.equal(events.filter((type) => type === 'content_block_start').length, 3);
});

test('three turns with tools', async () => {
  const { messages } = ask('script weather, three turns by node');
  const asked = [];
  let message;
  for (;;) {
    message = await client().messages.stream(ask('', { messages, tools: [tool] })).finalMessage();
    const calls = message.content.filter((block) => block.type === 'tool_use');
    if (!calls.length) break;
    asked.push(calls.map((call) => call.input.city));
    const results = calls.map((call) => ({ type: 'tool_result', tool_use_id: call.id, content: 'sunny' }));
    messages.push({ role: 'assistant', content: message.content }, { role: 'user', content: results });
  }
  assert.deepEqual(asked, cities);
  assert.equal(message.content.at(-1).text, answer);
  await assertRaced('three turns by node', 3);
});

test('a long stream comes whole', async () => {
  const message = await client().messages.stream(ask('script long, by node')).finalMessage();
  const kinds = message.content.map((block) => block.type);
  assert.deepEqual(kinds.slice(0, 4), ['thinking', 'text', 'thinking', 'text']);
  assert.equal(message.content.filter((block) => block.type === 'text').map((block) => block.text).join(''),
    'word '.repeat(400));
});

test('tokens are counted and models are listed', async () => {
  const { input_tokens: few } = await client().messages.countTokens(
    { model: 'fast', messages: [{ role: 'user', content: 'counted by node' }] });
  assert.ok(few > 3 && few < 20, `${few}`);
  assert.deepEqual(await seen('counted by node'), []);
  const ids = [];
  for await (const model of client().models.list({ limit: 2 })) ids.push(model.id);
  assert.ok(ids.includes('fast') && ids.includes('quick/m') && new Set(ids).size === ids.length, `${ids}`);
  assert.equal((await client().models.retrieve('quick/m')).display_name, 'quick/m');
});

test('errors are the ones that users catch', async () => {
  await assert.rejects(client().messages.create(ask('x', { model: 'nothing' })), Anthropic.NotFoundError);
  await assert.rejects(client({ apiKey: 'wrong' }).messages.create(ask('x')), Anthropic.AuthenticationError);
  await assert.rejects(client().messages.create(ask('x', { model: 'failing' })), Anthropic.InternalServerError);
  await assert.rejects(client().messages.create(ask('x', { messages: [] })), Anthropic.BadRequestError);
});

test('a stop from the user cancels the race', async () => {
  const stream = client().messages.stream(ask('script hello, aborted by node', { model: 'slow/m' }));
  setTimeout(() => stream.abort(), 300);
  await assert.rejects(stream.finalMessage(), Anthropic.APIUserAbortError);
  assert.ok(await comesTrue(async () => (await seen('aborted by node'))[0]?.left));
});

test('what was said stays as it was sent', async () => {
  const text = 'script hello, é "quoted" \\ 你好 \u2028';
  await client().messages.create(ask(text));
  assert.equal((await lastRequest('quoted')).messages[0].content, text);
});
