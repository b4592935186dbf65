#include "gateway/bench/scorecard/card_data.hpp"

#include "gateway/bench/report/data_report.hpp"
#include "gateway/bench/scorecard/traffic_forecast.hpp"
#include "proxy/words/decimal_text.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace photofinish::gateway::bench {
namespace {

using json = nlohmann::ordered_json;

// Converts one cell of the scorecard to a run report, so that the functions that write run reports can also write
// cells.
run_report run_of(const scorecard& card, const card_cell& cell) {
  const card_endpoint& endpoint = card.endpoints[cell.endpoint];
  run_report run;
  run.url = endpoint.url;
  run.model = endpoint.model;
  run.version = card.version;
  run.plan = card.plan.common;
  run.plan.input_tokens = card.plan.input_tokens[cell.size];
  run.clock = card.clock;
  run.begun_at = card.begun_at;
  run.ended_at = card.ended_at;
  return run;
}

json endpoint_json(const card_endpoint& of, std::size_t number) {
  json reported{{"endpoint", letter_of(number)}, {"url", of.url}, {"model", of.model}};
  reported["used_tokens"] = {
      {"input", of.used.input}, {"cached_input", of.used.cached_input}, {"output", of.used.output}};
  reported["price_source"] = proxy::word_of(of.origin);
  reported["cost_usd"] = of.cost_usd ? json(*of.cost_usd) : json(nullptr);
  return reported;
}

json cell_json(const scorecard& card, const card_cell& cell) {
  json reported{{"endpoint", letter_of(cell.endpoint)}, {"input_tokens", card.plan.input_tokens[cell.size]}};
  reported["given_up"] = cell.given_up.empty() ? json(nullptr) : json(cell.given_up);
  const auto price = price_at(card, cell);
  reported["input_usd_per_million"] = price ? json(price->input) : json(nullptr);
  reported["output_usd_per_million"] = price ? json(price->output) : json(nullptr);
  reported["usd_per_request"] = cell.usd_per_request ? json(*cell.usd_per_request) : json(nullptr);
  reported["p50_ranges"] = json::object();
  for (std::size_t i = 0; i < std::size(ranked_figures); ++i)
    if (const auto& range = cell.ranges[i])
      reported["p50_ranges"][figure_of(ranked_figures[i]).tag.data()] = {{"low", range->low}, {"high", range->high}};
  reported["figures"] = json::parse(write_level_json(run_of(card, cell), cell.report));
  return reported;
}

json letters(const std::vector<std::size_t>& endpoints) {
  json list = json::array();
  for (const std::size_t each : endpoints) list.push_back(letter_of(each));
  return list;
}

json finding_json(const scorecard& card, const finding& found) {
  json reported{{"input_tokens", card.plan.input_tokens[found.size]}, {"metric", figure_of(found.by).tag}};
  reported["best"] = found.best ? json(letter_of(*found.best)) : json(nullptr);
  reported["p50"] = found.best ? json(found.median) : json(nullptr);
  reported["unit"] = figure_of(found.by).unit;
  reported["equal"] = letters(found.equal);
  reported["behind"] = json::array();
  for (const finding::other& each : found.behind)
    reported["behind"].push_back({{"endpoint", letter_of(each.endpoint)}, {"ratio", each.ratio}});
  reported["not_ranked"] = letters(found.left_out);
  reported["words"] = words_of(found);
  return reported;
}

json forecast_json(const scorecard& card) {
  const own_traffic& traffic = *card.traffic;
  json reported{{"days", traffic.days},
                {"requests", traffic.requests},
                {"input_tokens", traffic.input_tokens},
                {"output_tokens", traffic.output_tokens},
                {"cost_usd", traffic.cost_usd},
                {"assumptions", assumptions_of(card)},
                {"endpoints", json::array()}};
  for (const endpoint_forecast& each : forecast_of(card))
    reported["endpoints"].push_back({{"endpoint", letter_of(each.endpoint)},
                                     {"usd_per_day", each.usd_per_day ? json(*each.usd_per_day) : json(nullptr)},
                                     {"input_ratio", each.input_ratio},
                                     {"output_ratio", each.output_ratio}});
  return reported;
}

std::string csv_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

std::string csv_number(const std::optional<double>& value) {
  return value ? proxy::short_text(*value, 6) : std::string();
}

constexpr struct {
  std::string_view name, tag;
  double distribution::* part;
} csv_figures[] = {
    {"ttft_p50_ms", "time_to_first_token", &distribution::p50},
    {"ttft_p95_ms", "time_to_first_token", &distribution::p95},
    {"ttft_p99_ms", "time_to_first_token", &distribution::p99},
    {"tokens_per_second_p50", "output_token_throughput_per_user", &distribution::p50},
    {"tokens_per_second_p5", "output_token_throughput_per_user", &distribution::p5},
    {"finish_p50_ms", "request_latency", &distribution::p50},
    {"finish_p95_ms", "request_latency", &distribution::p95},
    {"output_tokens_p50", "output_sequence_length", &distribution::p50},
};

}  // namespace

std::string write_card_json(const scorecard& card) {
  json reported{{"photofinish_version", card.version},
            {"start_time", card.clock.iso(card.begun_at)},
            {"end_time", card.clock.iso(card.ended_at)},
            {"end", proxy::word_of(card.end)},
            {"rounds", card.rounds},
            {"planned_rounds", card.plan.rounds},
            {"input_tokens", card.plan.input_tokens},
            {"max_tokens", card.plan.common.max_tokens},
            {"concurrency", card.plan.common.levels.front().concurrency},
            {"random_seed", card.plan.common.seed}};
  reported["endpoints"] = json::array();
  for (std::size_t i = 0; i < card.endpoints.size(); ++i)
    reported["endpoints"].push_back(endpoint_json(card.endpoints[i], i));
  reported["fastest"] = json::array();
  for (const finding& each : card.findings) reported["fastest"].push_back(finding_json(card, each));
  if (card.traffic) reported["forecast"] = forecast_json(card);
  reported["notes"] = notes_of(card);
  reported["cells"] = json::array();
  for (const card_cell& each : card.cells) reported["cells"].push_back(cell_json(card, each));
  return reported.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string write_card_csv(const scorecard& card) {
  std::string text = "endpoint,url,model,input_tokens,answered,failed";
  for (const auto& each : csv_figures) text += "," + std::string(each.name);
  text += ",input_usd_per_million,output_usd_per_million,usd_per_request\n";
  for (const card_cell& cell : card.cells) {
    const card_endpoint& of = card.endpoints[cell.endpoint];
    text += letter_of(cell.endpoint) + "," + csv_text(of.url) + "," + csv_text(of.model) + "," +
            std::to_string(card.plan.input_tokens[cell.size]) + "," + std::to_string(cell.report.succeeded) + "," +
            std::to_string(cell.report.failed);
    for (const auto& each : csv_figures) text += "," + csv_number(cell.report.part(each.tag, each.part));
    const auto price = price_at(card, cell);
    text += "," + csv_number(price ? std::optional(price->input) : std::nullopt) + "," +
            csv_number(price ? std::optional(price->output) : std::nullopt) + "," + csv_number(cell.usd_per_request) +
            "\n";
  }
  return text;
}

std::string write_card_records(const scorecard& card, const card_cell& cell, std::span<const request_record> records) {
  return write_records(run_of(card, cell), records);
}

}  // namespace photofinish::gateway::bench
