// Sends a request that the user types, with the user's own keys. The page keeps these keys only in memory.

views.try = (() => {
  let running = null, lastRace = null, isListed = false, isServed = true;

  function tellFacts(pairs) { $('try-facts').replaceChildren(...facts(pairs).children); }
  function tellText(text, isError) {
    $('try-text').textContent = text;
    $('try-text').classList.toggle('bad', Boolean(isError));
  }
  function drawLanes() {
    const race = lastRace && races.get(lastRace);
    $('try-lanes').hidden = !race || race.attempts.length === 0;
    if (!$('try-lanes').hidden) drawOneRace($('try-lanes'), race);
  }

  async function listModels() {
    if (isListed) return;
    isListed = true;
    try {
      const root = await (await fetch('.', { headers: { accept: 'application/json' } })).json();
      isServed = root.serves.includes('POST /v1/chat/completions');
      if (!isServed) {
        tellText('This address is for administration: requests are raced at the address that clients use.', false);
        for (const each of $('try-form').elements) each.disabled = true;
        return;
      }
      const key = keyText();
      const got = await fetch('v1/models', { headers: key ? { authorization: `Bearer ${key}` } : {} });
      // if the models could not be listed, they are listed again when the user enters a key
      isListed = got.ok;
      const names = got.ok ? (await got.json()).data.map((each) => each.id) : (feed?.routes ?? []).map((each) => each.route);
      $('models').replaceChildren(...names.map((value) => make('option', { value })));
      if ($('try-model').value === '' && names.length > 0) $('try-model').value = names[0];
    } catch { isListed = false; }
  }
  const keyText = () => $('try-key').value.trim() || accessKey;

  // Yields the data of each server-sent event in a response body.
  async function* eventsOf(answer) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value;
      const lines = rest.split(/\r?\n/);
      rest = lines.pop();
      for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim();
    }
  }

  async function race() {
    const key = keyText();
    const begun = performance.now(), shown = { text: '', thought: '', first: null, tokens: null };
    const answer = await fetch('v1/chat/completions', {
      method: 'POST', signal: running.signal,
      headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
      body: JSON.stringify({ model: $('try-model').value.trim(), stream: true, stream_options: { include_usage: true },
                             max_tokens: Number($('try-tokens').value) || undefined, messages: [{ role: 'user', content: $('try-prompt').value }] }),
    });
    if (!answer.ok) {
      const got = await answer.json().catch(() => null);
      throw new Refused(answer.status, got?.error?.message ?? `status ${answer.status}`);
    }
    lastRace = answer.headers.get('x-race-id');
    const header = (name) => answer.headers.get(name);
    const tell = (isDone) => tellFacts([
      ['winner', header('x-race-winner')], ['first token, here', shown.first === null ? null : duration(shown.first)],
      ['in the gateway', header('x-race-ttft-ms') && duration(Number(header('x-race-ttft-ms')) / 1000)],
      ['attempts', header('x-race-attempts')], ['left out', header('x-race-skipped')],
      ['tokens', shown.tokens && count(shown.tokens)], ['in all', isDone ? duration((performance.now() - begun) / 1000) : null]]);
    tell(false);
    for await (const data of eventsOf(answer)) {
      if (data === '[DONE]') break;
      const event = JSON.parse(data);
      if (event.error) throw new Refused(200, event.error.message);
      const delta = event.choices?.[0]?.delta ?? {};
      const added = (delta.content ?? '') + (delta.reasoning_content ?? '');
      if (added !== '' && shown.first === null) { shown.first = (performance.now() - begun) / 1000; tell(false); }
      shown.text += delta.content ?? '';
      shown.thought += delta.reasoning_content ?? '';
      shown.tokens = event.usage?.completion_tokens ?? shown.tokens;
      if (added !== '') tellText(shown.text || shown.thought, false);
    }
    tell(true);
  }

  $('try-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    if (running) return;
    running = new AbortController();
    $('try-stop').disabled = false;
    tellFacts([]);
    tellText('', false);
    lastRace = null;
    drawLanes();
    try { await race(); } catch (error) {
      if (error.name !== 'AbortError') tellText(error.message, true);
    } finally {
      running = null;
      $('try-stop').disabled = true;
    }
  });
  $('try-stop').addEventListener('click', () => running?.abort());
  $('try-key').addEventListener('change', () => { isListed = false; listModels(); });

  return { show: () => { listModels(); drawLanes(); }, feed: drawLanes, recolour: () => { if (shownView === 'try') drawLanes(); } };
})();
