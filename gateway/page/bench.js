// Shows reports and scorecards of `photofinish bench` in common charts and in one table. The user opens the files in
// the browser, and no data is sent to any server.

views.bench = (() => {
  const mostReports = 12, mostBytes = 32_000_000;
  let reports = [], charts = [];
  const part = () => document.querySelector('#bench-part input:checked').value;
  // If higher values of a metric are better, the slow requests are at the low percentiles: p5 is used instead of p95.
  const slowEnd = { p50: 'p50', p95: 'p5', p99: 'p1' };

  const figures = [
    { words: 'TTFT p50', of: ['time_to_first_token', 'p50'], unit: 'ms', better: 'low' },
    { words: 'TTFT p95', of: ['time_to_first_token', 'p95'], unit: 'ms', better: 'low' },
    { words: 'TTFT p99', of: ['time_to_first_token', 'p99'], unit: 'ms', better: 'low' },
    { words: 'tok/s of one user, p50', of: ['output_token_throughput_per_user', 'p50'], better: 'high' },
    { words: 'tok/s of one user, p5', of: ['output_token_throughput_per_user', 'p5'], better: 'high' },
    { words: 'Whole answer p50', of: ['request_latency', 'p50'], unit: 'ms', better: 'low' },
    { words: 'Whole answer p95', of: ['request_latency', 'p95'], unit: 'ms', better: 'low' },
    { words: 'tok/s of all users', of: ['output_token_throughput', 'avg'], better: 'high' },
    { words: 'Requests a second', of: ['request_throughput', 'avg'], better: 'high' },
    { words: 'Answers', of: ['request_count', 'avg'] },
    { words: 'Failed, %', of: ['request_error_rate', 'avg'], better: 'low' },
    { words: 'USD a request', of: ['usd_per_request', 'avg'], unit: 'usd', better: 'low' },
  ];

  // The quantity that a bench varies from one measurement to the next: concurrent requests, requests per second, or
  // input tokens per prompt.
  const kinds = {
    concurrency: { words: (load) => `${load} at once`, short: String },
    rate: { words: (load) => `${load} requests a second`, short: (load) => `${load}/s` },
    input: { words: (load) => `${count(load)} input tokens`, short: (load) => load >= 1000 ? `${load / 1000}k` : String(load) },
  };
  function levelOf(figures) {
    const load = figures.input_config?.loadgen ?? {};
    return typeof load.request_rate === 'number' ? { kind: 'rate', load: load.request_rate, figures }
      : { kind: 'concurrency', load: Number(load.concurrency) || 1, figures };
  }
  const loadWords = (level) => kinds[level.kind].words(level.load);
  function valueOf(level, [metric, statistic]) {
    const value = level?.figures[metric]?.[statistic];
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  }
  const text = (value, unit) => value === null ? '–' : unit === 'ms' ? duration(value / 1000) : unit === 'usd' ? dollars(value) : digits(value);
  const colour = (place) => palettes[isDark() ? 'dark' : 'light'][place % 8];

  const isObject = (value) => value !== null && typeof value === 'object';
  function reportOf(found, model, url, file, levels) {
    let host = url;
    try { host = new URL(url).host; } catch { /* The text is not a URL: show it unchanged. */ }
    if (levels.length === 0) throw new Error('no level was measured');
    return { name: host ? `${model} at ${host}` : model, file, levels: levels.sort((a, b) => a.load - b.load), begun: found.start_time,
      cost: found.cost_usd, said: [], wasCancelled: found.was_cancelled === true };
  }
  // Converts each endpoint of a scorecard into a report with one measurement for each input size. The first report also
  // contains the sentences about the fastest endpoint.
  function readCard(found, file) {
    const made = found.endpoints.filter(isObject).map((endpoint) => reportOf({ ...found, cost_usd: endpoint.cost_usd ?? undefined },
      String(endpoint.model), String(endpoint.url), file, found.cells.filter((cell) => isObject(cell) && cell.endpoint === endpoint.endpoint && isObject(cell.figures))
        .map((cell) => ({ kind: 'input', load: Number(cell.input_tokens) || 1, figures: { ...cell.figures, usd_per_request: { avg: cell.usd_per_request } } }))));
    if (made.length > 0) made[0].said = (found.fastest ?? []).map((each) => String(each.words));
    return made;
  }
  // Reads one of three formats: a bench report with several levels of load, AIPerf's report with one level, or a
  // scorecard of several endpoints.
  function read(found, file) {
    if (Array.isArray(found?.endpoints) && Array.isArray(found.cells)) return readCard(found, file);
    const levels = Array.isArray(found?.levels) ? found.levels : found?.time_to_first_token || found?.request_latency ? [found] : null;
    if (levels === null) throw new Error('this is not a report of photofinish bench');
    const first = levels.find(isObject);
    const model = String(found.model ?? first?.input_config?.model ?? file.replace(/\.json$/, ''));
    const made = reportOf(found, model, String(found.url ?? first?.input_config?.url ?? ''), file, levels.filter(isObject).map(levelOf));
    if (found.knee?.words) made.said = [String(found.knee.words)];
    return [made];
  }
  function addReport(made) {
    let name = made.name;
    for (let number = 2; reports.some((each) => each.name === name); ++number) name = `${made.name} (${number})`;
    reports.push({ ...made, name });
  }
  async function open(files) {
    const wrong = [];
    for (const file of files) {
      try {
        if (file.size > mostBytes) throw new Error('it is larger than 32 MB');
        const made = read(JSON.parse(await file.text()), file.name);
        if (reports.length + made.length > mostReports) throw new Error(`at most ${mostReports} reports are shown`);
        made.forEach(addReport);
      } catch (error) {
        wrong.push(`${file.name}: ${error instanceof SyntaxError ? 'this is not JSON' : error.message}`);
      }
    }
    $('bench-wrong').textContent = wrong.join('; ');
    tell();
  }

  function item(report, place) {
    const mark = make('i', { className: 'dot', 'aria-hidden': 'true' });
    mark.style.background = colour(place);
    const close = make('button', { type: 'button', className: 'quiet', 'aria-label': `Close ${report.name}` }, '✕');
    close.addEventListener('click', () => {
      reports = reports.filter((each) => each !== report);
      tell();
      $('bench-files').focus();
    });
    const told = [report.file, report.begun && new Date(report.begun).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' }),
      `${loadWords(report.levels[0])}${report.levels.length > 1 ? ` to ${loadWords(report.levels.at(-1))}` : ''}`,
      report.cost !== undefined ? dollars(report.cost) : null, report.wasCancelled ? 'cut short' : null].filter(Boolean).join(' · ');
    return make('li', { className: 'panel' }, make('span', {}, mark, make('b', {}, report.name)), close, make('p', { className: 'hint' }, told),
      report.said.map((words) => make('p', {}, words)));
  }

  // Reports can share an axis only if their measurements vary the same quantity, such as concurrent requests.
  const kindShown = () => reports[0].levels[0].kind;
  function drawCharts() {
    for (const each of charts) each.destroy();
    charts = [];
    if (reports.length === 0 || shownView !== 'bench') return;
    const all = reports.map((report) => ({ ...report, levels: report.levels.filter((each) => each.kind === kindShown()) }));
    const names = new Map([...new Set(all.flatMap((each) => each.levels.map((level) => level.load)))].sort((a, b) => a - b)
      .map((load) => [load, kinds[kindShown()].short(load)]));
    const add = (kind, of, values) => {
      const series = all.map((each, place) => ({ name: each.name, colour: colour(place), points: each.levels
        .map((level) => [level.load, valueOf(level, of)]).filter(([, value]) => value !== null) })).filter((each) => each.points.length > 0);
      if (series.length > 0) charts.push(curves(kind, series, values, names));
    };
    add('bench-ttft', ['time_to_first_token', part()], (value) => duration(value / 1000));
    add('bench-speed', ['output_token_throughput_per_user', slowEnd[part()]], digits);
    add('bench-all', ['output_token_throughput', 'avg'], digits);
  }

  function tellLoads() {
    const loads = [...new Map(reports.flatMap((each) => each.levels.map((level) => [loadWords(level), level])))];
    loads.sort(([, one], [, other]) => one.kind.localeCompare(other.kind) || one.load - other.load);
    const before = $('bench-load').value;
    $('bench-load').replaceChildren(...loads.map(([words]) => make('option', { value: words }, words)));
    // Selects the highest load for which all reports have measurements, because it is the best load for a comparison.
    const inAll = loads.filter(([words]) => reports.every((each) => each.levels.some((level) => loadWords(level) === words)));
    const wanted = loads.some(([words]) => words === before) ? before : (inAll.at(-1) ?? loads.at(-1))[0];
    $('bench-load').value = wanted;
  }
  function difference(value, first, better) {
    if (value === null || first === null || first === 0 || better === undefined) return null;
    const share = Math.round(100 * (value / first - 1));
    if (share === 0) return null;
    return make('span', { className: (share < 0) === (better === 'low') ? 'good' : 'bad' }, ` ${share > 0 ? '+' : '−'}${Math.abs(share)} %`);
  }
  function tellTable() {
    const levels = reports.map((each) => each.levels.find((level) => loadWords(level) === $('bench-load').value));
    $('bench-table').tHead.replaceChildren(make('tr', {}, make('th', { scope: 'col' }, 'Figure'),
      reports.map((each) => make('th', { scope: 'col', className: 'number' }, each.name))));
    const shown = figures.filter((figure) => levels.some((level) => valueOf(level, figure.of) !== null));
    $('bench-table').tBodies[0].replaceChildren(...shown.map((figure) => {
      const values = levels.map((level) => valueOf(level, figure.of));
      const known = values.filter((each) => each !== null);
      const best = figure.better === undefined || known.length < 2 ? null : figure.better === 'low' ? Math.min(...known) : Math.max(...known);
      return make('tr', {}, make('th', { scope: 'row' }, figure.words), values.map((value, place) =>
        make('td', { className: value !== null && value === best ? 'number best' : 'number' }, text(value, figure.unit),
          place > 0 ? difference(value, values[0], figure.better) : null)));
    }));
  }
  function tell() {
    $('bench-list').replaceChildren(...reports.map(item));
    $('bench-shown').hidden = reports.length === 0;
    if (reports.length === 0) return drawCharts();
    tellLoads();
    tellTable();
    drawCharts();
  }

  $('bench-files').addEventListener('change', async () => {
    await open([...$('bench-files').files]);
    $('bench-files').value = '';  // empties the file input, because otherwise the user could not open the same file
                                  // again
  });
  $('bench-load').addEventListener('change', tellTable);
  $('bench-part').addEventListener('change', drawCharts);
  let resizing = 0;
  addEventListener('resize', () => { clearTimeout(resizing); resizing = setTimeout(drawCharts, 150); });

  return { show: drawCharts, recolour() { if (shownView === 'bench') tell(); } };
})();
