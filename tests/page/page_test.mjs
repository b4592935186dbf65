// The live page as a person sees and uses it: each view in both colours, on a desk and on a phone.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import nodeTest, { after, before } from 'node:test';
import { chromium } from 'playwright-core';

import { keepBusy, measured, request, secretPrompt, startHouse, stopHouse } from './house.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const views = ['now', 'targets', 'routes', 'try'];
const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  { name: 'phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  { name: 'phone-light', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];
const images = process.env.PAGE_IMAGES;
let house, load, browser;

const test = (name, body) => nodeTest(name, { timeout: 90_000 }, body);

before(async () => {
  house = await startHouse();
  load = keepBusy(house.open);
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  if (images) mkdirSync(images, { recursive: true });
});
after(async () => {
  await browser?.close();
  await load?.stop();
  stopHouse();
});

// A page that notes what must not happen.
async function openPage(url, look = looks[0]) {
  const context = await browser.newContext({ colorScheme: look.colorScheme, viewport: look.viewport, bypassCSP: look.bypassCSP });
  const page = await context.newPage();
  const wrong = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) wrong.push(message.text()); });
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('request', (sent) => { if (!/^(data|blob):/.test(sent.url()) && new URL(sent.url()).host !== new URL(url).host) wrong.push(`asks ${sent.url()}`); });
  await page.goto(url);
  return { page, wrong, close: () => context.close() };
}
const isLive = (page) => page.waitForFunction(() => document.getElementById('pulse').className === 'pulse live');
// Filled with what the load brings.
async function isFilled(page, view) {
  await isLive(page);
  if (view === 'now') await page.waitForSelector('#latest button.link');
  if (view === 'targets') await page.waitForSelector('#chart-load canvas');
  if (view === 'routes') await page.waitForSelector('#routes article');
  if (view === 'try') await page.waitForFunction(() => document.getElementById('try-model').value !== '');
}

test('each view is whole, silent and asks no other host, in both colours and on a phone', async () => {
  for (const look of looks) {
    const { page, wrong, close } = await openPage(`${house.open}/`, look);
    for (const view of views) {
      await page.click(`#tabs a[href="#${view}"]`);
      await isFilled(page, view);
      assert.equal(await page.locator('.view:visible').count(), 1);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view} is wider than the ${look.name}`);
      if (images) {
        await page.waitForTimeout(view === 'now' ? 9_000 : 1_200);
        await page.screenshot({ path: join(images, `${view}-${look.name}.png`) });
      }
    }
    assert.deepEqual(wrong, [], look.name);
    await close();
  }
});

test('axe finds no violation in any view, in both colours and on a phone', async () => {
  for (const look of looks) {
    const { page, close } = await openPage(`${house.open}/`, { ...look, bypassCSP: true });  // to put axe into the page
    for (const view of views) {
      await page.click(`#tabs a[href="#${view}"]`);
      await isFilled(page, view);
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(found.violations.map((each) => `${each.id}: ${each.nodes.map((node) => `${node.target} ${node.failureSummary}`).join('; ')}`), [], `${view}, ${look.name}`);
    }
    await page.click('#tabs a[href="#now"]');
    await page.waitForSelector('#latest button.link');
    await page.locator('#latest button.link').last().click();
    await page.waitForSelector('#receipt table');
    const found = await page.evaluate(() => axe.run('#receipt', { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.failureSummary).join('; ')}`), [], `receipt, ${look.name}`);
    await close();
  }
});

test('a race opens its receipt by mouse and by keyboard, and Escape closes it', async () => {
  const { page, wrong, close } = await openPage(`${house.open}/`);
  await isFilled(page, 'now');
  await page.waitForFunction(() => [...races.values()].filter((each) => gatewayNow() - each.begun_ms > 5_000).length > 5);
  await page.click('#pause');
  // Somewhere in the lanes there is a race: look along the middle of the canvas as a person would.
  const box = await page.locator('#lanes').boundingBox();
  let isOpen = false;
  for (let at = 0; at < 400 && !isOpen; ++at) {
    await page.mouse.move(box.x + box.width * (0.95 - (at % 40) * 0.022), box.y + 10 + Math.floor(at / 40) * 11);
    if (await page.locator('#tip').isHidden()) continue;
    await page.mouse.down();
    await page.mouse.up();
    isOpen = await page.locator('#receipt').isVisible();
  }
  assert.ok(isOpen, 'no race in the lanes could be clicked');
  await page.waitForSelector('#receipt table', { timeout: 15_000 });
  const told = await page.locator('#receipt').innerText();
  for (const word of ['won', 'Attempts', 'winner cost']) assert.ok(told.includes(word), `${word} in ${told}`);
  if (images) await page.screenshot({ path: join(images, 'receipt-light.png') });
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('#receipt').isHidden());
  await page.locator('#latest button.link').last().focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('#receipt table', { timeout: 15_000 });
  assert.deepEqual(wrong, []);
  await close();
});

test('the page shows what /metrics and the statistics say', async () => {
  await load.stop();
  while (await measured(house.open, 'photofinish_inflight_requests') + await measured(house.open, 'photofinish_inflight_attempts') > 0)
    await new Promise((wake) => setTimeout(wake, 50));  // a client has its answer before it is counted
  const { page, close } = await openPage(`${house.open}/#targets`);
  await isFilled(page, 'targets');
  const metric = (outcome) => measured(house.open, 'photofinish_attempts_total', { provider: 'fast', model: 'small', ...(outcome && { outcome }) });
  const won = await metric('won') + await metric('broken'), all = await metric();
  assert.ok(all > 20, `${all} attempts`);
  const row = page.locator('#targets tbody tr', { hasText: 'fast/small' });
  const share = 100 * won / all;
  await row.getByText(`${share > 0 && share < 9.95 ? share.toFixed(1) : Math.round(share)} % of ${all.toLocaleString('en')}`.split(' of')[0]).waitFor();
  await row.getByText(`of ${all.toLocaleString('en')}`).waitFor();
  const total = await measured(house.open, 'photofinish_requests_total', {}) - await measured(house.open, 'photofinish_requests_total', { route: '_none' });
  await page.waitForFunction((wanted) => feed.requests.total === wanted, total);
  const limits = await measured(house.open, 'photofinish_attempts_total', { provider: 'limited', outcome: 'failed', reason: 'rate_limited' });
  assert.ok(limits > 0, 'the limited provider has limited');
  assert.ok((await page.locator('#targets tbody tr', { hasText: 'limited/medium' }).innerText()).includes(`rate limited ${limits}`));
  const stats = await (await fetch(`${house.open}/v1/providers/stats?window=15m`)).json();
  const known = stats.targets.find((each) => each.target === 'fast/small');
  await page.check('#window input[value="24h"]', { force: true });  // asks anew: what it shows is as new as `stats`
  await page.check('#window input[value="15m"]', { force: true });
  await page.waitForFunction(() => performance.getEntriesByType('resource').filter((each) => each.name.endsWith('window=15m')).length > 1);
  const ms = (seconds) => seconds < 0.9995 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;
  const bound = (name) => known.ttft_seconds.at_least.includes(name) ? '> ' : '';
  await page.waitForFunction(([text]) => [...document.querySelectorAll('#targets tbody tr')].find((each) => each.textContent.includes('fast/small')).cells[1].textContent === text, [bound('p50') + ms(known.ttft_seconds.p50)]);
  const cells = await row.locator('td').allInnerTexts();
  const usd = await measured(house.open, 'photofinish_cost_usd_total', { provider: 'fast', kind: 'winner' });
  assert.equal(Number(cells[8].slice(1)), Number(usd.toPrecision(2)), 'cost of winners');
  assert.equal(Number(cells[3].replace(',', '')), Math.round(known.tokens_per_second.p50 * (known.tokens_per_second.p50 < 100 ? 10 : 1)) / (known.tokens_per_second.p50 < 100 ? 10 : 1));
  await page.click('#tabs a[href="#now"]');
  assert.ok((await page.locator('#tiles').innerText()).includes(`${total.toLocaleString('en')}\n`), `${total} requests`);
  for (const choice of ['24h', '72h']) {
    await page.click('#tabs a[href="#targets"]');
    await page.check(`#window input[value="${choice}"]`, { force: true });
    await page.waitForFunction((wanted) => performance.getEntriesByType('resource').some((each) => each.name.endsWith(wanted)), `window=${choice}`);
  }
  await close();
  load = keepBusy(house.open);
});

test('a race by hand shows its text, its winner and its lanes', async () => {
  const { page, wrong, close } = await openPage(`${house.open}/#try`);
  await isFilled(page, 'try');
  await page.fill('#try-model', 'chat');
  await page.click('#try-form button.main');
  await page.waitForFunction(() => document.getElementById('try-facts').innerText.includes('in all'), null, { timeout: 20_000 });
  assert.ok((await page.locator('#try-text').innerText()).length > 40);
  assert.match(await page.locator('#try-facts').innerText(), /(fast|steady|limited)\//);
  await page.waitForSelector('#try-lanes:visible', { timeout: 10_000 });
  if (images) await page.screenshot({ path: join(images, 'try-raced.png') });
  await page.fill('#try-model', 'no-such-route');
  await page.click('#try-form button.main');
  await page.waitForSelector('#try-text.bad');
  assert.match(await page.locator('#try-text').innerText(), /no-such-route/);
  assert.deepEqual(wrong.filter((each) => !each.includes('404')), []);  // which the browser itself notes
  await close();
});

test('where access keys are asked for, only a key with admin opens the page', async () => {
  const { page, close } = await openPage(`${house.guarded}/`);
  await page.waitForSelector('#gate:visible');
  if (images) await page.screenshot({ path: join(images, 'gate-light.png') });
  await page.fill('#gate-key', 'key-of-search');
  await page.click('#gate-form button');
  await page.waitForFunction(() => document.getElementById('gate-why').innerText.includes('admin: true'));
  await page.fill('#gate-key', 'key-of-the-operator');
  await page.click('#gate-form button');
  await isLive(page);
  assert.ok(await page.locator('#gate').isHidden());
  assert.ok(await page.locator('#view-now').isVisible());
  assert.equal(await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })), '{}', 'a key is kept nowhere');
  await close();
});

test('no prompt, answer or key is in the feed', async () => {
  const { page, close } = await openPage(`${house.open}/`);
  await isLive(page);
  const answer = await request(house.open, 'quick', 30, { 'x-request-id': 'a-clients-own-id', 'x-provider-key-steady': 'sk-key-of-a-caller' });
  await page.waitForFunction(() => [...races.values()].filter((each) => each.answer).length > 3);
  const said = [...answer.matchAll(/"content":"([^"]{12,})"/g)].map((each) => each[1]);
  const feed = await (await fetch(`${house.open}/v1/feed`)).text();
  assert.ok(JSON.parse(feed).races.length > 3, 'races are in it');
  for (const secret of [secretPrompt, 'sk-key-of-a-caller', 'a-clients-own-id', ...said]) assert.ok(!feed.includes(secret), secret);
  await close();
});

test('the first paint takes at most twice that of an empty page', async () => {
  const empty = createServer((_, answer) => answer.end('<!doctype html><title>empty</title><p>.')).listen(0, '127.0.0.1');
  await new Promise((listening) => empty.once('listening', listening));
  const paint = async (url) => {
    const { page, close } = await openPage(url);
    const at = await page.evaluate(() => new Promise((seen) => {
      new PerformanceObserver((list) => seen(list.getEntries()[0].startTime)).observe({ type: 'paint', buffered: true });
    }));
    await close();
    return at;
  };
  // Other work on the machine only adds: the least of each side is compared, and measured on until it says something.
  const all = { empty: [], ours: [] };
  const holds = () => Math.min(...all.ours) <= 2 * Math.min(...all.empty);
  for (let round = 0; round < 27 && (round < 9 || !holds()); ++round) {
    all.empty.push(await paint(`http://127.0.0.1:${empty.address().port}/`));
    all.ours.push(await paint(`${house.open}/`));
  }
  empty.close();
  console.log(`# first paint: ${Math.min(...all.ours).toFixed(0)} ms, of an empty page ${Math.min(...all.empty).toFixed(0)} ms`);
  assert.ok(holds(), JSON.stringify(all));
});
