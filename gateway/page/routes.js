// What each route does, and what its losers cost against what they may.

views.routes = (() => {
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
      parts.push(make('p', {}, make('b', {}, `${percent(extra)} extra cost`), make('span', { className: 'dim' }, ` of at most ${percent(known.max_extra_cost)}, since the start`)),
        make('span', { className: `bar wide${share > 1 ? ' over' : ''}`, role: 'meter', 'aria-label': 'Extra cost against its ceiling', 'aria-valuemin': '0', 'aria-valuemax': '100', 'aria-valuenow': String(Math.min(100, Math.round(share * 100))) }, inner));
      const text = (value) => currency === 'usd' ? dollars(value) : `${count(value)} tokens`;
      parts.push(facts([['winners', text(cost.winner)], ['hedges', text(cost.hedge)], ['trials', text(cost.trial)], ['rescues', text(cost.rescue)],
        ['budget now', known.budget_fill === null ? null : `${percent(known.budget_fill)} full`], ['hedges held back', count(known.hedges_held_back)]]));
    }
    if (sum(known.starts) > 0)
      parts.push(make('p', {}, 'Attempts started: ', Object.entries(known.starts).map(([why, times]) => make('span', { className: 'chip' }, `${why} ${count(times)}`))));
    return parts;
  }
  function targetItem(name) {
    const known = feed.targets.find((each) => each.target === name);
    const state = known?.cooldown ? make('span', { className: 'chip warn' }, `${known.cooldown.limited ? 'limited' : 'cools down'}, ${Math.ceil(known.cooldown.seconds)} s`) : null;
    return make('li', {}, dot(name), name, ' ', state, known && known.in_flight > 0 ? make('span', { className: 'chip' }, `${count(known.in_flight)} in flight`) : null);
  }
  function card(route) {
    return make('article', { className: 'panel card' },
      make('h3', {}, route.route, make('span', { className: 'badge' }, route.policy)),
      make('p', { className: 'dim' }, policyWords(route)), make('ol', {}, route.targets.map(targetItem)),
      facts([['requests', count(route.requests)], ['in flight', count(route.in_flight)]]),
      route.speculation ? budgetParts(route.speculation) : null);
  }
  return {
    recolour() { if (feed !== null && shownView === 'routes') this.feed(); },
    feed() {
      if ($('routes').contains(document.activeElement)) return;
      $('routes').replaceChildren(...(feed.routes.length > 0 ? feed.routes.map(card)
        : [make('p', { className: 'dim' }, 'No route is configured: targets are called directly.')]));
    },
  };
})();
