// Starts gateways with simulated providers, and sends requests to the gateways.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';

const here = dirname(fileURLToPath(import.meta.url));
const running = [];

// Starts a program, and returns a promise of the URL that the program prints after `mark`.
function start(mark, args, variables = {}) {
  const made = spawn(process.env.BINARY, args, { env: { PATH: process.env.PATH, ...variables }, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(made);
  return new Promise((found, failed) => {
    let text = '';
    const look = (bytes) => {
      text += bytes;
      const at = new RegExp(`${mark}(http://[^ \\n]+)`).exec(text);
      if (at) found(at[1].replace(/\/$/, ''));
    };
    made.stdout.on('data', look);
    made.stderr.on('data', look);
    made.on('exit', (code) => failed(new Error(`${args[0]} ended with ${code}: ${text}`)));
  });
}

const simulator = (...options) => start('', ['sim', '--listen', '127.0.0.1:0', ...options]);

export async function startHouse() {
  const FAST_URL = await simulator('--ttft', '90ms', '--ttft-sigma', '0.5', '--stall-share', '0.06', '--tps', '220', '--tokens', '180', '--seed', '3');
  const STEADY_URL = await simulator('--ttft', '210ms', '--ttft-sigma', '0.2', '--stall-share', '0', '--tps', '110', '--tokens', '180', '--seed', '4');
  const LIMITED_URL = await simulator('--ttft', '130ms', '--tps', '160', '--tokens', '150', '--status', '429', '--retry-after', '2s', '--fault-share', '0.3', '--seed', '5');
  const urls = { FAST_URL, STEADY_URL, LIMITED_URL };
  const open = await start('listening on ', ['serve', '--config', join(here, 'gateway.yaml')], urls);
  const guarded = await start('listening on ', ['serve', '--config', join(here, 'guarded.yaml')], urls);
  return { open, guarded };
}
// Runs two short benches, one with a fast endpoint and one with a steady endpoint, and returns their reports as {json, html}.
export async function benchReports(folder) {
  const made = [];
  for (const [name, ttft, tps] of [['fast', '40ms', '300'], ['steady', '120ms', '150']]) {
    const url = await simulator('--ttft', ttft, '--tps', tps, '--tokens', '40', '--model', `${name}-model`);
    const each = { json: join(folder, `${name}.json`), html: join(folder, `${name}.html`) };
    await run(['bench', url, '-c', '1,2,4,8', '-n', '8', '--osl', '40', '--isl', '60', '--seed', '5', '--json', each.json, '--html', each.html]);
    made.push(each);
  }
  return made;
}

function run(args) {
  const made = spawn(process.env.BINARY, args, { env: { PATH: process.env.PATH }, stdio: ['ignore', 'ignore', 'pipe'] });
  running.push(made);
  let text = '';
  made.stderr.on('data', (bytes) => { text += bytes; });
  return new Promise((ended, failed) => {
    made.on('exit', (code) => code === 0 ? ended() : failed(new Error(`${args.join(' ')} ended with ${code}: ${text}`)));
  });
}

export function stopHouse() {
  for (const each of running) each.kill('SIGKILL');
}

export const secretPrompt = 'the-prompt-that-no-feed-may-show';

export function request(gateway, model, size = 40, headers = {}) {
  return fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST', headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: `${secretPrompt} ${'word '.repeat(size)}` }] }),
  }).then((answer) => answer.text());
}

// A random generator with a fixed seed, so that each run sends the same requests.
function chance(seed) {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}

// Sends a few requests per second, and sometimes many requests at the same time, until the caller awaits stop().
export function keepBusy(gateway) {
  const draw = chance(7), open = new Set();
  const send = () => {
    const model = draw() < 0.5 ? 'quick' : draw() < 0.7 ? 'chat' : 'alone';
    const size = [20, 120, 700, 3_000][Math.floor(draw() * 4)];
    const one = request(gateway, model, size).catch(() => '').finally(() => open.delete(one));
    open.add(one);
  };
  let ticks = 0;
  const timer = setInterval(() => {
    if (draw() < 0.75) send();
    if (++ticks % 60 === 20) for (let extra = 0; extra < 14; ++extra) send();
  }, 120);
  return { async stop() { clearInterval(timer); await Promise.all(open); } };
}

// Returns the sum of all samples of a metric that have the given labels.
export async function measured(gateway, metric, labels = {}) {
  const text = await (await fetch(`${gateway}/metrics`)).text();
  const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  let sum = 0;
  for (const line of text.split('\n')) {
    const [, name, held, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === metric && wanted.every((label) => (held ?? '').includes(label))) sum += Number(value);
  }
  return sum;
}
