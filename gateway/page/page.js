// Shared code of the live page's views. The data of the page contains no text of requests or answers. The page inserts
// all data as text, never as HTML.

const $ = (id) => document.getElementById(id);

// Creates an element with properties and children. Property names that contain a dash are set as attributes.
function make(tag, props, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (name in made && !name.includes('-')) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((each) => each !== null && each !== undefined));
  return made;
}

// --- numbers as text ---------------------------------------------------------------------------------------------

function digits(value) {
  if (value === 0) return '0';
  return value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}
function duration(seconds) {
  if (seconds === undefined || seconds === null) return '–';
  if (seconds < 0.00005) return '0 ms';
  if (seconds < 0.9995) return `${seconds * 1000 < 10 ? (seconds * 1000).toFixed(1) : Math.round(seconds * 1000)} ms`;
  return seconds < 100 ? `${seconds.toFixed(2)} s` : `${Math.round(seconds)} s`;
}
function dollars(usd) {
  if (usd === undefined || usd === null) return '–';
  if (usd === 0) return '$0';
  if (usd >= 0.995) return `$${usd.toFixed(2)}`;
  return `$${usd.toPrecision(2).includes('e') ? usd.toExponential(1) : Number(usd.toPrecision(2))}`;
}
function percent(share) {
  const value = share * 100;
  return `${value > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} %`;
}
const count = (value) => Math.round(value).toLocaleString('en');
const sum = (words) => Object.values(words).reduce((all, each) => all + each, 0);

// --- colours -----------------------------------------------------------------------------------------------------

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const themes = ['auto', 'dark', 'light'];
let theme = 'auto';
const palettes = {
  light: ['#2268d1', '#c4560b', '#1c8a57', '#8549d6', '#c2347a', '#0d8595', '#94700a', '#66707f'],
  dark: ['#6ea8ff', '#f59a4b', '#4ecb8f', '#b98cff', '#f07fb0', '#3fc6d4', '#dcb53c', '#a2abb8'],
};
const colours = new Map();  // maps a target's name to the index of its colour in the palette
const isDark = () => theme === 'dark' || (theme === 'auto' && systemIsDark.matches);
function colourOf(target) {
  if (!colours.has(target)) colours.set(target, colours.size);
  const palette = palettes[isDark() ? 'dark' : 'light'];
  return palette[colours.get(target) % palette.length];
}
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
function applyTheme() {
  document.documentElement.toggleAttribute('data-dark', isDark());
  const told = { auto: 'as the system', dark: 'dark', light: 'light' }[theme];
  $('theme').setAttribute('aria-label', `Colours: ${told}`);
  $('theme').title = `Colours: ${told}`;
  $('theme').textContent = { auto: '◐', dark: '●', light: '○' }[theme];
  for (const view of Object.values(views)) view.recolour?.();
}
function dot(target) {
  const made = make('i', { className: 'dot', 'aria-hidden': 'true' });
  made.style.background = colourOf(target);
  return made;
}

// --- the gateway -------------------------------------------------------------------------------------------------

let accessKey = '';  // the access key for the page's own requests, which is stored only in memory
const views = {};    // maps the name of a view to its functions: {show?, feed?, recolour?}
let shownView = '';
let feed = null;
let clockOffset = 0;  // the difference between the gateway's clock and the browser's clock, in ms
const races = new Map();  // by id
const keptMs = 24_000;

class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}
// If the page's address contains `?gateway=NAME`, the page shows only the figures of that gateway.
const narrowedTo = new URLSearchParams(location.search).get('gateway');
function narrowed(path) {
  if (!narrowedTo) return path;
  return `${path}${path.includes('?') ? '&' : '?'}gateway=${encodeURIComponent(narrowedTo)}`;
}
function coverage(page) {
  if (page.gateway) return `gateway: ${page.gateway}`;
  const all = page.gateways ?? [];
  return `${all.filter((each) => each.is_counted).length} of ${all.length} gateways, races of ${page.answered_by}`;
}
async function ask(path) {
  const headers = accessKey ? { authorization: `Bearer ${accessKey}` } : {};
  const answer = await fetch(path, { headers, cache: 'no-store', signal: AbortSignal.timeout(8_000) });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  let told = `status ${answer.status}`;
  try { told = JSON.parse(text).error.message; } catch { /* A proxy answered without JSON. */ }
  throw new Refused(answer.status, told);
}

function takeFeed(got) {
  const offset = got.at_ms - Date.now();
  // The offset of the browser's clock is estimated from the page's updates, which may be up to a second old. The update
  // with the smallest age gives the best estimate.
  clockOffset = feed === null || offset > clockOffset || clockOffset - offset > 3_000 ? offset : clockOffset;
  if (feed !== null && got.sequence < feed.sequence) races.clear();  // another process
  feed = got;
  for (const each of got.targets) colourOf(each.target);
  for (const race of got.races) races.set(race.id, { ...races.get(race.id), ...race, seen_ms: gatewayNow() });
  for (const [id, race] of races) {
    const ended = race.answer ? race.begun_ms + race.answer.seconds * 1000 : gatewayNow();
    if (gatewayNow() - ended > keptMs + 4_000 || gatewayNow() - race.begun_ms > 3_600_000) races.delete(id);
  }
}
const gatewayNow = () => Date.now() + clockOffset;

function tellState(kind, text) {
  $('pulse').className = `pulse ${kind}`;
  $('state').textContent = text;
}
function openGate(refused) {
  $('gate-why').textContent = refused.status === 401 && accessKey === ''
    ? 'This page shows what all callers do: it opens with an access key that has admin: true.' : refused.message;
  const wasHidden = $('gate').hidden;
  $('gate').hidden = false;
  for (const each of document.querySelectorAll('.view')) each.hidden = true;
  if (wasHidden) $('gate-key').focus();
}

let pollTimer = 0, failures = 0, isPolling = false;
async function poll() {
  clearTimeout(pollTimer);
  if (isPolling || document.hidden) return;  // sends no requests while the page is hidden
  isPolling = true;
  let pause = 1_000;
  try {
    const isFirst = feed === null;
    takeFeed(await ask(narrowed(`v1/feed?since=${feed === null ? 0 : feed.sequence}`)));
    failures = 0;
    if (!$('gate').hidden) {
      $('gate').hidden = true;
      showView();
    }
    const place = ` · ${coverage(feed)}`;
    const running = `${count(feed.requests.in_flight)} in flight`;
    tellState('live', `${digits(feed.requests.per_second)} req/s · ${running}${place}`);
    $('state').title = feed.note ?? '';
    views[shownView]?.feed?.();
    if (isFirst) openLinked();
  } catch (error) {
    pause = Math.min(10_000, 1_000 * 2 ** ++failures);
    const isKept = error instanceof Refused && (error.status === 401 || error.status === 403);
    if (isKept) openGate(error);
    tellState('lost', isKept ? 'needs a key' : error instanceof Refused ? error.message : 'the gateway does not answer');
    if (isKept && $('gate-key').value === '') pause = 60_000;
  } finally {
    isPolling = false;
  }
  pollTimer = setTimeout(poll, pause);
}

function showView() {
  const wanted = location.hash.slice(1).split('/')[0];
  shownView = views[wanted] ? wanted : 'now';
  for (const name of Object.keys(views)) $(`view-${name}`).hidden = name !== shownView || !$('gate').hidden;
  for (const link of document.querySelectorAll('#tabs a')) {
    if (link.hash === `#${shownView}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${shownView[0].toUpperCase()}${shownView.slice(1)} · photofinish`;
  views[shownView].show?.();
  if (feed !== null) views[shownView].feed?.();
  openLinked();
}
