#include "gateway/attempts/setup/forecast_setup.hpp"

#include "gateway/limits/bounds/asked_output.hpp"

#include <algorithm>
#include <string_view>

namespace photofinish::gateway {
namespace {

constexpr std::size_t bytes_per_token = 4;
constexpr double usual_errors = 0.005;         // the assumed error rate of a key without any failures

std::uint64_t whole(double tokens) { return static_cast<std::uint64_t>(std::clamp(tokens, 0.0, 1e9)); }

bool is_named(const std::string& text, const target_name& target) {
  const std::size_t slash = target.provider.size();
  return text.size() > slash && text[slash] == '/' && text.starts_with(target.provider) &&
         std::string_view(text).substr(slash + 1) == target.model;
}

// Finds a candidate by its name. Looks at position `row` first, because the route usually lists its targets in the same
// order as the forecast.
std::size_t candidate_named(const std::string& name, std::span<const race_candidate> candidates, std::size_t row) {
  if (row < candidates.size() && is_named(name, candidates[row].target)) return row;
  const auto is_it = [&name](const race_candidate& each) { return is_named(name, each.target); };
  const auto found = std::find_if(candidates.begin(), candidates.end(), is_it);
  if (found == candidates.end()) return racing::forecast_terms::no_candidate;
  return static_cast<std::size_t>(found - candidates.begin());
}

racing::target_now now_at(const speed_source& from, const race_candidate& each, racing::target_number number,
                          racing::instant now) {
  racing::target_now made;
  made.in_flight = from.in_flight(each.target);
  made.has_headroom = !from.is_full || !from.is_full(each);
  made.idle_seconds = from.board->starts->idle_seconds(number, now);
  if (const std::uint64_t key = key_print(each); key != 0) {
    const auto known = from.board->key_errors.find(racing::key_at(number, key));
    made.error_share = known == from.board->key_errors.end() ? usual_errors : known->second;
  }
  return made;
}

void set_costs(forecast_setup& made, std::size_t row, std::uint64_t input) {
  racing::target_now& target = made.terms.targets[row];
  const std::uint64_t output = whole(made.terms.output_tokens);
  const expected_cost costs = cost_of_attempt(made.costs, made.prices[row], made.billing[row], input, output);
  target.input_tokens = static_cast<double>(input);
  target.win_cost = costs.win;
  target.loss_cost = costs.loss;
}

}  // namespace

std::uint64_t input_tokens_of(const parsed_request& asked) { return asked.prompt.size() / bytes_per_token; }

std::optional<std::uint64_t> max_tokens_of(const parsed_request& asked) { return most_of_one_answer(asked); }

std::uint64_t tokens_of_attempt(const parsed_request& asked, const request_extent& extent) {
  constexpr std::uint64_t most_believed = 100'000;
  return input_tokens_of(asked) + std::min(extent.most_output * extent.answers, most_believed);
}

std::uint64_t key_print(const race_candidate& each) {
  if (each.key.source != key_source::own) return 0;
  return std::hash<std::string>{}(each.id) | 1;
}

std::unique_ptr<forecast_setup> set_up_forecast(const speed_source& from, const parsed_request& asked,
                                                std::span<const race_candidate> candidates, const std::string& route,
                                                racing::instant now) {
  const auto known = from.board->routes.find(route);
  if (known == from.board->routes.end()) return nullptr;
  const racing::route_speed& speed = *known->second;
  const std::uint64_t input = input_tokens_of(asked);
  const racing::choice_table* table = speed.table_for(input);
  if (!table) return nullptr;
  auto made = std::make_unique<forecast_setup>();
  racing::forecast_terms& terms = made->terms;
  terms.route = known->second;
  terms.table = table;
  terms.draw = from.draw;
  terms.output_tokens = speed.lengths.expected(max_tokens_of(asked));
  made->costs = {speed.is->is_priced, from.when};
  const std::size_t rows = std::min(table->rows().size(), speed.targets.size());
  terms.candidates.reserve(rows), terms.targets.reserve(rows);
  made->prices.reserve(rows), made->billing.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t at = candidate_named(speed.is->targets[row], candidates, row);
    terms.candidates.push_back(at);
    terms.targets.emplace_back();
    // Skips a target of the forecast that the configuration does not contain. The forecast may be older or newer than
    // the configuration.
    if (at == racing::forecast_terms::no_candidate) {
      made->prices.push_back(nullptr);
      made->billing.push_back(proxy::cancel_billing::unknown);
      continue;
    }
    terms.targets.back() = now_at(from, candidates[at], speed.targets[row], now);
    made->billing.push_back(candidates[at].provider->behaves.billing);
    made->prices.push_back(made->costs.is_money ? from.prices_of(candidates[at].target) : nullptr);
    set_costs(*made, row, input);
  }
  return made;
}

}  // namespace photofinish::gateway
