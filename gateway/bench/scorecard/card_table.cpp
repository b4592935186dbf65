#include "gateway/bench/scorecard/card_table.hpp"

#include "gateway/bench/report/text_rows.hpp"
#include "gateway/bench/scorecard/traffic_forecast.hpp"

namespace photofinish::gateway::bench {
namespace {

using part = double distribution::*;

std::vector<std::string> row_of(const scorecard& card, const card_cell& cell) {
  std::vector<std::string> row{letter_of(cell.endpoint)};
  for (const part which : {&distribution::p50, &distribution::p95, &distribution::p99})
    row.push_back(shown(cell.report.part("time_to_first_token", which)));
  for (const part which : {&distribution::p50, &distribution::p5})
    row.push_back(shown(cell.report.part("output_token_throughput_per_user", which)));
  for (const part which : {&distribution::p50, &distribution::p95})
    row.push_back(shown(cell.report.part("request_latency", which)));
  row.push_back(std::to_string(cell.report.succeeded));
  row.push_back(std::to_string(cell.report.failed));
  const auto price = price_at(card, cell);
  row.push_back(shown(price ? std::optional(price->input) : std::nullopt));
  row.push_back(shown(price ? std::optional(price->output) : std::nullopt));
  row.push_back(shown(cell.usd_per_request ? std::optional(*cell.usd_per_request * 1000) : std::nullopt));
  return row;
}

std::string table_of(const scorecard& card, std::size_t size) {
  text_rows table{{size_name(card.plan.input_tokens[size]), "TTFT p50", "p95", "p99", "tok/s p50", "p5", "finish p50",
                   "p95", "ok", "failed", "$/1M in", "out", "$/1,000 requests"}};
  for (const card_cell& each : card.cells)
    if (each.size == size) table.push_back(row_of(card, each));
  return aligned(table);
}

}  // namespace

std::string write_card_table(const scorecard& card) {
  text_rows endpoints;
  for (std::size_t i = 0; i < card.endpoints.size(); ++i)
    endpoints.push_back({letter_of(i) + "  " + card.endpoints[i].url + "  " + card.endpoints[i].model});
  std::string text = aligned(endpoints) + "\n";
  for (std::size_t size = 0; size < card.plan.input_tokens.size(); ++size) {
    text += table_of(card, size) + "\n";
    for (const finding& each : card.findings)
      if (each.size == size) text += "  " + words_of(each) + "\n";
    text += "\n";
  }
  for (const endpoint_forecast& each : forecast_of(card)) text += "forecast for " + words_of(each) + "\n";
  for (const std::string& each : assumptions_of(card)) text += "  " + each + "\n";
  if (card.traffic) text += "\n";
  for (const std::string& note : notes_of(card)) text += "  " + note + "\n";
  return text;
}

}  // namespace photofinish::gateway::bench
