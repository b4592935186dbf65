// Opens and compares reports of `photofinish bench`, in the live page and in the page that the bench writes.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { assertAccessible, assertFits, isFilled, looks, openPage, picture, startBrowser, stopBrowser, test } from './browser.mjs';
import { benchReports, startHouse, stopHouse } from './house.mjs';

let house, folder, reports;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'page-bench-'));
  house = await startHouse();
  reports = await benchReports(folder);
  await startBrowser();
});
after(async () => {
  await stopBrowser();
  stopHouse();
  if (folder) rmSync(folder, { recursive: true });
});
const files = () => reports.map((each) => each.json);
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

test('reports are opened, laid over each other and compared, and nothing is sent', async () => {
  for (const look of looks) {
    const { page, wrong, asked, close } = await openPage(`${house.open}/#bench`, look);
    await isFilled(page, 'bench', files());
    assert.equal(await page.locator('#bench-list li').count(), 2);
    for (const chart of ['bench-ttft', 'bench-speed', 'bench-all'])
      assert.equal(await page.locator(`#chart-${chart} canvas`).count(), 1, chart);
    await assertFits(page, look.name);
    await picture(page, `bench-${look.name}`);
    assert.deepEqual(asked.filter((sent) => sent.method() !== 'GET').map((sent) => sent.url()), []);
    for (const sent of asked) assert.ok(!sent.url().includes('fast.json') && sent.postData() === null, sent.url());
    assert.deepEqual(wrong, [], look.name);
    await close();
  }
});

test('the table side by side has the figures of the files', async () => {
  const { page, close } = await openPage(`${house.open}/#bench`);
  await isFilled(page, 'bench', files());
  assert.equal(await page.inputValue('#bench-load'), '8 at once', 'the highest load that all have');
  for (const load of [8, 1]) {
    await page.selectOption('#bench-load', `${load} at once`);
    const levels = files().map((path) => read(path).levels.find((each) => each.input_config.loadgen.concurrency === load));
    const row = (words) => page.locator('#bench-table tbody tr').filter({ has: page.getByRole('rowheader', { name: words, exact: true }) }).locator('td').allInnerTexts();
    const ms = (value) => value < 9.5 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`;
    const ttft = await row('TTFT p95'), speed = await row('tok/s of all users');
    for (const place of [0, 1]) {
      assert.ok(ttft[place].startsWith(ms(levels[place].time_to_first_token.p95)), ttft[place]);
      const value = levels[place].output_token_throughput.avg;
      assert.ok(speed[place].startsWith(value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en')), speed[place]);
    }
    const change = Math.round(100 * (levels[1].time_to_first_token.p95 / levels[0].time_to_first_token.p95 - 1));
    assert.ok(ttft[1].endsWith(`+${change} %`), ttft[1]);
    assert.equal(await page.locator('#bench-table td.best').first().innerText(), (await row('TTFT p50'))[0], 'the fast one is best');
  }
  assert.ok((await page.locator('#bench-list').innerText()).includes(read(files()[0]).knee.words), 'the knee in words');
  await close();
});

test('a scorecard of several endpoints is shown by input size, with what it says of the fastest', async () => {
  const [fast, steady] = files().map(read);
  const cell = (endpoint, size, level, usd) => ({ endpoint, input_tokens: size, usd_per_request: usd, figures: level });
  const card = { endpoints: [{ endpoint: 'A', url: 'https://a.example/v1', model: 'm', cost_usd: 0.4 }, { endpoint: 'B', url: 'https://b.example/v1', model: 'm', cost_usd: null }],
    fastest: [{ input_tokens: 100, metric: 'time_to_first_token', best: 'A', words: 'at 100 tokens A is fastest' }],
    cells: [cell('A', 100, fast.levels[0], 0.0004), cell('A', 10_000, fast.levels[1], 0.004), cell('B', 100, steady.levels[0], null), cell('B', 10_000, steady.levels[1], null)] };
  const { page, wrong, close } = await openPage(`${house.open}/#bench`);
  await isFilled(page, 'bench', [{ name: 'scorecard.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(card)) }]);
  assert.deepEqual(await page.locator('#bench-list b').allInnerTexts(), ['m at a.example', 'm at b.example']);
  assert.ok((await page.locator('#bench-list').innerText()).includes('at 100 tokens A is fastest'));
  assert.equal(await page.inputValue('#bench-load'), '10,000 input tokens');
  const row = page.locator('#bench-table tbody tr').filter({ has: page.getByRole('rowheader', { name: 'USD a request', exact: true }) });
  assert.deepEqual(await row.locator('td').allInnerTexts(), ['$0.004', '–']);
  assert.deepEqual(wrong, []);
  await close();
});

test('a file that is no report is named, and one is closed by keyboard', async () => {
  const { page, wrong, close } = await openPage(`${house.open}/#bench`);
  await isFilled(page, 'bench', files());
  await page.setInputFiles('#bench-files', [{ name: 'torn.json', mimeType: 'application/json', buffer: Buffer.from('{"levels": [') },
    { name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{"a": 1}') },
    { name: 'evil.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify({ model: '<img src=x onerror=alert(1)>', levels: [{ time_to_first_token: { p50: '9' } }] })) }]);
  await page.waitForFunction(() => document.querySelectorAll('#bench-list li').length === 3);
  const told = await page.locator('#bench-wrong').innerText();
  assert.match(told, /torn\.json: this is not JSON/);
  assert.match(told, /other\.json: this is not a report/);
  assert.equal(await page.locator('#bench-list img').count(), 0, 'a name is text');
  await page.focus('#bench-list li:first-child button');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('#bench-list li').length === 2);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'bench-files');
  assert.deepEqual(wrong, []);
  await close();
});

test('axe finds no violation in opened reports, in both colours and on a phone', async () => {
  for (const look of looks) {
    const { page, close } = await openPage(`${house.open}/#bench`, { ...look, bypassCSP: true });
    await isFilled(page, 'bench', files());
    await assertAccessible(page, look.name);
    await close();
  }
});

test('the page that bench writes is whole, silent, accessible and asks no other host, in both colours and on a phone', async () => {
  const html = readFileSync(reports[0].html);
  // Serves the page over HTTP, because a page that was opened from a file has no host.
  const server = createServer((sent, answer) => {
    answer.setHeader('content-type', 'text/html; charset=utf-8');
    answer.end(sent.url === '/' ? html : '');
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  for (const look of looks) {
    const { page, wrong, asked, close } = await openPage(`http://127.0.0.1:${server.address().port}/`, { ...look, bypassCSP: true });
    assert.equal(await page.locator('h1').innerText(), 'fast-model');
    assert.ok(await page.locator('figure svg').count() >= 4, 'its curves');
    assert.ok(await page.locator('figure svg path').first().evaluate((each) => each.getBoundingClientRect().width > 50), 'a curve is seen');
    await assertFits(page, look.name);
    await picture(page, `bench-html-${look.name}`);
    await assertAccessible(page, look.name);
    assert.deepEqual(asked.map((sent) => new URL(sent.url()).pathname).filter((path) => path !== '/' && path !== '/favicon.ico'), []);
    assert.deepEqual(wrong, [], look.name);
    await close();
  }
  server.close();
});
