// The view of targets: their speeds, wins and failures, and how their speed depends on the load.

views.targets = (() => {
  let stats = null, statsAt = 0, isAsking = false, charts = [];
  const chosen = () => document.querySelector('#window input:checked').value;

  const quantileText = (figures, name, text) => figures === undefined || figures[name] === undefined ? '–'
    : `${figures.at_least?.includes(name) ? '> ' : ''}${text(figures[name])}`;

  function quantiles(figures, text) {
    return ['p50', 'p95', 'p99'].map((name) => make('td', { className: 'number' }, quantileText(figures, name, text)));
  }
  function bar(share) {
    const inner = make('i');
    inner.style.width = `${Math.min(100, share * 100)}%`;
    return make('span', { className: 'bar', 'aria-hidden': 'true' }, inner);
  }
  function winCell(attempts) {
    const all = sum(attempts), won = (attempts.won ?? 0) + (attempts.broken ?? 0);
    if (all === 0) return make('td', {}, '–');
    return make('td', {}, bar(won / all), make('span', {}, percent(won / all)), make('span', { className: 'dim' }, ` of ${count(all)}`));
  }
  function failureCell(failures) {
    const all = Object.entries(failures).sort((a, b) => b[1] - a[1]);
    if (all.length === 0) return make('td', { className: 'dim' }, 'none');
    return make('td', { className: 'wraps' }, all.map(([reason, times]) =>
      make('span', { className: 'chip bad' }, `${reason.replaceAll('_', ' ')} ${count(times)}`)));
  }
  function stateCell(each) {
    const parts = [];
    if (each.cooldown)
      parts.push(make('span', { className: 'chip warn' }, `${each.cooldown.limited ? 'limited' : 'cools down'}, ${Math.ceil(each.cooldown.seconds)} s`));
    if (each.cooldown_callers) parts.push(make('span', { className: 'chip warn' }, `cools for ${count(each.cooldown_callers)} callers`));
    return make('td', {}, parts.length > 0 ? parts : make('span', { className: 'good' }, 'ready'));
  }
  function priceCell(each) {
    const price = each.price_per_million;
    return make('td', {}, price === null ? (each.unpriced > 0 ? make('span', { className: 'warn' }, 'unknown') : '–')
                                         : `${dollars(price.input)} / ${dollars(price.output)}`);
  }
  function row(each) {
    const figures = stats?.targets.find((known) => known.target === each.target);
    return make('tr', {}, make('th', { scope: 'row' }, dot(each.target), each.target),
      quantiles(figures?.ttft_seconds, duration), quantiles(figures?.tokens_per_second, digits), winCell(each.attempts),
      failureCell(each.failures), make('td', { className: 'number' }, dollars(each.cost_usd.winner)),
      make('td', { className: 'number' }, dollars(each.cost_usd.loser)),
      make('td', { className: 'number' }, count(each.in_flight)), stateCell(each), priceCell(each));
  }
  function tellTable() {
    const body = $('targets').tBodies[0];
    const all = feed.targets.map(row);
    body.replaceChildren(...(all.length > 0 ? all
      : [make('tr', {}, make('td', { colSpan: 14, className: 'dim' }, 'No target has been asked yet.'))]));
  }

  // Returns the middle of a load class on a logarithmic scale. Each load class is two or four times as large as the
  // previous class.
  const middle = (range) => range.below === null ? range.from * 1.4 : range.from === 0 ? range.below / 2 : Math.sqrt(range.from * Math.max(range.from, range.below - 1));

  // Returns the load at which the speed for each user falls to four fifths of its best value. Interpolates between two
  // measured load classes.
  function kneeOf(target) {
    const known = target.by_concurrency.filter((each) => each.tokens_per_second.count >= 5)
      .map((each) => ({ at: middle(each), speed: each.tokens_per_second.p50 }));
    if (known.length < 2) return null;
    let best = 0;
    for (let place = 0; place < known.length; ++place) {
      if (known[place].speed > known[best].speed) best = place;
      const limit = known[best].speed * 0.8;
      if (known[place].speed > limit) continue;
      const before = known[place - 1], here = known[place];
      const share = (before.speed - limit) / (before.speed - here.speed);
      return { at: Math.max(1, Math.round(before.at * (here.at / before.at) ** share)), most: known.at(-1).at };
    }
    return { at: null, most: Math.round(known.at(-1).at) };
  }
  function sentence(target, words) { return make('li', {}, dot(target), make('b', {}, target), ` ${words}`); }
  function kneeWords(target) {
    const knee = kneeOf(target);
    if (knee === null) return sentence(target.target, 'has not been asked at different loads yet.');
    return sentence(target.target, knee.at === null ? `keeps its speed up to ${knee.most} in flight.`
                                                    : `per-user speed falls 20 % at ${knee.at} in flight.`);
  }
  function slopeWords(target) {
    const known = target.by_input_tokens.filter((each) => each.ttft_seconds.p50 !== undefined);
    if (known.length === 0) return null;
    const first = known[0], last = known.at(-1);
    const tokens = (range) => range.below === null ? `${count(range.from)} tokens and more` : `up to ${count(range.below - 1)} tokens`;
    return sentence(target.target, known.length === 1 ? `${duration(first.ttft_seconds.p50)} for prompts of ${tokens(first)}.`
      : `${duration(first.ttft_seconds.p50)} for ${tokens(first)}, ${duration(last.ttft_seconds.p50)} for ${tokens(last)}.`);
  }

  function drawCharts() {
    for (const each of charts) each.destroy();
    charts = [];
    if (stats === null || shownView !== 'targets') return;
    const used = stats.targets.filter((each) => each.ttft_seconds.count + each.ttft_seconds.censored > 0).slice(0, 12);
    const series = (member, figure) => used.map((each) => ({ name: each.target, colour: colourOf(each.target), points: each[member]
      .filter((known) => known[figure].p50 !== undefined).map((known) => [middle(known), known[figure].p50]) }))
      .filter((each) => each.points.length > 0);
    const names = (member, text) => new Map(used.flatMap((each) => each[member]).sort((a, b) => a.from - b.from)
      .map((range) => [middle(range), text(range)]));
    const short = (value) => value >= 1024 ? `${Math.round(value / 1024)}k` : String(value);
    const inFlight = ({ from, below }) => below === null ? `${from}+` : below - 1 === from ? String(from) : `${from}–${below - 1}`;
    const tokens = ({ from, below }) => below === null ? `${short(from)}+` : `<${short(below)}`;
    const load = series('by_concurrency', 'tokens_per_second'), input = series('by_input_tokens', 'ttft_seconds');
    if (load.length > 0) charts.push(curves('load', load, digits, names('by_concurrency', inFlight)));
    if (input.length > 0) charts.push(curves('input', input, duration, names('by_input_tokens', tokens)));
    $('knees').replaceChildren(...used.map(kneeWords));
    $('slopes').replaceChildren(...used.map(slopeWords).filter((each) => each !== null));
    for (const list of ['knees', 'slopes'])
      if (!$(list).firstChild) $(list).replaceChildren(make('li', {}, 'Nothing has been measured in this time.'));
  }

  async function refresh(isForced) {
    if (isAsking || (!isForced && Date.now() - statsAt < 5_000)) return;
    isAsking = true;
    const wanted = chosen();
    try {
      const got = await ask(narrowed(`v1/providers/stats?window=${wanted}`));
      const isNew = JSON.stringify(got.targets) !== JSON.stringify(stats?.targets);
      stats = got;
      statsAt = Date.now();
      if (feed !== null) tellTable();
      if (isNew || isForced) drawCharts();
    } catch { /* The feed reports that the gateway does not answer. */ } finally {
      isAsking = false;
    }
    if (wanted !== chosen()) await refresh(true);
  }

  $('window').addEventListener('change', () => refresh(true));
  let resizing = 0;
  addEventListener('resize', () => { clearTimeout(resizing); resizing = setTimeout(drawCharts, 150); });

  return {
    show() { if (stats !== null) drawCharts(); refresh(true); },
    recolour() { if (feed !== null && shownView === 'targets') { tellTable(); drawCharts(); } },
    feed() { tellTable(); refresh(false); },
  };
})();
