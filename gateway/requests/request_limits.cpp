#include "gateway/requests/request_limits.hpp"

#include "gateway/limits/limit_answers.hpp"
#include "gateway/limits/reserved_tokens.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace photofinish::gateway {
namespace {

std::chrono::sys_seconds wall_now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
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

void count(services& worker, const caller& who, metrics::rejection why) {
  worker.shard.usage(who.label(), who.team()).rejections[why].add(1);
}

// A prompt's bytes are looked at where tokens are limited alone.
wanted_tokens tokens_for(const limited_request& request, const limit_claims& claims) {
  const auto counts_tokens = [](const limit_claim& each) { return each.limits->tokens_per_minute > 0; };
  if (request.asked == nullptr) return {.most_output = 0, .is_charged_already = true};
  if (std::none_of(claims.begin(), claims.end(), counts_tokens)) return {0, 0};
  return tokens_to_reserve(*request.asked, request.called);
}

}  // namespace

std::variant<limit_hold, api_error> take_limits(services& worker, const limited_request& request,
                                                header_fields& fields) {
  if (!request.table->has_limits() && !request.who.sealed) return limit_hold();
  const limit_claims claims = request.table->claims_of(request.who, request.route);
  if (claims.empty()) return limit_hold();
  const auto has_budget = [](const limit_claim& each) { return each.limits->budget_nano_usd > 0; };
  if (!request.table->knows_budgets() && std::any_of(claims.begin(), claims.end(), has_budget)) {
    count(worker, request.who, metrics::rejection::store);
    return unknown_budget();
  }
  const proxy::instant now = worker.alarms.now();
  auto taken = limit_hold::take(claims, request.table, tokens_for(request, claims), now);
  append_limit_fields(fields, claims, now, wall_now());
  if (const auto* refused = std::get_if<limit_refusal>(&taken)) {
    count(worker, request.who, word_for(refused->kind));
    return explain(*refused);
  }
  return std::get<limit_hold>(std::move(taken));
}

void show_limits(const services& worker, const limit_table& table, const caller& who, header_fields& fields) {
  if (!table.has_limits() && !who.sealed) return;
  append_limit_fields(fields, table.claims_of(who), worker.alarms.now(), wall_now());
}

std::optional<api_error> refuse_closed_key(services& worker, const caller& who) {
  if (who.key == nullptr || (!who.key->is_blocked && !who.key->expires)) return std::nullopt;
  if (who.key->is_blocked) {
    count(worker, who, metrics::rejection::blocked);
    return blocked_key();
  }
  if (wall_now() < *who.key->expires) return std::nullopt;
  count(worker, who, metrics::rejection::expired);
  return expired_key(*who.key->expires);
}

}  // namespace photofinish::gateway
