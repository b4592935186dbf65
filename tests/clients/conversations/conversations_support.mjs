// Shared code of the Node tests for Responses and Messages. It reads the requests that chat_upstream.py recorded, and defines the tool that
// the provider's scripts call.
import assert from 'node:assert/strict';
import { comesTrue } from './support.mjs';

export const accessKey = 'open-key';
export const citySchema = {
  type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false,
};
export const cities = [['Paris'], ['Oslo', 'Rome "é\\']]; // the cities in the script `weather`, turn by turn
export const answer = 'It is sunny in all three.';

// Returns those recorded requests whose body contains the given text.
export async function seen(text) {
  return (await fetch(`${process.env.CHAT_URL}/seen?${encodeURIComponent(text)}`)).json();
}

async function at(provider, text) {
  return (await seen(text)).filter((call) => call.path.startsWith(`/${provider}/`));
}

// Checks that every turn ran at three providers, that none of the providers found a fault in a request, and that the
// losers were cancelled.
export async function assertRaced(text, count) {
  for (const provider of ['quick', 'slow', 'silent'])
    assert.equal((await at(provider, text)).length, count, `requests at ${provider}`);
  assert.deepEqual((await seen(text)).flatMap((call) => call.faults), []);
  for (const loser of ['slow', 'silent'])
    assert.ok(await comesTrue(async () => (await at(loser, text)).every((call) => call.left)), `${loser} runs on`);
}

// Returns the longest conversation with the given text that a winner received.
export async function lastRequest(text) {
  const quick = (await at('quick', text)).map((call) => call.body);
  return quick.reduce((longest, body) => (body.messages.length > longest.messages.length ? body : longest));
}
