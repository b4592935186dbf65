// Starts Chromium, opens pages in it, and records the errors of these pages.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import nodeTest from 'node:test';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const views = ['now', 'targets', 'routes', 'try', 'bench'];
export const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  { name: 'phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  { name: 'phone-light', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];

export const test = (name, body) => nodeTest(name, { timeout: 150_000 }, body);

let browser;
export async function startBrowser() {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
}
export const stopBrowser = () => browser?.close();

export async function openPage(url, look = looks[0]) {
  const context = await browser.newContext({ colorScheme: look.colorScheme, viewport: look.viewport, bypassCSP: look.bypassCSP });
  const page = await context.newPage();
  const wrong = [], asked = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) wrong.push(message.text()); });
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('request', (sent) => {
    asked.push(sent);
    if (!/^(data|blob):/.test(sent.url()) && new URL(sent.url()).host !== new URL(url).host) wrong.push(`asks ${sent.url()}`);
  });
  await page.goto(url);
  return { page, wrong, asked, close: () => context.close() };
}

// Checks the accessibility of the visible part of a page. `page` must be opened with bypassCSP, so that the test can
// load axe into the page.
export async function assertAccessible(page, where, root = 'html') {
  await page.evaluate(axe);
  const found = await page.evaluate((within) => axe.run(within, { resultTypes: ['violations'] }), root);
  assert.deepEqual(found.violations.map((each) => `${each.id}: ${each.nodes.map((node) => `${node.target} ${node.failureSummary}`).join('; ')}`), [], where);
}
export async function assertFits(page, where) {
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where} is wider than the screen`);
}

const images = process.env.PAGE_IMAGES;
if (images) mkdirSync(images, { recursive: true });
export const takesPictures = Boolean(images);
export async function picture(page, name) {
  if (images) await page.screenshot({ path: join(images, `${name}.png`) });
}

export const isLive = (page) => page.waitForFunction(() => document.getElementById('pulse').className === 'pulse live');
// Waits until a view of the live page shows figures of the test's requests. `reports` are files to open in the bench view.
export async function isFilled(page, view, reports = []) {
  await isLive(page);
  if (view === 'now') await page.waitForSelector('#latest button.link');
  if (view === 'targets') await page.waitForSelector('#chart-load canvas');
  if (view === 'routes') await page.waitForSelector('#routes article ol.next');
  if (view === 'try') await page.waitForFunction(() => document.getElementById('try-model').value !== '');
  if (view === 'bench' && reports.length > 0) {
    await page.setInputFiles('#bench-files', reports);
    await page.waitForSelector('#chart-bench-ttft canvas');
  }
}
export const showView = (page, view) => page.click(`#tabs a[href="#${view}"]`);
