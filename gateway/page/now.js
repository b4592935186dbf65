// The view of current races: each race has a lane on a common time axis. A single race can be shown in detail.

const spanMs = 20_000;
// All races are drawn with this delay. New data arrives only once a second, and without the delay the races would not
// move smoothly.
const delayMs = 2_300;
const barHeight = 7, barGap = 3, raceGap = 7, axisHeight = 24;

const endWords = {
  ok: 'done', client_error: 'client error', upstream_error: 'no answer', truncated: 'broke off',
  client_cancelled: 'client left', gateway_error: 'gateway error',
  drained: 'cut by a restart',
};
const endOf = (race) => race.answer ? endWords[race.answer.outcome] ?? race.answer.outcome
                                    : race.winner === null ? 'racing' : 'streaming';

// Draws one attempt as a bar. `x` converts the seconds since the race's start into pixels. Nothing is drawn after the
// time `now`.
function drawAttempt(pen, race, place, x, y, now) {
  const each = race.attempts[place];
  const isWinner = race.winner === place;
  const over = race.answer ? race.answer.seconds : Infinity;
  const token = each.first_token_seconds;
  const own = each.end === 'running' || (isWinner && !race.answer) ? Infinity : each.ended_seconds;
  const until = Math.min(isWinner ? over : own, now);
  if (each.started_seconds > now) return;
  const colour = colourOf(each.target);
  const waits = Math.min(token ?? until, until);
  pen.fillStyle = colour;
  pen.globalAlpha = 0.36;
  pen.fillRect(x(each.started_seconds), y, Math.max(1.5, x(waits) - x(each.started_seconds)), barHeight);
  pen.globalAlpha = 1;
  if (token !== undefined && token <= now) {
    if (isWinner && until > token) pen.fillRect(x(token), y, Math.max(1.5, x(until) - x(token)), barHeight);
    pen.fillStyle = ink('text');
    pen.fillRect(x(token) - 1, y - 2, 2.5, barHeight + 4);
  }
  if (each.why !== 'first' && x(each.started_seconds) > -20) {
    pen.strokeStyle = colour;
    pen.fillStyle = ink('panel');
    pen.lineWidth = 2;
    for (const shift of each.why === 'twin' ? [5, 0] : [0]) {
      pen.beginPath();
      pen.arc(x(each.started_seconds) + shift, y + barHeight / 2, 3.5, 0, 7);
      pen.fill();
      pen.stroke();
    }
  }
  if (own > now || isWinner) return;
  if (each.end === 'failed') {
    pen.fillStyle = ink('bad');
    pen.save();
    pen.translate(x(own), y + barHeight / 2);
    pen.rotate(Math.PI / 4);
    pen.fillRect(-4, -4, 8, 8);
    pen.restore();
  } else {
    pen.fillStyle = ink('dim');
    pen.fillRect(x(own) - 1, y - 1, 2, barHeight + 2);
  }
}

const heightOf = (race) => race.attempts.length * (barHeight + barGap) + raceGap;

function prepare(canvas, height) {
  const scale = devicePixelRatio || 1, width = canvas.clientWidth;
  if (height !== undefined) canvas.style.height = `${height}px`;
  const tall = height ?? canvas.clientHeight;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(tall * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(tall * scale);
  }
  const pen = canvas.getContext('2d');
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, tall);
  return { pen, width, height: tall };
}

// Draws one race, from its start to its end.
function drawOneRace(canvas, race) {
  const elapsed = race.answer || !race.begun_ms ? 0 : (gatewayNow() - race.begun_ms) / 1000;
  const last = Math.max(...race.attempts.map((each) => each.ended_seconds ?? 0), race.answer?.seconds ?? elapsed, 0.001);
  const { pen, width, height } = prepare(canvas, heightOf(race) + axisHeight);
  const x = (seconds) => 6 + (seconds / last) * (width - 60);
  pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  pen.textBaseline = 'bottom';
  for (let at = 0; at <= 4; ++at) {
    pen.fillStyle = ink('edge');
    pen.fillRect(x(last * at / 4), 0, 1, height - axisHeight + 4);
    pen.fillStyle = ink('dim');
    pen.fillText(duration(last * at / 4), x(last * at / 4), height - 4);
  }
  race.attempts.forEach((each, place) => drawAttempt(pen, race, place, x, 5 + place * (barHeight + barGap), race.answer ? Infinity : last));
}

views.now = (() => {
  let isPaused = false, pausedAt = 0, frame = 0, lastDrawn = 0, hovered = null;
  let drawn = [];  // the races that were drawn, and their rectangles: {race, left, right, top, bottom}
  const rows = new Map();  // maps a race's id to the upper edge of its lane

  const shownNow = () => isPaused ? pausedAt : gatewayNow() - delayMs;

  // Assigns the highest free lane to each running race. If no lane is free, the race is not drawn. A race never changes
  // its lane, even if data about an earlier race arrives after data about a later race.
  function place(all, now, room) {
    for (const id of rows.keys()) if (!races.has(id)) rows.delete(id);
    const taken = [];
    const take = (race, from) => taken.push({ from, to: from + heightOf(race), race });
    for (const race of all) if (rows.has(race.id) && rows.get(race.id) + heightOf(race) <= room) take(race, rows.get(race.id));
    const placed = new Set(taken.map((each) => each.race));
    for (const race of all) {
      if (placed.has(race)) continue;
      let from = 0;
      const clashes = taken.filter((each) => each.race.ends + 400 > race.begun_ms && each.race.begun_ms < race.ends + 400);
      for (const each of clashes.sort((a, b) => a.from - b.from))
        if (each.from < from + heightOf(race)) from = Math.max(from, each.to);
      if (from + heightOf(race) > room) continue;
      rows.set(race.id, from);
      take(race, from);
    }
    return taken;
  }

  function draw() {
    const { pen, width, height } = prepare($('lanes'));
    const now = shownNow(), pixels = (width - 14) / spanMs;
    const at = (ms) => 7 + (ms - (now - spanMs)) * pixels;
    pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    pen.textBaseline = 'middle';
    for (let second = Math.ceil((now - spanMs) / 5_000) * 5_000; second <= now; second += 5_000) {
      pen.fillStyle = ink('soft');
      pen.fillRect(at(second), 0, 1, height - axisHeight);
      pen.fillStyle = ink('dim');
      const label = new Date(second).toLocaleTimeString('en-GB');
      if (at(second) > 24 && at(second) < width - 30) pen.fillText(label, at(second) - 23, height - axisHeight / 2);
    }
    pen.fillStyle = ink('edge');
    pen.fillRect(0, height - axisHeight, width, 1);
    const all = [...races.values()].filter((race) => race.begun_ms <= now && race.attempts.length > 0);
    for (const race of all)
      race.ends = race.answer ? race.begun_ms + race.answer.seconds * 1000 : Number.MAX_SAFE_INTEGER;
    const visible = all.filter((race) => race.ends >= now - spanMs).sort((a, b) => a.begun_ms - b.begun_ms);
    drawn = [];
    for (const { from, to, race } of place(visible, now, height - axisHeight - 8)) {
      const x = (seconds) => Math.min(Math.max(at(race.begun_ms + Math.min(seconds, 1e7) * 1000), -50), width);
      const right = at(Math.min(race.ends, now));
      if (race === hovered) {
        pen.fillStyle = ink('soft');
        pen.fillRect(at(race.begun_ms) - 4, 6 + from - 3, right - at(race.begun_ms) + 8, to - from - raceGap + 5);
      }
      race.attempts.forEach((each, index) =>
        drawAttempt(pen, race, index, x, 8 + from + index * (barHeight + barGap), (now - race.begun_ms) / 1000));
      drawn.push({ race, left: at(race.begun_ms) - 4, right: right + 4, top: 6 + from, bottom: 6 + to });
    }
    $('lanes-empty').hidden = visible.length > 0 || feed === null;
  }

  function animate(time) {
    frame = 0;
    if (shownView !== 'now' || document.hidden || !$('gate').hidden) return;
    if (time - lastDrawn >= (calm.matches ? 1_000 : 33)) {
      lastDrawn = time;
      draw();
    }
    if (!isPaused) frame = requestAnimationFrame(animate);
  }
  function run() {
    if (!frame) frame = requestAnimationFrame(animate);
  }

  function find(event) {
    const box = $('lanes').getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return drawn.find((each) => each.left <= x && x <= each.right && each.top <= y && y <= each.bottom)?.race ?? null;
  }
  function tellTip(event) {
    hovered = find(event);
    $('tip').hidden = hovered === null;
    if (isPaused) draw();
    if (hovered === null) return;
    const cache = cacheWords(hovered.prompt_cache);
    $('tip').textContent = [`${hovered.route} · ${endOf(hovered)}${cache ? ` · ${cache}` : ''}`, ...hovered.attempts.map((each) =>
      `${each.target}  ${each.why}, ${each.first_token_seconds === undefined ? each.failure ?? each.end
        : `first token ${duration(each.first_token_seconds)}`}`)].join('\n');
    const box = $('lanes').getBoundingClientRect();
    const left = Math.min(event.clientX - box.left + 12, Math.max(0, box.width - $('tip').offsetWidth - 8));
    $('tip').style.left = `${left}px`;
    $('tip').style.top = `${Math.min(event.clientY - box.top + 14, box.height - $('tip').offsetHeight - 4)}px`;
  }

  function tile(value, words) {
    return make('div', { className: 'tile' }, make('b', {}, value), make('span', {}, words));
  }
  function tellTiles() {
    const { targets, requests } = feed;
    const won = targets.reduce((all, each) => all + each.cost_usd.winner, 0);
    const lost = targets.reduce((all, each) => all + each.cost_usd.loser, 0);
    const cooling = targets.filter((each) => each.cooldown).length;
    $('tiles').replaceChildren(
      tile(digits(requests.per_second), 'requests a second'), tile(count(requests.in_flight), 'in flight'),
      tile(count(requests.total), 'requests since the start'), tile(`${dollars(won)}`, 'paid for winners'),
      tile(dollars(lost), `for losers${won > 0 ? `, ${percent(lost / won)} more` : ''}`),
      tile(String(cooling), cooling === 1 ? 'target cools down' : 'targets cool down'));
  }
  function tellLegend() {
    const names = [...new Set([...races.values()].flatMap((race) => race.attempts.map((each) => each.target)))].sort();
    const shown = names.slice(0, 24);
    if ($('legend').dataset.of === shown.join()) return;
    $('legend').dataset.of = shown.join();
    $('legend').replaceChildren(...shown.map((name) => make('li', {}, dot(name), name)));
  }
  // Returns the label "warm" or "moved". Returns null if the race was planned without regard to prompt caches, or if no
  // target had the prompt in its cache.
  function cacheChip(race) {
    const cache = race.prompt_cache;
    if (!cache || (!cache.warm_first && !cache.moved_from)) return null;
    const words = cache.moved_from ? 'moved' : 'warm';
    return make('span', { className: cache.moved_from ? 'chip warn' : 'chip', title: cacheWords(cache) }, words);
  }
  function latestRow(race) {
    const winner = race.winner === null ? null : race.attempts[race.winner];
    const open = make('button', { type: 'button', className: 'link', 'aria-haspopup': 'dialog' }, race.id.slice(0, 13));
    open.dataset.race = race.id;
    open.setAttribute('aria-label', `Race ${race.id.slice(5, 13)}: why and at what cost`);
    const cost = race.cost_usd ? dollars(race.cost_usd.winner + race.cost_usd.losers) : '–';
    const isBad = race.answer && race.answer.outcome !== 'ok';
    return make('tr', {}, make('td', {}, open), make('td', {}, race.route),
      make('td', {}, winner ? dot(winner.target) : null, winner ? winner.target : '–', ' ', cacheChip(race),
        race.attempts.some((each) => each.why === 'twin') ? make('span', { className: 'chip' }, 'twin') : null),
      make('td', { className: 'number' }, duration(winner?.first_token_seconds)),
      make('td', { className: 'number' }, String(race.attempts.length)),
      make('td', { className: 'number' }, race.answer?.tokens_per_second ? digits(race.answer.tokens_per_second) : '–'),
      make('td', { className: 'number' }, cost), make('td', { className: isBad ? 'bad' : '' }, endOf(race)));
  }
  function tellLatest() {
    const body = $('latest').tBodies[0];
    const held = body.contains(document.activeElement) ? document.activeElement.dataset.race : null;
    if (held !== null || body.matches(':hover')) return;  // does not redraw the rows while the user points at them
    const newest = [...races.values()].sort((a, b) => b.begun_ms - a.begun_ms).slice(0, 12);
    body.replaceChildren(...newest.map(latestRow));
    if (newest.length === 0)
      body.replaceChildren(make('tr', {}, make('td', { colSpan: 8, className: 'dim' }, 'None since this page was opened.')));
  }

  $('pause').addEventListener('click', () => {
    pausedAt = shownNow();
    isPaused = !isPaused;
    $('pause').setAttribute('aria-pressed', String(isPaused));
    $('pause').textContent = isPaused ? 'Go on' : 'Pause';
    run();
  });
  $('lanes').addEventListener('mousemove', tellTip);
  $('lanes').addEventListener('mouseleave', () => { hovered = null; $('tip').hidden = true; });
  $('lanes').addEventListener('click', (event) => {
    const race = find(event);
    if (race !== null) openReceipt(race.id);
  });
  $('latest').addEventListener('click', (event) => {
    if (event.target.dataset.race) openReceipt(event.target.dataset.race);
  });
  addEventListener('resize', () => { if (isPaused && shownView === 'now') draw(); });
  document.addEventListener('visibilitychange', run);

  return {
    show: run,
    recolour() { $('legend').dataset.of = ''; if (feed !== null) { tellLegend(); tellLatest(); } if (isPaused) draw(); },
    feed() {
      const rate = feed.requests.per_second;
      $('now-rate').textContent = rate > feed.shown_per_second
        ? `${feed.shown_per_second} races a second are shown, of ${digits(rate)}` : 'every race is shown';
      if ((feed.gateways ?? []).length > 1) $('now-rate').textContent = feed.gateway && feed.gateway !== feed.answered_by
        ? `the races of ${feed.gateway} are shown on its own page` : `the races of ${feed.answered_by} are shown`;
      tellTiles();
      if (!isPaused) { tellLegend(); tellLatest(); slowest.refresh(false); }
      run();
    },
  };
})();
