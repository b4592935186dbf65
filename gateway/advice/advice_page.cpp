#include "gateway/advice/advice_page.hpp"

#include "gateway/advice/advised_routes.hpp"
#include "proxy/words/decimal_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>

namespace photofinish::gateway {
namespace {

using json = nlohmann::ordered_json;

constexpr std::array<const char*, racing::advised_shares.size()> names{"p50", "p95", "p99"};

// Rounds a figure to three significant digits. More digits would suggest a precision that the estimates do not have.
double rounded(double value) {
  if (!(value > 0)) return 0;
  const double scale = std::pow(10, 2 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

json figures_json(const racing::advised_figures& figures) {
  json made, low, high, at_least = json::array();
  for (std::size_t at = 0; at < names.size(); ++at) {
    made[names[at]] = rounded(figures[at].seconds);
    low[names[at]] = rounded(figures[at].low);
    high[names[at]] = figures[at].high ? json(rounded(*figures[at].high)) : json(nullptr);
    if (figures[at].is_bound) at_least.push_back(names[at]);
  }
  made["low"] = std::move(low);
  made["high"] = std::move(high);
  made["at_least"] = std::move(at_least);
  return made;
}

json measured_json(const std::array<std::optional<racing::survival_quantile>, names.size()>& quantiles) {
  json made = json::object(), at_least = json::array();
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (!quantiles[at]) continue;
    made[names[at]] = rounded(quantiles[at]->seconds);
    if (quantiles[at]->is == racing::bound::at_least) at_least.push_back(names[at]);
  }
  made["at_least"] = std::move(at_least);
  return made;
}

json extra_json(const std::optional<double>& extra) {
  return extra ? json(std::round(*extra * 1'000) / 1'000) : json(nullptr);
}

json present_json(const racing::present_policy& present, const racing::race_settings& settings) {
  json made{{"policy", to_string(settings.policy.value_or(racing::race_policy::all))}};
  if (settings.policy == racing::race_policy::hedge) {
    if (settings.is_hedge_delay_auto) made["hedge_delay_ms"] = "auto";
    else made["hedge_delay_ms"] = settings.hedge_delay.count();
  }
  made["answered"] = present.answered;
  made["cut_off"] = present.cut_off;
  made["ttft_seconds"] = measured_json(present.first_token);
  made["finish_seconds"] = measured_json(present.finish);
  made["attempts"] = rounded(present.attempts);
  made["extra_cost"] = extra_json(present.extra_cost);
  return made;
}

json policy_json(const racing::advised_policy& policy) {
  json made{{"policy", to_string(policy.policy)}};
  if (policy.hedge_delay) made["hedge_delay_ms"] = policy.hedge_delay->count();
  made["ttft_seconds"] = figures_json(policy.first_token);
  made["finish_seconds"] = policy.finish ? figures_json(*policy.finish) : json(nullptr);
  made["attempts"] = rounded(policy.attempts);
  made["extra_cost"] = extra_json(policy.extra_cost);
  return made;
}

// Adds up the figures of all conversations, over all causes of cache hits and misses.
racing::prompt_sum sum_of(const racing::prompt_use& conversations) {
  racing::prompt_sum all;
  for (const racing::prompt_sum& each : conversations.by_cause) add(all, each);
  return all;
}

double usd_of(const racing::prompt_sum& sum) { return static_cast<double>(sum.nano_usd) / 1e9; }

json conversations_json(const racing::prompt_use& conversations) {
  const racing::prompt_sum all = sum_of(conversations);
  if (all.requests == 0) return nullptr;
  json causes = json::object();
  for (const auto& [cause, word] : proxy::word_table<racing::prompt_cause>)
    if (const racing::prompt_sum& each = conversations[cause]; each.requests > 0)
      causes[std::string(word)] = {{"requests", each.requests}, {"cost_usd", rounded(usd_of(each))}};
  return {{"requests", all.requests},
          {"continued", all.continued},
          {"cost_usd", rounded(usd_of(all))},
          {"causes", std::move(causes)}};
}

std::string percent(double share) { return proxy::fixed_text(100 * share, 0) + " %"; }

constexpr std::uint32_t enough_conversations = 20;
constexpr double worth_a_note = 0.1;  // the minimum share of uncached prompts, among the prompts that should be cached,
                                      // for which a note is written

// Writes a note such as "94 % of 4100 requests continue a conversation". If hedges are estimated, adds what a hedge
// costs at a target that does not have the prompt in its cache.
std::string conversation_words(const racing::route_advice& route) {
  using enum racing::prompt_cause;
  const racing::prompt_sum all = sum_of(route.conversations), &warm = route.conversations[found];
  const std::uint32_t cold = all.requests - warm.requests;
  std::string text = percent(static_cast<double>(all.continued) / all.requests) + " of " +
                     std::to_string(all.requests) + " requests continue a conversation";
  const auto hedged = std::find_if(route.policies.begin(), route.policies.end(), [](const auto& each) {
    return each.policy == racing::race_policy::hedge && each.attempts > 1;
  });
  if (hedged == route.policies.end() || warm.nano_usd == 0 || cold == 0) return text;
  const double cold_usd = (usd_of(all) - usd_of(warm)) / cold, warm_usd = usd_of(warm) / warm.requests;
  const auto delay = hedged->hedge_delay ? " " + std::to_string(hedged->hedge_delay->count()) + " ms" : std::string();
  return text + ". Policy hedge" + delay + " would also have sent " + percent(std::min(1.0, hedged->attempts - 1)) +
         " of these requests to targets that do not have the prompt in their cache; a request costs $" +
         proxy::short_text(cold_usd, 2) +
         " if the prompt is not cached, but $" + proxy::short_text(warm_usd, 2) + " if it is";
}

template <class Note>
void note_conversations(const racing::route_advice& route, const Note& note) {
  using enum racing::prompt_cause;
  if (sum_of(route.conversations).requests < enough_conversations) return;
  note("conversations", conversation_words(route));
  const double seen = route.conversations[found].requests, lost = route.conversations[missed].requests;
  if (seen + lost >= enough_conversations && lost >= worth_a_note * (seen + lost))
    note("cache_misses", percent(lost / (seen + lost)) +
                             " of the prompts that a provider should have had in its cache were not found there: check "
                             "this provider's `hint` and `ttl`");
}

enum class route_rules { none, some };

json notes_json(const racing::route_advice& route, route_rules rules) {
  json all = json::array();
  const auto note = [&all](const char* code, const std::string& message) {
    all.push_back({{"code", code}, {"message", message}});
  };
  if (rules == route_rules::some)
    note("rules",
         "these figures exclude requests to which one of the route's rules applied, because such requests may have had "
         "other targets and another policy");
  std::string unknown;
  for (const racing::advised_target& each : route.targets)
    if (!each.is_known) unknown += (unknown.empty() ? "" : ", ") + each.name;
  if (!unknown.empty())
    note("unknown_targets", "there is too little data about " + unknown +
                                ": set observe_losers, or use another policy for a few hours");
  if (route.has_common_vendor)
    note("common_vendor",
         "some targets have the same provider: if these targets were slow at the same time, the policies `hedge` and "
         "`all` would have gained less than shown here");
  if (route.has_moved)
    note("moved",
         "a target was slower for part of the time: the real figures may be anywhere between `low` and `high`");
  if (route.follows_our_load)
    note("own_load", "a target becomes slower when this gateway sends it more requests: policies that send it more "
                     "requests would have gained less than shown here");
  note_conversations(route, note);
  return all;
}

json route_json(const racing::route_advice& route, const config& settings) {
  const auto found = settings.routes.find(route.name);
  json targets = json::array(), policies = json::array();
  for (const racing::advised_target& each : route.targets)
    targets.push_back(
        {{"target", each.name}, {"seen", each.seen}, {"cut_off", each.cut_off}, {"is_known", each.is_known}});
  for (const racing::advised_policy& each : route.policies) policies.push_back(policy_json(each));
  const bool is_found = found != settings.routes.end();
  const auto rules = is_found && !found->second.rules.empty() ? route_rules::some : route_rules::none;
  return {{"route", route.name},
          {"requests", route.requests},
          {"since", std::int64_t{60} * route.first_minute},
          {"currency", is_found && is_priced(settings, found->second.targets) ? "usd" : "tokens"},
          {"present", present_json(route.present, is_found ? found->second.race : racing::race_settings{})},
          {"policies", std::move(policies)},
          {"targets", std::move(targets)},
          {"conversations", conversations_json(route.conversations)},
          {"notes", notes_json(route, rules)}};
}

// Returns a note which explains that figures for several gateways are estimates.
std::string scope_note(const fleet_scope& scope) {
  const auto is_counted = [](const fleet_member& each) { return each.is_counted; };
  if (std::count_if(scope.members.begin(), scope.members.end(), is_counted) < 2) return scope.note;
  const std::string estimate =
      "these estimates cover all gateways: requests and times are sums, and the speed level of a target in each minute "
      "is the mean over the gateways, weighted by their attempts";
  return scope.note.empty() ? estimate : scope.note + "; " + estimate;
}

}  // namespace

std::string advice_page(const advice_report& report, const config& settings) {
  json routes = json::array();
  for (const racing::route_advice& each : report.routes) routes.push_back(route_json(each, settings));
  json members = json::array();
  for (const fleet_member& each : report.scope.members)
    members.push_back({{"name", each.name}, {"is_running", each.is_running}, {"is_counted", each.is_counted}});
  const std::string note = scope_note(report.scope);
  return json{{"object", "advice"},
              {"as_of", std::chrono::floor<std::chrono::seconds>(report.as_of.time_since_epoch()).count()},
              {"window_seconds", racing::advice_minutes * 60},
              {"gateway", report.scope.gateway.empty() ? json() : json(report.scope.gateway)},
              {"gateways", std::move(members)},
              {"note", note.empty() ? json() : json(note)},
              {"routes", std::move(routes)}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace photofinish::gateway
