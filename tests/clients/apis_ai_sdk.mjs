// Tests the gateway's APIs other than chat with both OpenAI packages of the AI SDK. The gateway's provider is
// upstreams.py.
import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, embed, embedMany, generateImage, generateText, streamText } from 'ai';
import { accessKey, encodings, meant, seen } from './apis_support.mjs';
import { gatewayUrl, test } from './support.mjs';

const baseURL = `${gatewayUrl}/v1`;
const providers = {
  openai: createOpenAI({ baseURL, apiKey: accessKey }),
  compatible: createOpenAICompatible({ name: 'photofinish', baseURL, apiKey: accessKey }),
};

function assertMeant(embedding, text, dimensions) {
  assert.deepEqual(embedding.map(Math.fround), meant(text, dimensions));
}

test('embed has the numbers that the provider meant', async () => {
  for (const provider of Object.values(providers))
    for (const model of encodings) {
      const answer = await embed({ model: provider.embeddingModel(model), value: 'a sunny day', maxRetries: 0 });
      assertMeant(answer.embedding, 'a sunny day');
      assert.equal(answer.usage.tokens, 3);
    }
});

test('embedMany keeps the order, over more than one request', async () => {
  const values = Array.from({ length: 3000 }, (_, number) => `value ${number}`);
  const providerOptions = { openai: { dimensions: 12 } };
  const model = providers.openai.embeddingModel('base64/m');
  const { embeddings } = await embedMany({ model, values, providerOptions, maxRetries: 0 });
  assert.equal(embeddings.length, values.length);
  embeddings.forEach((embedding, place) => assertMeant(embedding, values[place], 12));
  const sizes = (await seen('value 2999')).concat(await seen('value 0"')).map((call) => call.body.input.length);
  assert.ok(sizes.length >= 2, `${sizes}`);
});

test('a completion model writes a text, streamed and whole', async () => {
  for (const provider of [providers.openai.completion, providers.compatible.completionModel]) {
    const ask = { model: provider('asked/m'), prompt: 'count', maxRetries: 0 };
    const whole = await generateText(ask);
    assert.deepEqual([whole.text, whole.finishReason, whole.usage.outputTokens], ['one two three', 'stop', 3]);
    const streamed = streamText(ask);
    let text = '';
    for await (const part of streamed.textStream) text += part;
    assert.deepEqual([text, await streamed.finishReason], ['one two three', 'stop']);
  }
});

test('an image model makes images', async () => {
  for (const provider of Object.values(providers)) {
    const model = provider.imageModel('asked/painter');
    const { image } = await generateImage({ model, prompt: 'a cat', maxRetries: 0 });
    assert.equal(Buffer.from(image.uint8Array).toString('latin1'), '\x89PNG\r\n\x1a\na cat');
  }
});

test('a slow provider loses and a failed one is followed by the next', async () => {
  for (const model of ['photo', 'rescued']) {
    const answer = await embed({ model: providers.compatible.embeddingModel(model), value: model, maxRetries: 0 });
    assertMeant(answer.embedding, model);
    assert.equal(answer.response.headers['x-race-winner'], { photo: 'plain/quick', rescued: 'stubborn/picky' }[model]);
  }
});

test('an error is an APICallError with its message', async () => {
  for (const [model, status, message] of [
    ['nothing', 404, /nothing/], ['limited', 429, /scripted to answer 429/], ['conversing', 400, /embeddings/],
  ]) {
    const call = embed({ model: providers.openai.embeddingModel(model), value: 'text', maxRetries: 0 });
    const error = await call.then(() => assert.fail('it did not fail'), (thrown) => thrown);
    assert.ok(APICallError.isInstance(error), String(error));
    assert.equal(error.statusCode, status);
    assert.match(error.message, message);
    assert.equal(error.isRetryable, status === 429);
  }
});
