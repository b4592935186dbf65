// Tests the live page as a person uses it: each view in light and dark colours, on a desktop and on a phone, with a
// mouse and with the keyboard.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { assertAccessible, assertFits, isFilled, isLive, looks, openPage, picture, showView, startBrowser, stopBrowser, takesPictures, test, views } from './browser.mjs';
import { keepBusy, startHouse, stopHouse } from './house.mjs';

let house, load;
before(async () => {
  house = await startHouse();
  load = keepBusy(house.open);
  await startBrowser();
});
after(async () => {
  await stopBrowser();
  await load?.stop();
  stopHouse();
});

test('each view is whole, silent and asks no other host, in both colours and on a phone', async () => {
  for (const look of looks) {
    const { page, wrong, close } = await openPage(`${house.open}/`, look);
    for (const view of views) {
      await showView(page, view);
      await isFilled(page, view);
      assert.equal(await page.locator('.view:visible').count(), 1);
      await assertFits(page, `${view}, ${look.name}`);
      if (takesPictures) await page.waitForTimeout(view === 'now' ? 9_000 : 1_200);
      await picture(page, `${view}-${look.name}`);
    }
    assert.deepEqual(wrong, [], look.name);
    await close();
  }
});

test('axe finds no violation in any view, the receipt and the gate, in both colours and on a phone', async () => {
  for (const look of looks) {
    // Bypasses the page's content security policy, so that the test can load axe into the page.
    const { page, close } = await openPage(`${house.open}/`, { ...look, bypassCSP: true });
    for (const view of views) {
      await showView(page, view);
      await isFilled(page, view);
      await assertAccessible(page, `${view}, ${look.name}`);
    }
    await showView(page, 'now');
    await page.waitForSelector('#latest button.link');
    await page.locator('#latest button.link').last().click();
    await page.waitForSelector('#receipt table');
    await assertAccessible(page, `receipt, ${look.name}`, '#receipt');
    await close();
    const guarded = await openPage(`${house.guarded}/`, { ...look, bypassCSP: true });
    await guarded.page.waitForSelector('#gate:visible');
    await assertFits(guarded.page, `gate, ${look.name}`);
    await assertAccessible(guarded.page, `gate, ${look.name}`);
    await guarded.close();
  }
});

test('a race opens its receipt by mouse and by keyboard, and Escape closes it', async () => {
  const { page, wrong, close } = await openPage(`${house.open}/`);
  await isFilled(page, 'now');
  await page.waitForFunction(() => [...races.values()].filter((each) => gatewayNow() - each.begun_ms > 5_000).length > 5);
  await page.click('#pause');
  // Finds a race in the page's chart by clicking on several positions in the middle of the canvas.
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
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('#receipt').isHidden());
  await page.locator('#latest button.link').last().focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('#receipt table', { timeout: 15_000 });
  assert.deepEqual(wrong, []);
  await close();
});

test('a race is found by its id and by its address, and the slowest of late say where their time went', async () => {
  const { page, wrong, close } = await openPage(`${house.open}/`);
  await isFilled(page, 'now');
  await page.waitForSelector('#slowest button.link');
  const slow = page.locator('#slowest tbody tr').first();
  assert.match(await slow.innerText(), /until its first token|for \d+ tokens|until .* started/);
  const tokens = await page.locator('#slowest tbody tr td:nth-child(4)').allInnerTexts();
  const seconds = tokens.map((each) => parseFloat(each) * (each.endsWith(' ms') ? 0.001 : 1));
  assert.deepEqual(seconds, [...seconds].sort((a, b) => b - a), 'the slowest first token stands first');
  const id = await page.locator('#slowest button.link').first().getAttribute('data-race');
  await page.fill('#find-id', `x-race-id: ${id}`);
  await page.press('#find-id', 'Enter');
  await page.waitForSelector('#receipt table');
  await page.waitForTimeout(100);
  await picture(page, 'receipt-light');
  assert.ok(page.url().endsWith(`#now/${id}`), 'the address can be sent to another');
  const told = await page.locator('#receipt').innerText();
  for (const word of ['Its time:', 'in all', 'Attempts']) assert.ok(told.includes(word), `${word} in ${told}`);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => location.hash === '#now');
  await close();
  const linked = await openPage(`${house.open}/#now/${id}`);
  await linked.page.waitForSelector('#receipt table');
  assert.equal(await linked.page.locator('#receipt-title').innerText(), id);
  await linked.page.keyboard.press('Escape');
  await linked.page.fill('#find-id', 'race_thatneverwas');
  await linked.page.press('#find-id', 'Enter');
  await linked.page.waitForFunction(() => document.getElementById('receipt-body').innerText.includes('no receipt of that race'));
  // Ignores errors with status 404, because the browser itself records an error for each 404.
  assert.deepEqual([...wrong, ...linked.wrong.filter((each) => !each.includes('404'))], []);
  await linked.close();
});

test('the receipt of an adaptive race has its plan, its prediction and its costs', async () => {
  const { page, close } = await openPage(`${house.open}/`);
  await isFilled(page, 'now');
  const id = await page.waitForFunction(async () => {
    const all = (await (await fetch('v1/races?limit=200')).json()).data.filter((each) => each.route === 'quick' && each.answer);
    for (const each of all.slice(0, 20)) {
      const receipt = await (await fetch(`v1/races/${each.id}`)).json();
      if (receipt.choice?.predicted_ttft_seconds && receipt.choice.rescue) return each.id;
    }
    return false;
  }, null, { polling: 1_000 });
  const receipt = await (await fetch(`${house.open}/v1/races/${await id.jsonValue()}`)).json();
  await page.fill('#find-id', receipt.id);
  await page.press('#find-id', 'Enter');
  await page.waitForSelector('#receipt table');
  const told = await page.locator('#receipt').innerText();
  for (const word of ['Planned:', 'a rescue after', 'p90', 'as they were predicted', 'budget for hedges', 'expected tokens', 'What was known'])
    assert.ok(told.includes(word), `${word} in ${told}`);
  if (receipt.choice.hedge) assert.ok(told.includes('a hedge after'), told);
  await close();
});

test('the receipt of a race within a session says what the session has used', async () => {
  let id = '';
  for (let turn = 0; turn < 2; ++turn) {
    const headers = { 'content-type': 'application/json', 'x-claude-code-session-id': '<b>session-7</b>' };
    const body = JSON.stringify({ model: 'alone', messages: [{ role: 'user', content: 'hi' }] });
    const answer = await fetch(`${house.open}/v1/chat/completions`, { method: 'POST', headers, body });
    assert.equal(answer.status, 200, await answer.text());
    id = answer.headers.get('x-race-id');
    while ((await fetch(`${house.open}/v1/races/${id}`)).status !== 200) await new Promise((wake) => setTimeout(wake, 50));
  }
  const { page, wrong, close } = await openPage(`${house.open}/#now/${id}`);
  await page.waitForSelector('#receipt table');
  const told = await page.locator('#receipt').innerText();
  for (const word of ['<b>session-7</b>', '2 requests, ', 'its session so far']) assert.ok(told.includes(word), `${word} in ${told}`);
  assert.deepEqual(wrong, []);
  await close();
});

test('by keyboard: the skip link, the views, the colours and the time are reached in their order', async () => {
  const { page, wrong, close } = await openPage(`${house.open}/`);
  await isFilled(page, 'now');
  const focused = () => page.evaluate(() => document.activeElement.className === 'skip' ? 'skip' : document.activeElement.hash || document.activeElement.id);
  const order = [];
  for (let step = 0; step < 8; ++step) {
    await page.keyboard.press('Tab');
    order.push(await focused());
  }
  assert.deepEqual(order, ['skip', '#now', '#targets', '#routes', '#try', '#bench', 'theme', 'pause']);
  await page.keyboard.press('Shift+Tab');
  const themes = [];
  for (let step = 0; step < 3; ++step) {
    await page.keyboard.press('Space');
    themes.push(await page.getAttribute('#theme', 'aria-label'), await page.evaluate(() => document.documentElement.hasAttribute('data-dark')));
  }
  assert.deepEqual(themes, ['Colours: dark', true, 'Colours: light', false, 'Colours: as the system', false]);
  for (let step = 0; step < 6; ++step) await page.keyboard.press('Shift+Tab');
  assert.equal(await focused(), 'skip');
  assert.ok(await page.locator('.skip').evaluate((each) => each.getBoundingClientRect().left >= 0), 'it is seen while it has the focus');
  await page.keyboard.press('Enter');
  assert.equal(await focused(), 'main');
  assert.equal(await page.evaluate(() => shownView), 'now', 'it is a link to the content, not to a view');
  await page.focus('#tabs a[href="#targets"]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#view-targets:visible');
  assert.equal(await focused(), 'main', 'a screen reader goes on at the view');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.querySelector('#window input:checked').value), '24h');
  assert.deepEqual(wrong, []);
  await close();
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
  await picture(page, 'try-raced');
  await page.fill('#try-model', 'no-such-route');
  await page.click('#try-form button.main');
  await page.waitForSelector('#try-text.bad');
  assert.match(await page.locator('#try-text').innerText(), /no-such-route/);
  assert.deepEqual(wrong.filter((each) => !each.includes('404')), []);  // ignores the 404, for which the browser itself records an error
  await close();
});

test('a race by hand goes on the keys that were typed, which stay in the memory of the page', async () => {
  const { page, asked, close } = await openPage(`${house.guarded}/#try`);
  await page.waitForSelector('#gate:visible');
  await page.fill('#gate-key', 'key-of-the-operator');
  await page.click('#gate-form button');
  await isFilled(page, 'try');
  const keysSent = () => asked.filter((sent) => sent.method() === 'POST').map((sent) => sent.headers().authorization);
  await page.fill('#try-key', 'a-key-of-no-one');
  await page.click('#try-form button.main');
  await page.waitForSelector('#try-text.bad');
  await page.fill('#try-key', 'key-of-search');
  await page.click('#try-form button.main');
  await page.waitForFunction(() => document.getElementById('try-facts').innerText.includes('in all'), null, { timeout: 20_000 });
  await page.fill('#try-key', '');
  await page.click('#try-form button.main');
  await page.waitForFunction(() => document.getElementById('try-stop').disabled);
  assert.deepEqual(keysSent(), ['Bearer a-key-of-no-one', 'Bearer key-of-search', 'Bearer key-of-the-operator']);
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
  assert.ok(!/key-of/.test(kept), kept);
  assert.ok(asked.every((sent) => !sent.url().includes('key-of')), 'no key is in an address');
  await close();
});

test('where access keys are asked for, only a key with admin opens the page', async () => {
  const { page, close } = await openPage(`${house.guarded}/`);
  await page.waitForSelector('#gate:visible');
  await picture(page, 'gate-light');
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
