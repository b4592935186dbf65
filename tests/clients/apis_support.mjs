// Shared code of the Node tests for the APIs other than chat. It reads the requests that upstreams.py recorded, and computes the same
// embeddings as upstreams.py.
export const accessKey = 'open-key';
// The names of the models of upstreams.py. Each model handles encoding_format in its own way.
export const encodings = ['floats/m', 'plain/m', 'base64/m', 'asked/m'];

const corners = [0, -0, 1, -1.5, 0.1, 1e-10, -3.4028235e38, 1.1754944e-38, 1e-45, 16777216];

// Returns the embedding of a text or a list of tokens as float32 numbers, equal to the result of meant() in
// upstreams.py.
export function meant(text, dimensions = 64) {
  let seed = 0;
  const values = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  for (const value of values) seed = (seed * 31 + value) % 1000003;
  const rest = Array.from({ length: Math.max(dimensions - corners.length, 0) },
    (_, index) => ((seed + index * 7919) % 20011 - 10005) / 10007);
  return [...corners, ...rest].map(Math.fround).slice(0, dimensions);
}

// Returns the recorded requests whose body contains the given text.
export async function seen(text) {
  return (await fetch(`${process.env.UPSTREAMS_URL}/seen?${encodeURIComponent(text)}`)).json();
}

// Returns how many requests with the given text were cancelled before the provider answered.
export async function left(text) {
  return (await seen(text)).filter((call) => call.left).length;
}
