// Runs the cases of the Open Responses compliance suite, and some further turns. Version 7 of the openai package reads the streams. It is
// the strictest client, because it throws an exception at any misplaced event.
import assert from 'node:assert/strict';
import OpenAI from 'openai-7';
import { gatewayUrl, test } from './support.mjs';
import { accessKey, answer, assertRaced, cities, citySchema } from './conversations_support.mjs';

const description = 'The weather';
const tool = { type: 'function', name: 'get_weather', description, parameters: citySchema, strict: true };
const pixel = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64')}`;

function client(options = {}) {
  return new OpenAI({ baseURL: `${gatewayUrl}/v1`, apiKey: accessKey, maxRetries: 0, timeout: 15_000, ...options });
}

// Streams a request. Checks the sequence number of every event, and that the whole answer equals the sum of its parts.
async function streamed(input, more = {}) {
  const stream = client().responses.stream({ model: 'fast', input, ...more });
  const events = [];
  for await (const event of stream) events.push(event);
  assert.deepEqual(events.map((event) => event.sequence_number), events.map((_, index) => index));
  const response = await stream.finalResponse();
  assert.equal(events.at(-1).type, 'response.completed');
  const done = events.filter((event) => event.type === 'response.output_item.done').map((event) => event.item.id);
  assert.deepEqual(response.output.map((item) => item.id), done);
  return { events, response };
}

test('basic', async () => {
  const response = await client().responses.create({ model: 'fast', input: 'script hello, basic' });
  assert.deepEqual([response.status, response.output_text, response.store], ['completed', 'Hello there!', false]);
  assert.equal(response.usage.total_tokens, response.usage.input_tokens + response.usage.output_tokens);
  await assertRaced('hello, basic', 1);
});

test('streaming', async () => {
  const { response, events } = await streamed('script hello, streaming');
  assert.equal(response.output_text, 'Hello there!');
  const text = events.filter((event) => event.type === 'response.output_text.delta').map((event) => event.delta);
  assert.equal(text.join(''), 'Hello there!');
});

test('system prompt', async () => {
  const { response } = await streamed([{ type: 'message', role: 'user', content: 'script shout' }],
    { instructions: 'be brief' });
  assert.deepEqual([response.output_text, response.instructions], ['BE BRIEF', 'be brief']);
  const message = { type: 'message', role: 'system', content: 'be kind' };
  const other = await streamed([message, { type: 'message', role: 'user', content: 'script shout' }]);
  assert.equal(other.response.output_text, 'BE KIND');
});

test('tool calling', async () => {
  const response = await client().responses.create({ model: 'fast', input: 'script weather, a call', tools: [tool] });
  const [call] = response.output.filter((item) => item.type === 'function_call');
  assert.deepEqual([call.name, JSON.parse(call.arguments)], ['get_weather', { city: 'Paris' }]);
  assert.equal(call.status, 'completed');
  assert.deepEqual(response.tools, [tool]);
});

test('tool calling streaming', async () => {
  const { events } = await streamed('script weather, a streamed call', { tools: [tool] });
  const types = events.filter((event) => event.output_index === 2).map((event) => event.type);
  assert.deepEqual([...new Set(types)], ['response.output_item.added', 'response.function_call_arguments.delta',
    'response.function_call_arguments.done', 'response.output_item.done']);
});

test('image input', async () => {
  const content = [{ type: 'input_text', text: 'script picture' }, { type: 'input_image', image_url: pixel }];
  const { response } = await streamed([{ type: 'message', role: 'user', content }]);
  assert.equal(response.output_text, 'I see 1 picture: data:image/png;base64,');
});

test('multi turn', async () => {
  const input = [
    { type: 'message', role: 'user', content: 'My name is Ada.' },
    { type: 'message', role: 'assistant', content: 'Hello Ada!' },
    { type: 'message', role: 'user', content: 'script hello, multi turn' },
  ];
  assert.equal((await streamed(input)).response.output_text, 'Hello there!');
  await assertRaced('multi turn', 1);
});

test('three turns whose output is sent back as it came', async () => {
  const input = [{ type: 'message', role: 'user', content: 'script weather, three responses' }];
  const asked = [];
  let response;
  for (;;) {
    ({ response } = await streamed(input, { tools: [tool], include: ['reasoning.encrypted_content'] }));
    const calls = response.output.filter((item) => item.type === 'function_call');
    if (!calls.length) break;
    asked.push(calls.map((call) => JSON.parse(call.arguments).city));
    input.push(...response.output.map(({ parsed_arguments, ...item }) => item));
    input.push(...calls.map((call) => ({ type: 'function_call_output', call_id: call.call_id, output: 'sunny' })));
  }
  assert.deepEqual(asked, cities);
  assert.equal(response.output_text, answer);
  await assertRaced('three responses', 3);
});

test('reasoning and text may take turns four hundred times', async () => {
  const { response } = await streamed('script long, in turns');
  assert.equal(response.output.length, 800);
  assert.equal(response.output_text, 'word '.repeat(400));
});

test('structured output', async () => {
  const schema = {
    type: 'object', properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
    required: ['city', 'degrees'], additionalProperties: false,
  };
  const text = { format: { type: 'json_schema', name: 'place', schema, strict: true } };
  const response = await client().responses.parse({ model: 'fast', input: 'script structured', text });
  assert.deepEqual(JSON.parse(response.output_text), { city: 'Paris', degrees: 21 });
  assert.deepEqual(response.text.format.schema, schema);
});

test('a custom tool gets its text', async () => {
  const patch = { type: 'custom', name: 'apply_patch', description: 'Changes files' };
  const run = { type: 'function', name: 'exec_command', parameters: { type: 'object', properties: {} }, strict: false };
  const input = [{ type: 'message', role: 'user', content: 'script paint on /tmp/door' },
    { type: 'function_call', call_id: 'call_1', name: 'exec_command', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'red' }];
  const { response, events } = await streamed(input, { tools: [patch, run] });
  const [call] = response.output.filter((item) => item.type === 'custom_tool_call');
  assert.match(call.input, /^\*\*\* Begin Patch\n/);
  const delta = events.filter((event) => event.type === 'response.custom_tool_call_input.delta');
  assert.equal(delta.map((event) => event.delta).join(''), call.input);
});

test('errors have their status and their field', async () => {
  const fails = async (kind, more) => {
    try {
      await client().responses.create({ model: 'fast', input: 'x', ...more });
    } catch (error) {
      assert.ok(error instanceof kind, `${error}`);
      return error;
    }
    return assert.fail('it did not fail');
  };
  await fails(OpenAI.NotFoundError, { model: 'nothing' });
  await fails(OpenAI.InternalServerError, { model: 'failing' });
  assert.match((await fails(OpenAI.BadRequestError, { tools: [{ type: 'web_search' }] })).message, /web_search/);
  assert.equal((await fails(OpenAI.BadRequestError, { input: [{ type: 'nonsense' }] })).status, 400);
});
