#include "gateway/limits/limit_taking.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

using taken_time = token_bucket::time;

// The claim's bucket of that kind, and its cell: of requests or of tokens.
template <class Act>
auto with_bucket(const limit_claim& claim, limit_kind kind, const Act& act) {
  limit_account& account = *claim.account;
  return kind == limit_kind::requests ? act(account.requests, account.request_cell)
                                      : act(account.tokens, account.token_cell);
}

// Apart, each gateway has an Nth of every bucket and of its rate: what is taken counts as N of it.
taken_time scaled(taken_time cost, const limit_claim& claim, limit_mode mode) {
  if (mode == limit_mode::alone) return cost;
  return std::min<taken_time>(cost, reservation_bucket::longest_owed) * claim.account->gateways();
}

std::uint64_t own_places(const limit_claim& claim, limit_mode mode) {
  const std::uint64_t all = claim.limits->parallel_requests;
  if (mode != limit_mode::apart) return all;
  return std::max<std::uint64_t>(1, all / static_cast<std::uint64_t>(claim.account->gateways()));
}

}  // namespace

bool has_limit(const limit_claim& claim, limit_kind kind) {
  switch (kind) {
    case limit_kind::budget: return claim.limits->budget_nano_usd > 0;
    case limit_kind::parallel: return claim.limits->parallel_requests > 0;
    case limit_kind::requests: return claim.limits->requests_per_minute > 0;
    case limit_kind::too_large:
    case limit_kind::tokens: return claim.limits->tokens_per_minute > 0;
  }
  return false;
}

taken_time cost_of(const limit_claim& claim, limit_kind kind, std::uint64_t tokens) {
  if (!has_limit(claim, kind)) return taken_time(0);
  if (kind == limit_kind::requests) return token_bucket::time_of(1, claim.limits->requests_per_minute);
  return token_bucket::time_of(tokens, claim.limits->tokens_per_minute);
}

limit_mode mode_of(const limit_claim& claim, store_patience patience) {
  const limit_mode mode = claim.account->mode();
  return mode == limit_mode::shared && patience == store_patience::over ? limit_mode::apart : mode;
}

bool fits(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now, limit_mode mode) {
  switch (kind) {
    case limit_kind::budget:
      return claim.account->spent() + claim.account->held_money() < claim.limits->budget_nano_usd;
    case limit_kind::too_large: return tokens <= claim.limits->tokens_per_minute;
    case limit_kind::parallel: {
      const std::uint64_t running = claim.account->running();
      return running < own_places(claim, mode) &&
             (mode != limit_mode::shared || running < claim.account->places.permits());
    }
    case limit_kind::requests:
    case limit_kind::tokens: break;
  }
  const taken_time cost = cost_of(claim, kind, tokens);
  return with_bucket(claim, kind, [&](const auto& own, const leased_quota& cell) {
    if (mode != limit_mode::alone && cell.room() >= cost) return true;
    return mode != limit_mode::shared && own.until_room(scaled(cost, claim, mode), now).count() == 0;
  });
}

taken_from take_one(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now,
                    limit_mode mode) {
  if (kind == limit_kind::parallel) {
    const bool is_in = claim.account->places.enter(own_places(claim, mode), mode == limit_mode::shared);
    return is_in ? taken_from::own : taken_from::nothing;
  }
  const taken_time cost = cost_of(claim, kind, tokens), here = scaled(cost, claim, mode);
  return with_bucket(claim, kind, [&](auto& own, leased_quota& cell) {
    if (mode != limit_mode::alone && cell.take(cost)) {
      own.drain(here, now);
      return taken_from::leased;
    }
    if (mode == limit_mode::shared || !own.take(here, now)) return taken_from::nothing;
    if (mode == limit_mode::apart) cell.owe(cost);  // the store learns of it when it is back
    return taken_from::own;
  });
}

void put_one_back(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, taken_from where,
                  proxy::instant now) {
  if (kind == limit_kind::parallel) return claim.account->places.leave();
  const taken_time cost = cost_of(claim, kind, tokens);
  with_bucket(claim, kind, [&](auto& own, leased_quota& cell) {
    const limit_mode mode = claim.account->mode();
    if (where == taken_from::leased) return cell.put_back(cost);  // what this drained is refilled
    own.undo(scaled(cost, claim, mode), now);
    if (mode != limit_mode::alone) cell.owe(-cost);
  });
}

taken_time wait_for(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now,
                    limit_mode mode) {
  if (kind != limit_kind::requests && kind != limit_kind::tokens) return taken_time(0);
  const taken_time cost = cost_of(claim, kind, tokens);
  return with_bucket(claim, kind, [&](const auto& own, const leased_quota& cell) {
    if (mode == limit_mode::shared) return cell.until_room(cost, now);
    return own.until_room(scaled(cost, claim, mode), now);
  });
}

bool may_be_leased(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now,
                   limit_mode mode) {
  if (mode != limit_mode::shared) return false;
  if (kind == limit_kind::parallel)
    return claim.account->running() < claim.limits->parallel_requests && !claim.account->places.is_refused(now);
  if (kind != limit_kind::requests && kind != limit_kind::tokens) return false;
  const taken_time cost = cost_of(claim, kind, tokens);
  return with_bucket(claim, kind, [&](const auto&, const leased_quota& cell) { return !cell.is_refused(cost, now); });
}

void want_one(const limit_claim& claim, limit_kind kind, std::uint64_t tokens) {
  if (kind == limit_kind::parallel) return claim.account->places.want(claim.limits->parallel_requests);
  const taken_time cost = cost_of(claim, kind, tokens);
  with_bucket(claim, kind, [&](const auto&, leased_quota& cell) { cell.want(cost); });
}

void charge_shared(const limit_claim& claim, taken_time cost, proxy::instant now) {
  const limit_mode mode = claim.account->mode();
  claim.account->token_cell.owe(cost);
  if (mode == limit_mode::apart) claim.account->tokens.charge(scaled(cost, claim, mode), now);
  else claim.account->tokens.drain(scaled(cost, claim, mode), now);
}

void settle_shared(const limit_claim& claim, const settled_cost& cost, proxy::instant taken_at, proxy::instant now) {
  if (cost.real > cost.reserved) return charge_shared(claim, cost.real - cost.reserved, now);
  const taken_time back = cost.reserved - cost.real;
  claim.account->token_cell.give_back(back, taken_at, now);
  claim.account->tokens.give_back(scaled(back, claim, claim.account->mode()), taken_at, now);
}

bool is_low(const limit_claim& claim, limit_kind kind) {
  if (kind != limit_kind::requests && kind != limit_kind::tokens) return false;
  return with_bucket(claim, kind, [](const auto&, const leased_quota& cell) { return cell.is_low(); });
}

}  // namespace photofinish::gateway
