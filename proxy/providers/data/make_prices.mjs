// Writes prices.json from the npm package @pydantic/genai-prices (MIT), whose data knows tiers, dates and times of day:
//   npm install --no-save --prefix FOLDER @pydantic/genai-prices@0.1.8
//   node proxy/providers/data/make_prices.mjs FOLDER > proxy/providers/data/prices.json
// With --vectors instead: tests/support/price_vectors.json, what the package itself makes of some usages.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const [folder, mode] = process.argv.slice(2);
const root = resolve(folder, 'node_modules/@pydantic/genai-prices');
const { version } = JSON.parse(readFileSync(resolve(root, 'package.json')));
const { findProvider, calcPrice } = await import(pathToFileURL(resolve(root, 'dist/index.js')));

// Our preset -> its name there.
const providers = {
  openai: 'openai', anthropic: 'anthropic', gemini: 'google', xai: 'x-ai', deepseek: 'deepseek', groq: 'groq',
  cerebras: 'cerebras', together: 'together', fireworks: 'fireworks', mistral: 'mistral', openrouter: 'openrouter',
  azure: 'azure', bedrock: 'aws', vertex: 'google', novita: 'novita', cohere: 'cohere', perplexity: 'perplexity',
  moonshot: 'moonshotai', baseten: 'baseten', zai: 'zai',
  // Microsoft Foundry bills Claude as Anthropic does, and so does Vertex AI at its location `global`.
  'azure-anthropic': 'anthropic', 'vertex-gemini': 'google', 'vertex-anthropic': 'anthropic',
};

// Elsewhere Vertex AI adds a tenth to Claude from Sonnet 4.5 on; older models cost the same (Anthropic's page on Vertex AI,
// "Global vs regional endpoints").
const regional = { 'vertex-anthropic': { more: 1.1, notTo: /^claude-([23]|v1|(opus|sonnet)-4-[01]$)/ } };

// What the package lacks, by models.dev of 2026-07-02 (MIT): the ready race groups' targets, and presets without any.
// Azure's names are those that it proposes for a deployment.
const others = {
  together: { 'openai/gpt-oss-120b': [0.15, 0.6] },
  novita: { 'openai/gpt-oss-120b': [0.05, 0.25] },
  vertex: { 'openai/gpt-oss-120b-maas': [0.09, 0.36], 'meta/llama-3.3-70b-instruct-maas': [0.72, 0.72] },
  azure: {
    'Llama-3.3-70B-Instruct': [0.71, 0.71], 'Meta-Llama-3.1-70B-Instruct': [2.68, 3.54],
    'Meta-Llama-3.1-405B-Instruct': [5.33, 16],
  },
  morph: { 'morph-v3-fast': [0.8, 1.2], 'morph-v3-large': [0.9, 1.9], auto: [0.85, 1.55] },
  inception: { 'mercury-2': [0.25, 0.75], 'mercury-edit-2': [0.25, 0.75] },
  sambanova: { 'gpt-oss-120b': [0.22, 0.59], 'Meta-Llama-3.3-70B-Instruct': [0.6, 1.2] },
  deepinfra: { 'openai/gpt-oss-120b': [0.039, 0.19], 'meta-llama/Llama-3.3-70B-Instruct-Turbo': [0.1, 0.32] },
  nebius: { 'openai/gpt-oss-120b': [0.15, 0.6], 'meta-llama/Llama-3.3-70B-Instruct': [0.13, 0.4] },
};

// Their unit -> ours. What is not text, or what an OpenAI-shaped usage cannot tell, is left out.
const units = {
  input_mtok: 'input', cache_read_mtok: 'cached_input', cache_write_mtok: 'written_input',
  cache_write_1h_mtok: 'written_for_hour', output_mtok: 'output', output_reasoning_mtok: 'reasoning',
};

function toPrice(theirs) {
  const price = {};
  for (const [unit, name] of Object.entries(units)) {
    const value = theirs[unit];
    if (value === undefined) continue;
    price[name] = typeof value === 'number' ? value : [value.base, ...value.tiers.map((t) => [t.start, t.price])];
  }
  if (theirs.requests_kcount !== undefined) price.request = theirs.requests_kcount / 1000;
  return price;
}

const scaled = (value, by) => Number((value * by).toPrecision(12));  // without what floating point adds

// A tier is [above so many tokens, price].
function dearer(price, by) {
  const made = { ...price };
  for (const name of Object.values(units))
    if (Array.isArray(price[name])) made[name] = price[name].map((each) => Array.isArray(each) ? [each[0], scaled(each[1], by)] : scaled(each, by));
    else if (price[name] !== undefined) made[name] = scaled(price[name], by);
  return made;
}

const isTold = (price) => price.input !== undefined && price.output !== undefined;

function toPeriod({ constraint, prices }) {
  const period = toPrice(prices);
  if (constraint?.type === 'start_date') period.from = constraint.start_date;
  if (constraint?.type === 'time_of_date') period.daily = [constraint.start_time.slice(0, 5), constraint.end_time.slice(0, 5)];
  return period;
}

// Without prices where text in and out is not what it charges for: known, so that no later rule prices it.
function toModel({ id, match, prices }) {
  const periods = (Array.isArray(prices) ? prices : [{ prices }]).map(toPeriod);
  return { id, match, prices: periods.every(isTold) ? periods : [] };
}

function modelsOf(id, seen = new Set()) {
  const found = findProvider({ providerId: id });
  if (!found || seen.has(id)) return [];
  seen.add(id);
  return [...found.models.map(toModel), ...(found.fallback_model_providers ?? []).flatMap((f) => modelsOf(f, seen))];
}

function list() {
  const all = {};
  for (const [preset, id] of Object.entries(providers)) all[preset] = modelsOf(id);
  const toFlat = ([id, [input, output]]) => ({ id, match: { equals: id }, prices: [{ input, output }] });
  for (const [preset, models] of Object.entries(others))
    all[preset] = [...Object.entries(models).map(toFlat), ...(all[preset] ?? [])];
  for (const [preset, { more, notTo }] of Object.entries(regional))
    all[`${preset}/regional`] = all[preset].map((model) =>
      notTo.test(model.id) ? model : { ...model, prices: model.prices.map((price) => dearer(price, more)) });
  return { source: `@pydantic/genai-prices ${version} (MIT), models.dev 2026-07-02 (MIT)`, providers: all };
}

function vectors() {
  // input, of it from the cache, into it, to stay for an hour; output, of it reasoning
  const usages = [[1000, 0, 0, 0, 500, 0], [300000, 0, 0, 0, 2000, 0], [20000, 15000, 0, 0, 100, 50],
                  [20000, 10000, 8000, 3000, 100, 0]];
  const times = ['2026-11-21T12:00:00Z', '2026-11-21T20:00:00Z', '2025-02-01T00:00:00Z'];
  const rows = [];
  for (const [preset, id] of Object.entries(providers)) {
    const isPlain = (m) => m.prices.length > 0 && m.prices.every((p) => p.request === undefined);
    const models = findProvider({ providerId: id }).models.map(toModel).filter(isPlain);
    for (let i = 0; i < models.length; i += Math.ceil(models.length / 12))
      for (const [input, cached, written, forHour, output, reasoning] of usages)
        for (const time of times) {
          const price = calcPrice({ input_tokens: input, cache_read_tokens: cached, cache_write_tokens: written,
                                    ...(forHour > 0 ? { cache_write_1h_tokens: forHour } : {}), output_tokens: output,
                                    output_reasoning_tokens: reasoning },
                                  models[i].id, { providerId: id, timestamp: new Date(time) });
          if (price)
            rows.push([preset, models[i].id, input, cached, written, forHour, output, reasoning, time, price.total_price]);
        }
  }
  return rows;
}

// One model, or one vector, a line: readable in a diff.
function print({ source, providers: all }) {
  const block = ([name, models]) => `  ${JSON.stringify(name)}: [\n${models.map((m) => '   ' + JSON.stringify(m)).join(',\n')}\n  ]`;
  return `{"source": ${JSON.stringify(source)},\n "providers": {\n${Object.entries(all).map(block).join(',\n')}\n }}\n`;
}

process.stdout.write(mode === '--vectors' ? `[\n${vectors().map((r) => JSON.stringify(r)).join(',\n')}\n]\n` : print(list()));
