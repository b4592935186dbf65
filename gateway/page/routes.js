// The view of routes. For each route it shows the policy, the targets of the next race and the reasons for them. It
// also shows the cost of losers, their budget, and estimates for other policies.

views.routes = (() => {
  const kept = new Map();  // maps a route to its card; the order of the cards never changes while the user reads

  function policyWords(route) {
    if (route.targets.length === 1) return 'One target: there is nothing to race.';
    const order = { listed: 'in the order listed', ttft: 'by their first token', tps: 'by their tok/s', finish: 'by the end of the answer', cost: 'by their cost' }[route.sort];
    const start = {
      all: `Starts ${Math.min(route.max_parallel, route.targets.length)} targets at once; the first token wins.`,
      hedge: `Starts one target, and a further one after each silent ${route.hedge_seconds === null ? 'delay, which it learns' : duration(route.hedge_seconds)}.`,
      fallback: 'Starts one target, and the next one where it fails.',
      adaptive: 'Starts the target that is expected to be best now, and hedges where that pays, within its budget.',
    }[route.policy];
    return `${start} Targets are considered ${order}; at most ${route.max_parallel} run at a time.`;
  }
  function budgetParts(known) {
    const spent = Object.entries(known.spent)[0];
    const parts = [];
    if (spent === undefined) {
      parts.push(make('p', { className: 'dim' }, `Extra cost: nothing spent yet, of at most ${percent(known.max_extra_cost)}.`));
    } else {
      const [currency, cost] = spent;
      const extra = (cost.hedge + cost.trial + cost.rescue) / cost.winner, share = known.max_extra_cost > 0 ? extra / known.max_extra_cost : 0;
      const inner = make('i');
      inner.style.width = `${Math.min(100, share * 100)}%`;
      parts.push(make('p', { className: 'extra' }, make('b', {}, `${percent(extra)} extra cost`), make('span', { className: 'dim' }, ` of at most ${percent(known.max_extra_cost)}, since the start`)),
        make('span', { className: `bar wide${share > 1 ? ' over' : ''}`, role: 'meter', 'aria-label': 'Extra cost against its ceiling', 'aria-valuemin': '0', 'aria-valuemax': '100', 'aria-valuenow': String(Math.min(100, Math.round(share * 100))) }, inner));
      const text = (value) => currency === 'usd' ? dollars(value) : `${count(value)} tokens`;
      parts.push(facts([['winners', text(cost.winner)], ['hedges', text(cost.hedge)], ['trials', text(cost.trial)], ['rescues', text(cost.rescue)],
        ['budget now', known.budget_fill === null ? null : `${percent(known.budget_fill)} full`], ['hedges held back', count(known.hedges_held_back)]]));
    }
    if (sum(known.starts) > 0)
      parts.push(make('p', {}, 'Attempts started: ', Object.entries(known.starts).map(([why, times]) => make('span', { className: 'chip' }, `${why} ${count(times)}`))));
    if (sum(known.moves ?? {}) > 0)
      parts.push(make('p', {}, 'Conversations that left the target with their prompt: ', Object.entries(known.moves).map(([why, times]) =>
        make('span', { className: 'chip' }, `${why} ${count(times)}`)), known.move_cost_usd > 0 ? ` ${dollars(known.move_cost_usd)} more were expected for them.` : ''));
    return parts;
  }
  function stateChips(name) {
    const known = feed.targets.find((each) => each.target === name);
    return [known?.cooldown ? make('span', { className: 'chip warn' }, `${known.cooldown.limited ? 'limited' : 'cools down'}, ${Math.ceil(known.cooldown.seconds)} s`) : null,
      known && known.in_flight > 0 ? make('span', { className: 'chip' }, `${count(known.in_flight)} in flight`) : null];
  }

  // Explains when a target would start in the next race, and why, based on the latest forecast.
  function startWords(route, next, start, place) {
    const expected = start.ttft_seconds === undefined ? '' : start.samples === 0 ? ' Nothing was measured of it yet.'
      : ` First token ${duration(start.ttft_seconds.p50)} expected (p99 ${duration(start.ttft_seconds.p99)}), then ${digits(start.tokens_per_second)} tok/s${next.request?.currency === 'usd' ? `, ${dollars(start.cost)} an answer` : ''}.`;
    const best = { ttft: 'the soonest first token, errors and cost counted', tps: 'the fastest stream', finish: 'the soonest end', cost: 'the cheapest' }[route.sort];
    const why = {
      at_once: place === 0 ? (next.by_speed ? `starts first: ${best ?? 'the first listed'}.` : 'starts first: the first listed that is ready.')
        : next.by_speed && route.policy === 'adaptive' ? 'starts with it, to meet the deadline.' : 'starts with it.',
      trial: `starts beside the first, as a trial: ${next.trial}.`,
      hedge: `starts after ${duration(start.after_seconds)} without a first token${next.silent_share !== undefined && place === 1 ? `, which ${percent(next.silent_share)} of such races see` : ''}.`,
      after_failure: 'starts where those before it have failed.',
      left_out: `is left out while another is ready: ${start.state === 'limited' ? 'its provider named a limit' : 'it failed of late'}.`,
    }[start.when] ?? start.when;
    return `${start.state !== 'ready' && start.when !== 'left_out' ? `${why} It cools down.` : why}${expected}`;
  }
  function nextParts(route) {
    const { next } = route;
    if (next === undefined) return [make('ol', {}, route.targets.map((name) => make('li', {}, dot(name), name, ' ', stateChips(name))))];
    const hints = [];
    if (next.request) hints.push(`For a request of about ${count(next.request.input_tokens)} tokens in and ${count(next.request.output_tokens)} out.`);
    if (next.saved_seconds !== undefined) hints.push(`The hedge saves ${duration(next.saved_seconds)} a race, with what it costs.`);
    else if (route.policy === 'adaptive' && next.by_speed && route.targets.length > 1) hints.push('No hedge now: it would cost more than it saves.');
    if (next.rescue_seconds !== undefined) hints.push(`Where all are silent for ${duration(next.rescue_seconds)} more, another starts whatever it costs.`);
    if (route.policy === 'adaptive' && !next.by_speed) hints.push('Nothing is known of its targets yet.');
    return [make('h4', {}, 'Next race'), make('ol', { className: 'next' }, next.starts.map((start, place) =>
      make('li', {}, dot(start.target), make('b', {}, start.target), ` ${startWords(route, next, start, place)} `, stateChips(start.target)))),
      hints.length > 0 ? make('p', { className: 'hint' }, hints.join(' ')) : null];
  }

  function tell(card, route) {
    card.head.replaceChildren(route.route, make('span', { className: 'badge' }, route.policy));
    card.words.textContent = policyWords(route);
    card.live.replaceChildren(...[...nextParts(route), facts([['requests', count(route.requests)], ['in flight', count(route.in_flight)]]),
      ...(route.speculation ? budgetParts(route.speculation) : [])].filter((each) => each !== null));
  }
  function cardOf(route) {
    if (!kept.has(route.route)) {
      const card = { head: make('h3', {}), words: make('p', { className: 'dim' }), live: make('div', {}), advice: make('div', {}) };
      card.all = make('article', { className: 'panel card' }, card.head, card.words, card.live, card.advice);
      kept.set(route.route, card);
    }
    return kept.get(route.route);
  }
  function tellAdvice() {
    for (const [name, card] of kept) card.advice.replaceChildren(...adviceParts(name));
  }
  function tellAll() {
    const cards = feed.routes.map((route) => { const card = cardOf(route); tell(card, route); return card.all; });
    const shown = [...$('routes').children];
    if (cards.length === 0) $('routes').replaceChildren(make('p', { className: 'dim' }, 'No route is configured: targets are called directly.'));
    else if (cards.length !== shown.length || cards.some((each, place) => each !== shown[place])) {
      $('routes').replaceChildren(...cards);
      tellAdvice();
    }
  }

  return {
    recolour() { if (feed !== null && shownView === 'routes') tellAll(); },
    feed() { tellAll(); refreshAdvice(tellAdvice); },
  };
})();
