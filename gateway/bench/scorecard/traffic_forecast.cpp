#include "gateway/bench/scorecard/traffic_forecast.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace photofinish::gateway::bench {
namespace {

using nlohmann::json;

constexpr double seconds_a_day = 86'400;
constexpr double days_a_month = 30;

double number(const json& row, const char* name) {
  const auto found = row.find(name);
  return found != row.end() && found->is_number() && found->get<double>() >= 0 ? found->get<double>() : 0;
}

void add_row(const json& row, own_traffic& traffic) {
  traffic.requests += number(row, "num_model_requests");
  traffic.input_tokens += number(row, "input_tokens");
  traffic.output_tokens += number(row, "output_tokens");
  traffic.cost_usd += number(row, "cost_usd");
}

// Returns the mean of one figure at an endpoint, divided by the mean of all endpoints. Both means use the same input
// sizes.
double ratio_of(const scorecard& card, std::size_t endpoint, std::string_view tag) {
  double own = 0, all = 0;
  for (std::size_t size = 0; size < card.plan.input_tokens.size(); ++size) {
    double sum = 0;
    std::size_t known = 0;
    for (std::size_t i = 0; i < card.endpoints.size(); ++i) {
      const card_cell* cell = card.find(i, size);
      const metric* found = cell ? cell->report.find(tag) : nullptr;
      if (!found) continue;
      sum += found->avg;
      ++known;
    }
    const card_cell* cell = card.find(endpoint, size);
    const metric* found = cell ? cell->report.find(tag) : nullptr;
    if (!found || sum <= 0) continue;
    own += found->avg;
    all += sum / static_cast<double>(known);
  }
  return all > 0 ? own / all : 1;
}

std::string whole(double value) { return number_text(value < 100 ? value : std::round(value)); }

}  // namespace

std::variant<own_traffic, std::string> read_traffic(std::string_view text, std::chrono::sys_seconds now) {
  const json page = json::parse(text, nullptr, false);
  if (!page.is_object() || !page.contains("data") || !page["data"].is_array())
    return "does not answer like a photofinish gateway";
  own_traffic traffic;
  std::chrono::sys_seconds since = now - traffic_days;
  const std::chrono::seconds complete(static_cast<std::int64_t>(number(page, "complete_since")));
  since = std::max(since, std::chrono::sys_seconds(complete));
  for (const json& bucket : page["data"]) {
    if (!bucket.is_object() || !bucket.contains("results") || !bucket["results"].is_array()) continue;
    for (const json& row : bucket["results"])
      if (row.is_object()) add_row(row, traffic);
  }
  traffic.days = static_cast<double>((now - since).count()) / seconds_a_day;
  if (!(traffic.requests > 0) || !(traffic.days > 0)) return "has not counted any requests yet";
  return traffic;
}

std::vector<endpoint_forecast> forecast_of(const scorecard& card) {
  std::vector<endpoint_forecast> all;
  if (!card.traffic) return all;
  const own_traffic& traffic = *card.traffic;
  for (std::size_t i = 0; i < card.endpoints.size(); ++i) {
    endpoint_forecast each{.endpoint = i};
    each.input_ratio = ratio_of(card, i, "input_sequence_length");
    each.output_ratio = ratio_of(card, i, "output_sequence_length");
    if (const auto& prices = card.endpoints[i].prices) {
      const double input = traffic.input_tokens / traffic.requests * each.input_ratio;
      const double output = traffic.output_tokens / traffic.requests * each.output_ratio;
      const proxy::price& now = prices->at(std::chrono::floor<std::chrono::seconds>(card.clock.wall));
      // Selects the price for the average length of a prompt, because some prices depend on the prompt's length.
      const auto length = static_cast<std::uint64_t>(input);
      const double usd = now.request + (now.input.of(length) * input + now.output.of(length) * output) / 1e6;
      each.usd_per_day = usd * traffic.requests / traffic.days;
    }
    all.push_back(each);
  }
  return all;
}

std::string words_of(const endpoint_forecast& each) {
  if (!each.usd_per_day) return letter_of(each.endpoint) + ": the price of the model is unknown";
  return letter_of(each.endpoint) + ": " + number_text(*each.usd_per_day) + " USD a day, " +
         number_text(*each.usd_per_day * days_a_month) + " a month";
}

std::vector<std::string> assumptions_of(const scorecard& card) {
  if (!card.traffic) return {};
  const own_traffic& traffic = *card.traffic;
  std::vector<std::string> all;
  all.push_back("traffic of the gateway: " + whole(traffic.requests) + " requests, " + whole(traffic.input_tokens) +
                " input tokens and " + whole(traffic.output_tokens) + " output tokens in " + number_text(traffic.days) +
                " days; known costs: " + number_text(traffic.cost_usd / traffic.days) + " USD a day");
  if (traffic.days < 7) all.push_back("the traffic covers less than a week: other days may differ");
  all.push_back("assumptions: each request is sent only once, to one endpoint; no input is cached; no request fails; "
                "prices stay the same, and the price for the average prompt length applies");
  for (const endpoint_forecast& each : forecast_of(card))
    if (card.endpoints.size() > 1)
      all.push_back("assumption: at " + letter_of(each.endpoint) + ", prompts have " + number_text(each.input_ratio) +
                    " times the endpoints' average number of tokens, and answers "
                    "have " + number_text(each.output_ratio) +
                    " times the average number, as measured with answers of at most --max-tokens");
  return all;
}

}  // namespace photofinish::gateway::bench
