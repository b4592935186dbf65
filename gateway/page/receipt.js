// Shows the receipt of a race: its request, its expected and actual times, its attempts and its cost. The view also
// lists the slowest recent races.

function facts(pairs) {
  return make('dl', { className: 'facts' }, pairs.filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))));
}
// Creates a table. A column whose name begins with # contains numbers.
function table(head, rows, label) {
  const heads = head.map((each) => make('th', { scope: 'col', className: each.startsWith('#') ? 'number' : '' },
                                        each.replace('#', '')));
  const body = rows.map((row) => make('tr', {}, row.map((cell, at) =>
    make('td', { className: head[at].startsWith('#') ? 'number' : '' }, cell))));
  return make('div', { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': label },
              make('table', {}, make('thead', {}, make('tr', {}, heads)), make('tbody', {}, body)));
}
function named(target) { return make('span', {}, dot(target), target); }

const whyWords = {
  first: 'began', together: 'began with it', hedge: 'a hedge', twin: 'a twin', trial: 'a trial', failure: 'after a failure', rescue: 'a rescue',
};
const holdWords = {
  overtaken: 'a target that was expected to finish sooner sent its first token',
  stayed_ahead: 'another target sent its first token, but was not expected to finish sooner',
  turned: 'the other targets were silent for too long to finish sooner', complete: 'the answer that was held back was complete',
  full: 'the buffer for the answer that was held back was full', alone: 'no other attempt was running', failed: 'it failed',
  race_over: 'the race was over',
};
const crawlWords = { cut: 'and was cut', replaced: 'and the runner-up answered instead' };

// Describes the value of `prompt_cache` in a race or its receipt. Returns nothing if the race was planned without
// regard to prompt caches.
const moveWords = {
  slower: 'because it is slower', failing: 'because it fails', limited: 'because it is limited',
  expired: 'because its cache has probably dropped the prompt', trial: 'to try another target',
};
function cacheWords(cache) {
  if (!cache) return '';
  if (cache.moved_from) return `moved from ${cache.moved_from} ${moveWords[cache.move_cause] ?? cache.move_cause}`;
  return cache.warm_first ? 'stayed at the target that has its prompt' : 'no target has its prompt in a cache';
}

// Splits the duration of a race into parts {seconds, words}, with the longest part first. `race` is a race from the
// list of races, or a receipt.
function timeParts(race, winner) {
  const parts = [];
  const add = (seconds, words) => { if (seconds > 0.0005) parts.push({ seconds, words: `${duration(seconds)} ${words}` }); };
  const failed = race.attempts.filter((each) => each.end === 'failed');
  const reasons = [...new Set(failed.map((each) => `${each.target}: ${(each.failure ?? 'failed').replaceAll('_', ' ')}`))].join(', ');
  const won = winner === null ? null : race.attempts[winner];
  if (won === null) {
    add(race.answer?.seconds ?? 0, reasons ? `without an answer (${reasons})` : 'without an answer');
    return parts;
  }
  add(won.started_seconds, `until ${won.target} started${reasons ? `, behind ${reasons}` : won.why === 'first' ? '' : `, as ${whyWords[won.why] ?? won.why}`}`);
  add((won.first_token_seconds ?? won.started_seconds) - won.started_seconds, `until its first token`);
  const told = race.answer?.output_tokens ? `${count(race.answer.output_tokens)} tokens${race.answer.tokens_per_second ? ` at ${digits(race.answer.tokens_per_second)}/s` : ''}` : 'its answer';
  if (race.answer) add(race.answer.seconds - (won.first_token_seconds ?? 0), `for ${told}`);
  return parts.sort((a, b) => b.seconds - a.seconds);
}

function planParts(page) {
  const { choice } = page;
  const words = [];
  const starts = [];
  if (choice?.hedge) starts.push(`${choice.hedge.twin ? 'a twin of it' : 'a hedge'} after ${duration(choice.hedge.after_seconds)}, which ${percent(choice.hedge.silent_share)} of such races see`);
  if (choice?.third) starts.push(`a third after ${duration(choice.third.after_seconds)}`);
  if (choice?.trial) starts.push(`a trial of ${choice.trial.target} (${choice.trial.why})`);
  if (choice?.rescue) starts.push(`a rescue after ${duration(choice.rescue.after_seconds)} of silence`);
  if (choice) words.push(`Planned: ${choice.order.slice(0, 1).join('')} first${starts.map((each) => `, ${each}`).join('')}.`);
  if (choice?.prompt_cache) {
    const cost = choice.prompt_cache.move_cost_usd;
    words.push(`The conversation, of ${count(choice.prompt_cache.turns)} answers, ${cacheWords(choice.prompt_cache)}${cost > 0 ? `: ${dollars(cost)} more were expected` : ''}.`);
  }
  if (choice?.hedge) words.push(`The hedge was to save ${duration(Math.max(0, choice.value_without_hedge_seconds - choice.value_seconds))} on average, with what it costs.`);
  if (choice?.deadline?.seconds) {
    const { seconds, chance, started_more, end } = choice.deadline;
    words.push(`Deadline ${duration(seconds)}: ${percent(chance)} likely${started_more ? ', so more started at once' : ''}${end ? `; ${end}` : ''}.`);
  }
  if (page.hold)
    words.push(`${page.hold.target} was held for ${duration(page.hold.ended_seconds - page.hold.began_seconds)}, from ${duration(page.hold.began_seconds)} on: ${holdWords[page.hold.why] ?? page.hold.why}.`);
  for (const each of page.continued ?? [])
    words.push(`It broke off (${each.because}), ${each.target ? `and ${each.target} went on with it: ${each.outcome}` : 'and no target could go on with it'}.`);
  for (const each of page.crawls ?? [])
    words.push(`${each.target} crawled at ${digits(each.tokens_per_second)} tok/s over ${duration(each.over_seconds)} (at least ${digits(each.min_tokens_per_second)} are asked for) ${crawlWords[each.end] ?? 'and went on'}.`);
  for (const each of page.skipped) words.push(`Left out: ${each.target} (${each.reason.replaceAll('_', ' ')}).`);
  return words.length > 0 ? [make('h3', {}, 'Why so'), make('ul', { className: 'words' }, words.map((each) => make('li', {}, each)))] : [];
}

// Compares a race with its forecast, and describes in words whether it was slow.
function verdictOf(page) {
  const predicted = page.choice?.predicted_ttft_seconds;
  const token = page.attempts.find((each) => each.end === 'won')?.first_token_seconds;
  if (!predicted || token === undefined) return null;
  const than = token <= predicted.p50 ? 'among the faster half' : token <= predicted.p90 ? 'among the slower half, not among the slowest tenth'
    : token <= predicted.p99 ? 'among the slowest tenth' : 'among the slowest hundredth';
  return make('p', { className: token > predicted.p90 ? 'sum bad' : 'sum' }, `First token after ${duration(token)}: ${than} of such races, as they were predicted.`);
}

// Describes a session or a project in words: its total numbers of requests and tokens, and its total cost.
function sumWords(total) {
  if (!total) return null;
  const lost = total.lost_cost_usd > 0 ? `, ${dollars(total.lost_cost_usd)} of attempts that lost` : '';
  return `${count(total.requests)} ${total.requests === 1 ? 'request' : 'requests'}, ${count(total.input_tokens)} tokens in, ${count(total.output_tokens)} out, ${dollars(total.cost_usd)}${lost}`;
}

function receiptFacts(page) {
  const { choice, answer, request } = page;
  const predicted = choice?.predicted_ttft_seconds;
  const cost = (value) => choice.budget.currency === 'usd' ? dollars(value) : `${count(value)} tokens`;
  const spent = choice && [['winner', choice.cost.winner], ['hedges', choice.cost.hedge], ['trials', choice.cost.trial], ['rescues', choice.cost.rescue]]
    .filter(([, value]) => value > 0).map(([name, value]) => `${name} ${cost(value)}`).join(', ');
  return facts([
    ['route', page.route], ['rule', page.rule], ['task', request.task], ['project', request.project], ['session', request.session], ['class', request.class],
    ['policy', page.policy === 'adaptive' ? `${page.policy}, ${page.sort}` : page.policy], ['wins on', page.win_on === 'any' ? null : page.win_on],
    ['won', page.winner ?? 'none'], ['begun', new Date(page.created_ms - (answer?.seconds ?? 0) * 1000).toLocaleTimeString('en-GB')],
    ['predicted first token', predicted && `${duration(predicted.p50)} (p90 ${duration(predicted.p90)}, p99 ${duration(predicted.p99)})`],
    ['margin', page.margin_seconds && duration(page.margin_seconds)],
    ['tokens', answer?.output_tokens && `${count(answer.output_tokens)}${answer.tokens_per_second ? ` at ${digits(answer.tokens_per_second)}/s` : ''}`],
    ['expected tokens', request.expected_output_tokens > 0 ? `${count(request.input_tokens)} in, ${count(request.expected_output_tokens)} out` : null],
    ['in all', answer && duration(answer.seconds)], ['status', answer && `${answer.status}${answer.outcome === 'ok' ? '' : `, ${answer.outcome.replaceAll('_', ' ')}`}`],
    ['winner cost', page.cost_usd && dollars(page.cost_usd.winner)], ['losers cost', page.cost_usd && dollars(page.cost_usd.losers)],
    ['budget for hedges', choice && `${percent(choice.budget.fill)} full`], ['held back', choice && choice.budget.held_back > 0 ? `${choice.budget.held_back} by the budget` : null],
    ['counted in the budget', spent || null],
    ['its session so far', sumWords(page.session_total)], ['its project so far', sumWords(page.project_total)],
    ['figures were', page.known.number > 0 ? `${duration(page.known.age_seconds)} old` : null],
  ]);
}

function receiptBody(page) {
  const row = races.get(page.id);
  const found = row ? row.winner : page.attempts.findIndex((each) => each.end === 'won');
  const winner = found === null || found < 0 ? null : found;
  const shape = { attempts: page.attempts, answer: page.answer, winner };
  const canvas = make('canvas', { role: 'img', 'aria-label': 'The attempts of this race; the table below says the same' });
  const times = timeParts(page, winner).map((each) => each.words);
  const parts = [make('p', { className: 'sum' }, page.summary), verdictOf(page), canvas];
  if (times.length > 0) parts.push(make('p', {}, make('b', {}, 'Its time: '), `${times.join('; ')}.`));
  parts.push(receiptFacts(page), ...planParts(page));
  const marks = (each) => [each.observed ? 'observed' : '', each.kept ? 'kept as the runner-up' : '', each.prefill_finished ? 'read the prompt to its end' : '',
    each.cached_tokens > 0 ? `${count(each.cached_tokens)} tokens from its cache` : ''].filter(Boolean).map((word) => make('span', { className: 'chip' }, word));
  parts.push(make('h3', {}, 'Attempts'), table(['Target', 'Why', '#Started', '#First token', '#Ended', 'End', '#Cost'],
    page.attempts.map((each) => [named(each.target), each.why, duration(each.started_seconds), duration(each.first_token_seconds),
      duration(each.ended_seconds), make('span', {}, each.failure ? `${each.end}: ${each.failure.replaceAll('_', ' ')} ` : `${each.end} `, marks(each)), dollars(each.cost_usd)]), 'Attempts'));
  if (page.candidates.length > 0)
    parts.push(make('h3', {}, 'What was known'), table(['Candidate', 'State', '#TTFT p50', '#p99', '#tok/s', '#Errors', '#In flight', '#Samples'],
      page.candidates.map((each) => [named(each.target), each.state, duration(each.ttft_seconds.p50), duration(each.ttft_seconds.p99),
        digits(each.tokens_per_second), percent(each.error_share), count(each.in_flight), count(each.samples)]), 'What was known'));
  const cached = page.candidates.filter((each) => each.prompt_cache);
  if (cached.length > 0)
    parts.push(make('h3', {}, 'Prompt caches'), table(['Candidate', '#Matched tokens', '#Age', '#Chance', '#Expected tokens', '#Saves'],
      cached.map(({ target, prompt_cache: cache }) => [named(target), count(cache.matched_tokens), cache.matched_tokens > 0 ? duration(cache.age_ms / 1000) : '–',
        percent(cache.hit_chance), count(cache.expected_cached_tokens), cache.cold_start_usd === undefined ? '–' : dollars(cache.cold_start_usd)]), 'Prompt caches'));
  return { parts: parts.filter((each) => each !== null), draw: () => drawOneRace(canvas, shape) };
}

let openedRace = '';
async function openReceipt(id) {
  openedRace = id;
  // Adds the race's id to the page's address, so that users can link to the race.
  history.replaceState(null, '', `#${shownView}/${encodeURIComponent(id)}`);
  $('receipt-title').textContent = id;
  $('receipt-body').replaceChildren(make('p', { className: 'dim' }, 'Its receipt is asked for.'));
  if (!$('receipt').open) $('receipt').showModal();
  while (openedRace === id && $('receipt').open) {
    try {
      const { parts, draw } = receiptBody(await ask(`v1/races/${encodeURIComponent(id)}`));
      if (openedRace !== id) return;
      $('receipt-body').replaceChildren(...parts);
      draw();
      return;
    } catch (error) {
      const isRunning = error instanceof Refused && error.status === 404 && races.has(id) && !races.get(id).answer;
      $('receipt-body').replaceChildren(make('p', { className: 'dim' }, isRunning ? 'It still runs: its receipt comes with its end.' : error.message));
      if (!isRunning) return;
      await new Promise((wake) => setTimeout(wake, 1_000));
    }
  }
}
// Opens the race whose id is in the page's address, such as #now/race_….
function openLinked() {
  const id = decodeURIComponent(location.hash.split('/')[1] ?? '');
  if (feed !== null && id !== '' && !($('receipt').open && openedRace === id)) openReceipt(id);
}
$('receipt-close').addEventListener('click', () => $('receipt').close());
$('receipt').addEventListener('click', (event) => { if (event.target === $('receipt')) $('receipt').close(); });
$('receipt').addEventListener('close', () => {
  openedRace = '';
  history.replaceState(null, '', `#${shownView}`);
});
$('find').addEventListener('submit', (event) => {
  event.preventDefault();
  // Finds the race's id in a text that the user pastes, which may be a header or a log line.
  const id = /race_\w+/.exec($('find-id').value)?.[0] ?? $('find-id').value.trim();
  if (id !== '') openReceipt(id);
});

// --- the slowest recent races ------------------------------------------------------------------------------------

const slowest = (() => {
  const most = 200, shown = 8;
  let known = [], askedAt = 0, isAsking = false;
  const chosen = () => document.querySelector('#slow-by input:checked').value;
  const winnerOf = (race) => race.winner === null ? null : race.attempts[race.winner];
  const tokenOf = (race) => winnerOf(race)?.first_token_seconds ?? race.answer?.seconds ?? 0;
  const secondsOf = (race) => chosen() === 'ttft' ? tokenOf(race) : race.answer?.seconds ?? 0;

  function row(race) {
    const open = make('button', { type: 'button', className: 'link', 'aria-haspopup': 'dialog' }, race.id.slice(0, 13));
    open.dataset.race = race.id;
    open.setAttribute('aria-label', `Slow race ${race.id.slice(5, 13)}: why and at what cost`);
    const isBad = race.answer && race.answer.outcome !== 'ok';
    return make('tr', {}, make('td', {}, open), make('td', {}, new Date(race.begun_ms).toLocaleTimeString('en-GB')), make('td', {}, race.route),
      make('td', { className: 'number' }, duration(winnerOf(race)?.first_token_seconds)), make('td', { className: 'number' }, duration(race.answer?.seconds)),
      make('td', { className: 'wraps' }, timeParts(race, race.winner).slice(0, 2).map((each) => each.words).join('; ') || '–'),
      make('td', { className: isBad ? 'bad' : '' }, endOf(race)));
  }
  function tell() {
    const body = $('slowest').tBodies[0];
    if (body.contains(document.activeElement) || body.matches(':hover')) return;
    const all = known.filter((race) => race.answer).sort((a, b) => secondsOf(b) - secondsOf(a)).slice(0, shown);
    body.replaceChildren(...(all.length > 0 ? all.map(row)
      : [make('tr', {}, make('td', { colSpan: 7, className: 'dim' }, 'No receipt is there yet: they are kept while this page is open, and while a route goes by speed.'))]));
    $('slow-of').textContent = known.length > 0 ? `of the last ${count(known.length)} receipts` : '';
  }
  async function refresh(isForced) {
    if (isAsking || (!isForced && Date.now() - askedAt < 5_000)) return;
    isAsking = true;
    try {
      known = (await ask(narrowed(`v1/races?limit=${most}`))).data;
      askedAt = Date.now();
      tell();
    } catch { /* The feed reports that the gateway does not answer. */ } finally {
      isAsking = false;
    }
  }
  $('slow-by').addEventListener('change', tell);
  $('slowest').addEventListener('click', (event) => {
    if (event.target.dataset.race) openReceipt(event.target.dataset.race);
  });
  return { refresh, tell };
})();
