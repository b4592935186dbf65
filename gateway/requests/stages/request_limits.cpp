#include "gateway/requests/stages/request_limits.hpp"

#include "gateway/housekeeping/shared/store_keeping.hpp"
#include "gateway/limits/limit_answers.hpp"
#include "gateway/limits/reserved_tokens.hpp"
#include "proxy/loop/signal.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace photofinish::gateway {
namespace {

std::chrono::sys_seconds wall_now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

// Returns true if the limit for requests that use no provider applies. Keys with `admin: true` are exempt, because they
// monitor the gateway: the live page alone sends a request once a second.
bool is_bounded_aside(endpoint to, const caller& who) {
  if (who.key == nullptr || who.key->is_admin) return false;
  return to == endpoint::count_tokens || to == endpoint::models || to == endpoint::model || to == endpoint::usage ||
         to == endpoint::races || to == endpoint::race || to == endpoint::provider_stats;
}

metrics::rejection word_for(limit_kind kind) {
  switch (kind) {
    case limit_kind::budget: return metrics::rejection::budget;
    case limit_kind::too_large: return metrics::rejection::size;
    case limit_kind::parallel: return metrics::rejection::parallel;
    case limit_kind::requests: return metrics::rejection::rpm;
    case limit_kind::tokens: return metrics::rejection::tpm;
  }
  return metrics::rejection::budget;
}

void count(worker_context& worker, const caller& who, metrics::rejection why) {
  worker.shard.usage(who.label(), who.team()).cell<metrics::names::limit_rejections_total>(why).add(1);
}

// Returns the name of the limit's owner in the configuration.
std::string name_of(limit_scope scope, const caller& who, std::string_view route) {
  const std::string key(who.name());
  switch (scope) {
    case limit_scope::key:
    case limit_scope::subject: return key;
    case limit_scope::key_on_route: return key + "/" + std::string(route);
    case limit_scope::team: return std::string(who.team());
    case limit_scope::route: return std::string(route);
  }
  return key;
}

struct refusing_limit {
  limit_scope scope;
  metrics::rejection kind;
};

// Counts a refused request, and names the limit for the log. Tokens may name any number of users. Therefore the metrics
// contain the kind of the key instead of the user's name.
api_error refused_by(worker_context& worker, const caller& who, std::string_view route, refusing_limit limit,
                     api_error error) {
  const std::string name = name_of(limit.scope, who, route);
  const std::string_view shown = limit.scope == limit_scope::subject ? who.label() : std::string_view(name);
  count(worker, who, limit.kind);
  worker.shard.limit(to_string(limit.scope), shown).cell<metrics::names::limit_reached_total>(limit.kind).add(1);
  error.limit = std::string(to_string(limit.scope)) + " " + name + " " + std::string(to_string(limit.kind));
  return error;
}

api_error explain_refusal(worker_context& worker, const caller& who, std::string_view route,
                          const limit_refusal& refused) {
  const refusing_limit limit{refused.claim.scope, word_for(refused.kind)};
  return refused_by(worker, who, route, limit, explain(refused));
}

// Estimates the cost of the request. Assumes the most expensive of its targets, and an answer as long as the latest
// answers of the account. The request's own limit is a bad estimate: agents allow 32,000 tokens, but use only a few
// hundred.
std::int64_t expected_nano_usd(worker_context& worker, const limited_request& request, const limit_claims& claims,
                               const wanted_tokens& wanted) {
  constexpr double most_usd = 10'000, nano = 1e9;
  // Limits the estimate, because providers reject larger requests. A larger reservation would be useless, and would
  // reduce the budget of other callers of the same team or route.
  constexpr std::uint64_t most_answers = 128, most_input = 1'048'576;
  if (request.setup == nullptr) return 0;
  const std::uint64_t usual = claims.begin()->account->usual_answer() * std::min(wanted.answers, most_answers);
  const std::uint64_t output = std::min(usual, wanted.most_output.value_or(usual));
  const proxy::billed_tokens tokens{.input = std::min(wanted.input, most_input), .output = output};
  double dearest = 0;
  for (const std::size_t index : request.setup->planned.chosen) {
    const auto* prices = worker.prices.find(request.settings, request.setup->candidates[index].target);
    if (prices != nullptr) dearest = std::max(dearest, proxy::cost_usd(*prices, tokens, wall_now()));
  }
  return std::llround(std::min(dearest, most_usd) * nano);
}

// Counts the prompt's bytes only if there are limits for tokens or money.
wanted_tokens tokens_for(worker_context& worker, const limited_request& request, const limit_claims& claims) {
  const auto has_money = [](const limit_claim& each) { return each.limits->budget_nano_usd > 0; };
  const auto counts_tokens = [](const limit_claim& each) { return each.limits->tokens_per_minute > 0; };
  if (request.asked == nullptr) return {.most_output = 0, .is_charged_already = true};
  const bool has_tokens = std::any_of(claims.begin(), claims.end(), counts_tokens);
  const bool has_budget = std::any_of(claims.begin(), claims.end(), has_money);
  if (!has_tokens && !has_budget) return {0, 0};
  wanted_tokens wanted = tokens_to_reserve(*request.asked, request.called);
  if (has_budget) wanted.nano_usd = expected_nano_usd(worker, request, claims, wanted);
  return wanted;
}

using hold_or_refusal = std::variant<limit_hold, limit_refusal>;

taken_limits answer_of(worker_context& worker, const limited_request& request, const limit_claims& claims,
                       hold_or_refusal taken, header_fields& fields) {
  append_limit_fields(fields, claims, worker.alarms.now(), wall_now());
  if (const auto* refused = std::get_if<limit_refusal>(&taken))
    return explain_refusal(worker, request.who, request.route, *refused);
  if (auto low = limit_hold::ask_ahead(claims); !low.empty()) worker.keeper.store().ask_for_limits(std::move(low), {});
  return std::get<limit_hold>(std::move(taken));
}

// The state of a request that waits for the store. It is shared with the code that waits for the store's reply, because
// the request may time out first.
struct store_wait {
  bool is_answered = false, is_late = false;
  proxy::signal over;
};

// Asks the store for quota, and waits for the reply until the given time. Returns true if the store has replied.
boost::asio::awaitable<bool> ask_store(worker_context& worker, accounts_asked accounts, proxy::instant until) {
  const auto waits = std::make_shared<store_wait>();
  proxy::alarm limit(worker.alarms, [waits] {
    waits->is_late = true;
    waits->over.wake();
  });
  limit.arm(until);
  worker.keeper.store().ask_for_limits(std::move(accounts), [waits, executor = worker.executor] {
    boost::asio::post(executor, [waits] {
      waits->is_answered = true;
      waits->over.wake();
    });
  });
  while (!waits->is_answered && !waits->is_late) co_await waits->over.wait();
  co_return waits->is_answered;
}

}  // namespace

taken_limits take_limits(worker_context& worker, const limited_request& request, header_fields& fields) {
  if (!request.table->has_limits() && !request.who.sealed) return limit_hold();
  const limit_claims claims = request.table->claims_of(request.who, request.route);
  if (claims.empty()) return limit_hold();
  if (!request.table->knows_limits()) {
    count(worker, request.who, metrics::rejection::store);
    return unknown_limits();
  }
  const wanted_tokens wanted = tokens_for(worker, request, claims);
  auto taken = limit_hold::take(claims, request.table, wanted, worker.alarms.now());
  const auto* refused = std::get_if<limit_refusal>(&taken);
  if (refused != nullptr && refused->may_be_leased) return awaited_limits{claims, wanted};
  return answer_of(worker, request, claims, std::move(taken), fields);
}

// Waits until the store has leased quota to this gateway. Other requests may use up this quota first. In that case the
// request asks again, a few times.
boost::asio::awaitable<taken_limits> await_limits(worker_context& worker, const limited_request& request,
                                                  awaited_limits awaited, header_fields& fields) {
  constexpr int most_asked = 4;
  const proxy::instant until = worker.alarms.now() + request.table->store_timeout();
  hold_or_refusal taken;
  bool is_open = true;
  for (int asked = 0; is_open && asked < most_asked && worker.alarms.now() < until; ++asked) {
    accounts_asked accounts = limit_hold::ask(awaited.claims, awaited.wanted, worker.alarms.now());
    if (!accounts.empty()) {
      const bool is_answered = co_await ask_store(worker, std::move(accounts), until);
      if (!is_answered) break;
    }
    taken = limit_hold::take(awaited.claims, request.table, awaited.wanted, worker.alarms.now());
    const auto* refused = std::get_if<limit_refusal>(&taken);
    is_open = refused != nullptr && refused->may_be_leased;
  }
  request.table->sharing().waited(!is_open);
  if (is_open && !request.table->may_be_apart()) {
    count(worker, request.who, metrics::rejection::store);
    co_return unknown_limits();
  }
  if (is_open)
    taken = limit_hold::take(awaited.claims, request.table, awaited.wanted, worker.alarms.now(), store_patience::over);
  co_return answer_of(worker, request, awaited.claims, std::move(taken), fields);
}

std::optional<api_error> take_side_request(worker_context& worker, const limit_table& table, const caller& who,
                                           endpoint to) {
  if (!is_bounded_aside(to, who) || (!table.has_limits() && !who.sealed)) return std::nullopt;
  const auto refused = limit_hold::take_side_request(table.claims_of(who), worker.alarms.now());
  if (!refused) return std::nullopt;
  return explain_refusal(worker, who, {}, *refused);
}

void show_limits(const worker_context& worker, const limit_table& table, const caller& who, header_fields& fields) {
  if (!table.has_limits() && !who.sealed) return;
  append_limit_fields(fields, table.claims_of(who), worker.alarms.now(), wall_now());
}

std::optional<api_error> refuse_closed_key(worker_context& worker, const caller& who) {
  if (who.key == nullptr || (!who.key->is_blocked && !who.key->expires)) return std::nullopt;
  const limit_scope scope = who.sealed ? limit_scope::subject : limit_scope::key;
  if (who.key->is_blocked)
    return refused_by(worker, who, {}, {scope, metrics::rejection::blocked}, blocked_key());
  if (wall_now() < *who.key->expires) return std::nullopt;
  return refused_by(worker, who, {}, {scope, metrics::rejection::expired}, expired_key(*who.key->expires));
}

}  // namespace photofinish::gateway
