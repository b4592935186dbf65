// Shows the latencies and costs that each policy would have had on each route. The gateway computes this advice at most
// once a minute, so the page does not request it more often.

let advice = null, adviceAskedAt = 0, isAskingAdvice = false;

async function refreshAdvice(told) {
  if (isAskingAdvice || Date.now() - adviceAskedAt < 60_000) return;
  isAskingAdvice = true;
  adviceAskedAt = Date.now();
  try {
    advice = await ask(narrowed('v1/advice'));
    $('advice-state').textContent = `What other policies would have given: as of ${new Date(advice.as_of * 1000).toLocaleTimeString('en-GB')}`;
    told();
  } catch (error) {
    $('advice-state').textContent = `What other policies would have given is not known: ${error.message}`;
    if (!(error instanceof Refused)) adviceAskedAt = Date.now() - 50_000;
  } finally {
    isAskingAdvice = false;
  }
}

function adviceParts(name) {
  const route = advice?.routes.find((each) => each.route === name);
  if (route === undefined) return [];
  const figure = (figures, which) => {
    if (!figures || figures[which] === undefined) return '–';
    if (figures.at_least.includes(which)) return `> ${duration(figures[which])}`;
    const low = figures.low?.[which], high = figures.high?.[which];
    const isWide = low !== undefined && (high === null || high > low * 1.15);
    const range = isWide ? make('span', { className: 'dim' }, ` ${duration(low)}–${high === null ? '' : duration(high)}`) : null;
    return make('span', {}, duration(figures[which]), range);
  };
  const policy = (each) => `${each.policy}${each.hedge_delay_ms === undefined ? '' : each.hedge_delay_ms === 'auto' ? ' auto' : ` ${each.hedge_delay_ms} ms`}`;
  const row = (each, words) => [words, figure(each.ttft_seconds, 'p50'), figure(each.ttft_seconds, 'p95'), figure(each.ttft_seconds, 'p99'),
    figure(each.finish_seconds, 'p50'), figure(each.finish_seconds, 'p95'), digits(each.attempts), each.extra_cost === null ? '–' : percent(each.extra_cost)];
  const rows = [row(route.present, make('b', {}, `${policy(route.present)}, as it was`)), ...route.policies.map((each) => row(each, policy(each)))];
  return [make('h4', {}, 'What each policy would have given'),
    make('p', { className: 'hint' }, `${count(route.requests)} requests since ${new Date(route.since * 1000).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}; extra cost is what losers cost beside winners, in ${route.currency === 'usd' ? 'money' : 'tokens'}.`),
    table(['Policy', '#TTFT p50', '#p95', '#p99', '#Finish p50', '#p95', '#Attempts', '#Extra cost'], rows, `What each policy would have given ${name}`),
    route.notes.length > 0 ? make('ul', { className: 'words' }, route.notes.map((each) => make('li', {}, `${each.message}.`))) : null].filter((each) => each !== null);
}
