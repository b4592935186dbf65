// Compares the figures of the live page with /metrics and the statistics. Also checks that the page's feed never
// contains private data, and how fast the page appears.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before } from 'node:test';

import { isFilled, isLive, openPage, showView, startBrowser, stopBrowser, test } from './browser.mjs';
import { keepBusy, measured, request, secretPrompt, startHouse, stopHouse } from './house.mjs';

let house, load, begunAt;
before(async () => {
  house = await startHouse();
  begunAt = Date.now();
  load = keepBusy(house.open);
  await startBrowser();
});
after(async () => {
  await stopBrowser();
  await load?.stop();
  stopHouse();
});

const ms = (seconds) => seconds < 0.0095 ? `${(seconds * 1000).toFixed(1)} ms` : seconds < 0.9995 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;
const rounded = (value) => value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
const share = (value) => `${100 * value > 0 && 100 * value < 9.95 ? (100 * value).toFixed(1) : Math.round(100 * value)} %`;
const money = (text) => Number(/\$([\d.e-]+)/.exec(text)[1]);

// Waits until no request runs and all requests are counted. The gateway counts a request a little later than its client gets the answer.
async function comeToRest() {
  await load.stop();
  while (await measured(house.open, 'photofinish_inflight_requests') + await measured(house.open, 'photofinish_inflight_attempts') > 0)
    await new Promise((wake) => setTimeout(wake, 50));
}

test('the page shows what /metrics and the statistics say', async () => {
  await new Promise((wake) => setTimeout(wake, 12_000));  // 12 s of load
  await comeToRest();
  const { page, close } = await openPage(`${house.open}/#targets`);
  await isFilled(page, 'targets');
  const rowOf = (name) => page.locator('#targets tbody tr', { hasText: name });
  for (const [provider, model] of [['fast', 'small'], ['steady', 'large'], ['limited', 'medium']]) {
    const count = (outcome) => measured(house.open, 'photofinish_attempts_total', { provider, model, ...(outcome && { outcome }) });
    const won = await count('won') + await count('broken'), all = await count();
    assert.ok(all > 5, `${all} attempts at ${provider}`);
    await rowOf(`${provider}/${model}`).getByText(`${share(won / all)} of ${all.toLocaleString('en')}`).waitFor();
    const cells = await rowOf(`${provider}/${model}`).locator('td').allInnerTexts();
    for (const [cell, kind] of [[8, 'winner'], [9, 'loser']]) {
      const usd = await measured(house.open, 'photofinish_cost_usd_total', { provider, kind });
      assert.equal(money(cells[cell]), usd >= 0.995 ? Number(usd.toFixed(2)) : Number(usd.toPrecision(2)), `${kind} cost of ${provider}`);
    }
  }
  const limits = await measured(house.open, 'photofinish_attempts_total', { provider: 'limited', outcome: 'failed', reason: 'rate_limited' });
  assert.ok(limits > 0, 'the limited provider has limited');
  assert.ok((await rowOf('limited/medium').innerText()).includes(`rate limited ${limits}`));
  for (const window of ['15m', '24h', '72h']) {
    const stats = await (await fetch(`${house.open}/v1/providers/stats?window=${window}`)).json();
    await page.check(`#window input[value="${window}"]`, { force: true });
    for (const known of stats.targets) {
      const cell = (figures, name, text) => figures[name] === undefined ? '–' : `${figures.at_least?.includes(name) ? '> ' : ''}${text(figures[name])}`;
      const wanted = ['p50', 'p95', 'p99'].map((name) => cell(known.ttft_seconds, name, ms))
        .concat(['p50', 'p95', 'p99'].map((name) => cell(known.tokens_per_second, name, rounded)));
      assert.ok(!wanted.slice(0, 3).includes('–'), `${known.target} was measured`);
      await page.waitForFunction(([name, cells]) => {
        const row = [...document.querySelectorAll('#targets tbody tr')].find((each) => each.textContent.includes(name));
        return cells.every((text, place) => row.cells[place + 1].textContent === text);
      }, [known.target, wanted], { timeout: 15_000 }).catch(async () => assert.deepEqual(await rowOf(known.target).locator('td').allInnerTexts(), wanted, window));
    }
  }
  const total = await measured(house.open, 'photofinish_requests_total') - await measured(house.open, 'photofinish_requests_total', { route: '_none' });
  await page.waitForFunction((wanted) => feed.requests.total === wanted, total);
  await showView(page, 'now');
  assert.ok((await page.locator('#tiles').innerText()).includes(`${total.toLocaleString('en')}\n`), `${total} requests`);
  await showView(page, 'routes');
  const card = page.locator('#routes article', { hasText: 'adaptive' });
  const spent = (what) => measured(house.open, 'photofinish_speculation_cost_total', { route: 'quick', kind: what });
  const winner = await spent('winner'), extra = (await spent('hedge') + await spent('trial') + await spent('rescue')) / winner;
  assert.ok(winner > 0);
  await card.getByText(`${share(extra)} extra cost`).waitFor();
  await card.getByText('of at most 10 %').waitFor();
  // The fill level of the budget changes even while no request runs, because the size of the budget shrinks over a minute.
  const isSaid = async () => (await card.innerText()).includes(`${share(await measured(house.open, 'photofinish_budget_fill', { route: 'quick' }))} full`);
  for (const until = Date.now() + 30_000; !await isSaid(); await new Promise((wake) => setTimeout(wake, 200)))
    assert.ok(Date.now() < until, await card.innerText());
  assert.ok((await card.innerText()).includes(`${(await measured(house.open, 'photofinish_requests_total', { route: 'quick' })).toLocaleString('en')}`));
  await close();
  load = keepBusy(house.open);
});

test('a route says who starts in its next race, and why', async () => {
  const { page, wrong, close } = await openPage(`${house.open}/#routes`);
  await isFilled(page, 'routes');
  const next = (await (await fetch(`${house.open}/v1/feed`)).json()).routes.find((each) => each.route === 'quick').next;
  assert.equal(next.by_speed, true);
  assert.deepEqual(next.starts.map((each) => each.target).sort(), ['fast/small', 'steady/large']);
  const card = page.locator('#routes article', { hasText: 'adaptive' });
  const first = card.locator('ol.next li').first();
  await first.getByText('starts first: the soonest first token').waitFor();
  assert.match(await first.innerText(), /First token \d+ ms expected/);
  const chat = page.locator('#routes article', { hasText: 'hedge' }).filter({ hasText: 'limited/medium' });
  // This text shows that the route starts a hedge after 120 ms.
  await chat.getByText('without a first token').first().waitFor();
  await chat.getByText(/is left out while another is ready|starts first/).first().waitFor();
  assert.deepEqual(wrong, []);
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

test('the page is one document of less than 200 kB that names no other host', async () => {
  const answer = await fetch(`${house.open}/`, { headers: { accept: 'text/html' } });
  const html = await answer.text();
  assert.match(html, /<h1>photofinish/);
  assert.ok(Buffer.byteLength(html) < 200_000, `${Buffer.byteLength(html)} bytes`);
  assert.deepEqual([...html.matchAll(/(?:src|href|url)\s*[=(]\s*["']?(https?:[^"')]+)/g)].map((each) => each[1]), []);
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
  // Compares the median times until the browser has painted an empty page and the live page. Single times depend on the browser's frames,
  // so the test continues until the result is clear.
  const all = { empty: [], ours: [] };
  const middle = (times) => [...times].sort((one, other) => one - other)[Math.floor(times.length / 2)];
  const holds = () => middle(all.ours) <= 2 * middle(all.empty);
  for (let round = 0; round < 27 && (round < 9 || !holds()); ++round) {
    all.empty.push(await paint(`http://127.0.0.1:${empty.address().port}/`));
    all.ours.push(await paint(`${house.open}/`));
  }
  empty.close();
  console.log(`# first paint: ${middle(all.ours).toFixed(0)} ms, of an empty page ${middle(all.empty).toFixed(0)} ms`);
  assert.ok(holds(), JSON.stringify(all));
});

test('a route says what each policy would have given it, as the gateway computes it', async () => {
  // waits, because the advice ignores the data of the last minute
  await new Promise((wake) => setTimeout(wake, Math.max(0, begunAt + 75_000 - Date.now())));
  const { page, wrong, asked, close } = await openPage(`${house.open}/#routes`);
  await page.waitForSelector('#routes article table');
  const advice = await (await fetch(`${house.open}/v1/advice`)).json();
  const route = advice.routes.find((each) => each.route === 'quick');
  const card = page.locator('#routes article', { hasText: 'adaptive' });
  const rows = await card.locator('table tbody tr').allInnerTexts();
  assert.equal(rows.length, 1 + route.policies.length);
  assert.ok(rows[0].startsWith('adaptive, as it was'));
  const { present } = route;
  assert.ok(rows[0].includes(`${present.ttft_seconds.at_least.includes('p50') ? '> ' : ''}${ms(present.ttft_seconds.p50)}`), rows[0]);
  for (const [place, policy] of route.policies.entries()) assert.ok(rows[place + 1].startsWith(policy.policy), rows[place + 1]);
  for (const note of route.notes) assert.ok((await card.innerText()).includes(note.message));
  await page.waitForTimeout(4_000);
  assert.equal(asked.filter((sent) => sent.url().endsWith('/v1/advice')).length, 1, 'it is asked for at most once a minute');
  assert.deepEqual(wrong, []);
  await close();
});
