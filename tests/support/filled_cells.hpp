// Counts once in every cell of a series, whichever metrics the table gives it.
#pragma once

#include "metrics/shard.hpp"

namespace photofinish::metrics {

void fill(auto& cell) {
  if constexpr (requires { cell.observe(1.0); }) cell.observe(1.0);
  else cell.add(1);
}

template <class Word, class Cells>
void fill(by<Word, Cells>& cells) {
  for (std::size_t index = 0; index < words_of<Word>.size(); ++index) fill(cells[static_cast<Word>(index)]);
}

template <class Owner>
void fill_cells(Owner& series) {
  Owner::for_each_row([&]<const auto& Row>() { fill(series.template cell<Row>()); });
}

// One series of each kind.
inline void fill_series(shard& worker) {
  target_series& target = worker.declare_target("groq", "m");
  route_series& route = worker.declare_route("fast");
  client_series& client = worker.declare_client("search");
  worker.observe({.route = route, .client = client});
  fill_cells(worker);
  fill_cells(target);
  fill_cells(target.provider);
  fill_cells(route);
  fill_cells(*route.by_client[client.index]);
  fill_cells(worker.declare_usage("search", "web"));
  fill_cells(worker.limit("team", "web"));
  fill_cells(worker.declare_project("atlas"));
  fill_cells(worker.declare_guardrail("pii"));
}

}  // namespace photofinish::metrics
