// Draws line charts with a logarithmic x axis.

// Draws a chart. `series` is a list of {name, colour, points: [[x, y], …]}. `names` maps each x value to its label. The
// caption shows the values at the pointer's position. The caller must destroy the returned chart.
function curves(kind, series, values, names) {
  const places = [...names.keys()].filter((x) => series.some((each) => each.points.some(([known]) => known === x)));
  const data = [places, ...series.map((each) => places.map((x) => each.points.find(([known]) => known === x)?.[1] ?? null))];
  const line = { stroke: ink('dim'), grid: { stroke: ink('soft'), width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
  const tell = (plot) => {
    const at = plot.cursor.idx;
    $(`at-${kind}`).textContent = at === null || at === undefined ? '' : `${names.get(places[at])}: ` + series
      .map((each, which) => data[which + 1][at] === null ? '' : `${each.name} ${values(data[which + 1][at])}`).filter(Boolean).join(', ');
  };
  return new uPlot({
    width: Math.max(240, $(`chart-${kind}`).clientWidth), height: 220, padding: [8, 14, 0, 0], legend: { show: false },
    cursor: { drag: { x: false, y: false } }, hooks: { setCursor: [tell] },
    scales: { x: { time: false, distr: 3, log: 2, range: (_, low, high) => [low / 1.25, high * 1.25] }, y: { range: (_, low, high) => [0, high * 1.1 || 1] } },
    axes: [{ ...line, splits: () => places, values: () => places.map((x) => names.get(x)) }, { ...line, size: 62, values: (_, all) => all.map(values) }],
    series: [{}, ...series.map((each) => ({ label: each.name, stroke: each.colour, width: 2, spanGaps: true, points: { show: true, size: 7, fill: ink('panel') } }))],
  }, data, $(`chart-${kind}`));
}
