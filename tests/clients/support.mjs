// Shared code of the Node tests: the addresses of the gateways, and functions that read the values of /metrics.
import nodeTest from 'node:test';

export const gatewayUrl = process.env.GATEWAY_URL;
export const guardedUrl = process.env.GUARDED_URL;
export const prompt = [{ role: 'user', content: 'Say hello' }];

export function test(name, body) {
  return nodeTest(name, { timeout: 20_000 }, body);
}

// Returns the sum of all samples of a metric that have the given labels.
export async function measured(metric, labels = {}) {
  const text = await (await fetch(`${gatewayUrl}/metrics`)).text();
  const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  let sum = 0;
  for (const line of text.split('\n')) {
    const [, name, held, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === metric && wanted.every((label) => (held ?? '').includes(label))) sum += Number(value);
  }
  return sum;
}

export async function requests(route, outcome) {
  return measured('photofinish_requests_total', { route, ...(outcome && { outcome }) });
}

// Waits until no request of the route is in flight, and then returns requests(). The gateway counts a request a little later than its
// client gets the answer.
export async function requestsSoFar(route) {
  const rests = await comesTrue(async () => await measured('photofinish_inflight_requests', { route }) === 0);
  if (!rests) throw new Error(`${route} never rests`);
  return requests(route);
}

// Repeats a check until it returns true. Returns false after three seconds.
export async function comesTrue(question) {
  for (let tries = 0; tries < 100; ++tries) {
    if (await question()) return true;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return false;
}
