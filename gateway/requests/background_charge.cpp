// Charges the usage of a response that ran in the background. The gateway does this when it first sees the finished
// response.
#include "gateway/records/accounting.hpp"
#include "gateway/records/cost.hpp"
#include "gateway/requests/stored_responses.hpp"
#include "gateway/requests/worker/settlement_queue.hpp"
#include "proxy/dialects/largest_count.hpp"
#include "proxy/dialects/repairs/usage_counts.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/known_facts.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace photofinish::gateway {
namespace {

// The estimated number of bytes per token, for text whose tokens are not counted.
constexpr std::uint64_t bytes_of_a_token = 4;

std::uint64_t count_in(std::string_view object, std::string_view name) {
  const std::string_view value = proxy::json_find(object, name).value_or(std::string_view{});
  return std::min(proxy::parse_leading_number<std::uint64_t>(value).value_or(0), proxy::largest_count);
}

std::uint64_t beyond(std::uint64_t real, std::uint64_t charged) { return real > charged ? real - charged : 0; }

double cost_of(worker_context& worker, const stored_response_query& asked, const stored_response_target& at,
               const proxy::token_usage& usage) {
  const proxy::model_prices* prices = worker.prices.find(asked.settings, at.target, usage.tier);
  if (prices == nullptr) return 0;
  proxy::stream_summary summary;
  summary.usage = usage;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return winner_cost(*prices, summary, {}, now).usd;
}

}  // namespace

std::optional<proxy::token_usage> usage_in(std::string_view response) {
  const auto usage = proxy::json_find(response, "usage");
  if (!usage || !usage->starts_with('{')) return std::nullopt;
  proxy::token_usage counts;
  counts.input_tokens = count_in(*usage, "input_tokens");
  counts.output_tokens = count_in(*usage, "output_tokens");
  if (counts.input_tokens == 0 && counts.output_tokens == 0) return std::nullopt;
  if (const auto details = proxy::json_find(*usage, "input_tokens_details")) {
    counts.cached_input_tokens = count_in(*details, "cached_tokens");
    counts.written_input_tokens = count_in(*details, "cache_write_tokens");
  }
  if (const auto details = proxy::json_find(*usage, "output_tokens_details"))
    counts.reasoning_tokens = count_in(*details, "reasoning_tokens");
  proxy::add_uncounted_reasoning(counts, count_in(*usage, "total_tokens"));
  proxy::limit_cached_to_input(counts);
  const std::string_view tier = proxy::json_find(response, "service_tier").value_or("");
  if (proxy::json_is_string(tier)) counts.tier = proxy::parse_price_tier(proxy::json_raw_string(tier));
  return counts;
}

namespace {

void charge_beyond(worker_context& worker, const stored_response_query& asked, const stored_response_target& at,
                   const proxy::token_usage& usage, const background_use& charged) {
  request_use more;
  using enum metrics::token_direction;
  more.tokens[input] = beyond(usage.input_tokens, charged.input_tokens);
  more.tokens[output] = beyond(usage.output_tokens, charged.output_tokens);
  more.usd[metrics::cost_kind::winner] = std::max(0.0, cost_of(worker, asked, at, usage) - charged.usd);
  limit_hold::charge(asked.limits->claims_of(asked.who, charged.route), more.tokens[input] + more.tokens[output],
                     more.nano_usd(), worker.alarms.now());
  if (asked.who.label() != metrics::none_label)
    count_use(more, worker.shard.usage(asked.who.label(), asked.who.team()));
  if (!charged.project.empty()) count_use(more, worker.shard.project(charged.project));
  const std::string project = charged.project.empty() ? std::string(metrics::none_label) : charged.project;
  worker.keeper.usage().note(worker.index, {{std::string(asked.who.name()), std::string(asked.who.team()),
                                             at.target.text(), project}, amounts_of(more, 0)});
}

}  // namespace

void charge_background(worker_context& worker, const stored_response_query& asked, const stored_response_target& at,
                       proxy::token_usage usage, std::uint64_t text_bytes) {
  const auto charged = worker.load.background.take(at.target.text(), at.id);
  if (!charged) return;
  const auto known = [&at] { return proxy::known_facts(*at.provider, at.target.sent_model()); };
  if (const auto cut = cut_if_impossible(usage, charged->extent, text_bytes, known))
    worker.records.settlements.warn({at.target, *cut}, worker.alarms.now());
  charge_beyond(worker, asked, at, usage, *charged);
}

void charge_background_so_far(worker_context& worker, const stored_response_query& asked,
                              const stored_response_target& at, std::uint64_t text_bytes) {
  auto charged = worker.load.background.take(at.target.text(), at.id);
  if (!charged) return;
  proxy::token_usage seen;
  seen.input_tokens = charged->input_tokens;
  seen.output_tokens = text_bytes / bytes_of_a_token;
  charge_beyond(worker, asked, at, seen, *charged);
  charged->output_tokens = std::max(charged->output_tokens, seen.output_tokens);
  charged->usd = std::max(charged->usd, cost_of(worker, asked, at, seen));
  worker.load.background.put(at.target.text(), at.id, *std::move(charged));
}

}  // namespace photofinish::gateway
