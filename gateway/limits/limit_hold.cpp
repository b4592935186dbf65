#include "gateway/limits/limit_hold.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

using time = token_bucket::time;

// The following functions handle one kind of limit of one account. They check, take or return an amount. The amount
// belongs to the gateway's own bucket, or to the quota that this gateway has leased from the store.

// Shows whether an amount was taken from the account's own bucket or from leased quota. If the amount is not used, it
// is returned to the same place.
enum class taken_from : std::uint8_t { nothing, own, leased };

// Calls the function `act` with the account's bucket and its leased quota. Both are either for requests or for tokens.
template <class Act>
auto with_bucket(const limit_claim& claim, limit_kind kind, const Act& act) {
  limit_account& account = *claim.account;
  return kind == limit_kind::requests ? act(account.requests, account.request_cell)
                                      : act(account.tokens, account.token_cell);
}

// Returns the cost for the gateway's own bucket, which has the size of the whole limit. While the store is unreachable,
// each of N gateways may use only 1/N of a limit. Therefore each cost is multiplied by N.
time scaled(time cost, const limit_claim& claim, limit_mode mode) {
  if (mode == limit_mode::alone) return cost;
  return std::min<time>(cost, reservation_bucket::longest_owed) * claim.account->gateways();
}

std::uint64_t own_places(const limit_claim& claim, limit_mode mode) {
  const std::uint64_t all = claim.limits->parallel_requests;
  if (mode != limit_mode::apart) return all;
  return std::max<std::uint64_t>(1, all / static_cast<std::uint64_t>(claim.account->gateways()));
}

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

// Returns the amount that one request takes from the bucket for requests, or that `tokens` tokens take from the bucket
// for tokens.
time cost_of(const limit_claim& claim, limit_kind kind, std::uint64_t tokens) {
  if (!has_limit(claim, kind)) return time(0);
  if (kind == limit_kind::requests) return token_bucket::time_of(1, claim.limits->requests_per_minute);
  return token_bucket::time_of(tokens, claim.limits->tokens_per_minute);
}

// Returns the mode in which the account's limits apply. If the store has not answered in time, the mode is `apart`, as
// if the store were unreachable.
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
  const time cost = cost_of(claim, kind, tokens);
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
  const time cost = cost_of(claim, kind, tokens), here = scaled(cost, claim, mode);
  return with_bucket(claim, kind, [&](auto& own, leased_quota& cell) {
    if (mode != limit_mode::alone && cell.take(cost)) {
      own.drain(here, now);
      return taken_from::leased;
    }
    if (mode == limit_mode::shared || !own.take(here, now)) return taken_from::nothing;
    if (mode == limit_mode::apart) cell.owe(cost);  // the store subtracts this cost when it is reachable again
    return taken_from::own;
  });
}

void put_one_back(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, taken_from where,
                  proxy::instant now) {
  if (kind == limit_kind::parallel) return claim.account->places.leave();
  const time cost = cost_of(claim, kind, tokens);
  with_bucket(claim, kind, [&](auto& own, leased_quota& cell) {
    const limit_mode mode = claim.account->mode();
    // Returns an amount to this gateway's leased quota. take_one() also took the amount from the gateway's own bucket,
    // but that bucket refills by itself.
    if (where == taken_from::leased) return cell.put_back(cost);
    own.undo(scaled(cost, claim, mode), now);
    if (mode != limit_mode::alone) cell.owe(-cost);
  });
}

// Returns the time until the limit allows the request. Returns 0 if this time is unknown, or if the limit already
// allows it.
time wait_for(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now,
                    limit_mode mode) {
  if (kind != limit_kind::requests && kind != limit_kind::tokens) return time(0);
  const time cost = cost_of(claim, kind, tokens);
  return with_bucket(claim, kind, [&](const auto& own, const leased_quota& cell) {
    if (mode == limit_mode::shared) return cell.until_room(cost, now);
    return own.until_room(scaled(cost, claim, mode), now);
  });
}

// Returns true if the store may lease the missing amount to this gateway. want_one() includes the waiting request when
// the gateway next asks the store for quota.
bool may_be_leased(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now,
                   limit_mode mode) {
  if (mode != limit_mode::shared) return false;
  if (kind == limit_kind::parallel)
    return claim.account->running() < claim.limits->parallel_requests && !claim.account->places.is_refused(now);
  if (kind != limit_kind::requests && kind != limit_kind::tokens) return false;
  const time cost = cost_of(claim, kind, tokens);
  return with_bucket(claim, kind, [&](const auto&, const leased_quota& cell) { return !cell.is_refused(cost, now); });
}

void want_one(const limit_claim& claim, limit_kind kind, std::uint64_t tokens) {
  if (kind == limit_kind::parallel) return claim.account->places.want(claim.limits->parallel_requests);
  const time cost = cost_of(claim, kind, tokens);
  with_bucket(claim, kind, [&](const auto&, leased_quota& cell) { cell.want(cost); });
}

// Charges the tokens that a request has used beyond its reserved tokens.
void charge_shared(const limit_claim& claim, time cost, proxy::instant now) {
  const limit_mode mode = claim.account->mode();
  claim.account->token_cell.owe(cost);
  if (mode == limit_mode::apart) claim.account->tokens.charge(scaled(cost, claim, mode), now);
  else claim.account->tokens.drain(scaled(cost, claim, mode), now);
}

struct settled_cost {
  time reserved, real;
};

// Settles a reservation after the answer. Returns the unused tokens, or charges the additional tokens.
void settle_shared(const limit_claim& claim, const settled_cost& cost, proxy::instant taken_at, proxy::instant now) {
  if (cost.real > cost.reserved) return charge_shared(claim, cost.real - cost.reserved, now);
  const time back = cost.reserved - cost.real;
  claim.account->token_cell.give_back(back, taken_at, now);
  claim.account->tokens.give_back(scaled(back, claim, claim.account->mode()), taken_at, now);
}

// Returns true if the housekeeper thread should lease more quota for this kind of limit in advance.
bool is_low(const limit_claim& claim, limit_kind kind) {
  if (kind != limit_kind::requests && kind != limit_kind::tokens) return false;
  return with_bucket(claim, kind, [](const auto&, const leased_quota& cell) { return cell.is_low(); });
}

// The kinds of limits that are charged before the request runs, in the order in which they are checked.
constexpr std::array taken_kinds{limit_kind::parallel, limit_kind::requests, limit_kind::tokens};

bool is_of_use(limit_kind kind) { return kind != limit_kind::parallel && kind != limit_kind::requests; }

bool is_asked(const limit_claim& claim, limit_kind kind, const wanted_tokens& wanted) {
  return has_limit(claim, kind) && !(wanted.is_charged_already && is_of_use(kind));
}

bool is_worse(const limit_refusal& one, const limit_refusal& other) {
  if (one.may_be_leased != other.may_be_leased) return other.may_be_leased;
  return one.retry_after > other.retry_after;
}

// Finds all accounts that refuse the request because of this kind of limit. Returns the refusal with the longest wait.
std::optional<limit_refusal> look(const limit_claims& claims, limit_kind kind, std::uint64_t tokens,
                                  proxy::instant now, store_patience patience) {
  std::optional<limit_refusal> found;
  for (const limit_claim& each : claims) {
    const limit_mode mode = mode_of(each, patience);
    if (!has_limit(each, kind) || fits(each, kind, tokens, now, mode)) continue;
    const limit_refusal refused{kind, each, tokens, wait_for(each, kind, tokens, now, mode),
                                may_be_leased(each, kind, tokens, now, mode)};
    if (!found || is_worse(refused, *found)) found = refused;
  }
  return found;
}

// The smallest estimate of an answer in tokens. A stream with 17 tokens per second writes this number in one minute,
// the period of a bucket. Running streams with this estimate therefore hardly exceed the rate of their account. A short
// answer returns most of its estimate, so other requests hardly have to wait.
constexpr std::uint64_t least_guess = 1024;
// Limits the smallest estimate of an answer's tokens. If an account has a small token limit, the smallest estimate is
// at most the limit divided by this number.
constexpr std::uint64_t guesses_in_a_bucket = 8;

// Returns the number of tokens to reserve. If the request does not limit its answer, the estimate is the average answer
// of the first account, but at least least_guess. A lower number would admit a burst of long answers. The estimate of
// an answer never exceeds the account's limit. Therefore it may delay a request, but only the client's own numbers can
// make a request too large.
std::uint64_t tokens_of(const limit_claims& claims, const wanted_tokens& wanted) {
  if (wanted.most_output) return wanted.input + *wanted.most_output;
  std::uint64_t least = least_guess, room = most_countable;
  for (const limit_claim& each : claims) {
    if (!has_limit(each, limit_kind::tokens)) continue;
    const std::uint64_t most = each.limits->tokens_per_minute;
    least = std::min(least, most / guesses_in_a_bucket);
    room = std::min(room, most > wanted.input ? most - wanted.input : 0);
  }
  const std::uint64_t one = std::max<std::uint64_t>(least, claims.begin()->account->usual_answer());
  return wanted.input + std::min(one * wanted.answers, room);
}

}  // namespace

std::variant<limit_hold, limit_refusal> limit_hold::take(const limit_claims& claims, std::shared_ptr<const void> owner,
                                                         const wanted_tokens& wanted, proxy::instant now,
                                                         store_patience patience) {
  if (claims.empty()) return limit_hold();
  const std::uint64_t tokens = tokens_of(claims, wanted);
  std::optional<limit_refusal> open;
  for (const limit_kind kind : {limit_kind::budget, limit_kind::too_large, limit_kind::parallel, limit_kind::requests,
                                limit_kind::tokens}) {
    if (wanted.is_charged_already && is_of_use(kind)) continue;
    const auto refused = look(claims, kind, tokens, now, patience);
    if (refused && !refused->may_be_leased) return *refused;
    if (refused && !open) open = refused;
  }
  if (open) return *open;
  limit_hold made(claims, std::move(owner), tokens, wanted.answers);
  if (const auto refused = made.take_all(wanted, now, patience)) return *refused;
  return made;
}

// Only the limit of the caller's key is charged. The team's limit is not needed, because each of the team's keys has a
// limit.
std::optional<limit_refusal> limit_hold::take_side_request(const limit_claims& claims, proxy::instant now) {
  for (const limit_claim& each : claims) {
    const bool is_callers = each.scope == limit_scope::key || each.scope == limit_scope::subject;
    if (!is_callers || !has_limit(each, limit_kind::requests)) continue;
    const time cost = cost_of(each, limit_kind::requests, 1);
    token_bucket& bucket = each.account->side_requests;
    if (!bucket.take(cost, now)) return limit_refusal{limit_kind::requests, each, 0, bucket.until_room(cost, now)};
  }
  return std::nullopt;
}

// Takes the amounts from all accounts. If another worker has used up a limit since the check, returns all amounts that
// were already taken.
std::optional<limit_refusal> limit_hold::take_all(const wanted_tokens& wanted, proxy::instant now,
                                                  store_patience patience) {
  struct one {
    const limit_claim* claim;
    limit_kind kind;
    taken_from where;
  };
  std::array<one, 3 * 4> taken;
  std::size_t count = 0;
  for (const limit_kind kind : taken_kinds)
    for (const limit_claim& each : claims_) {
      if (!is_asked(each, kind, wanted)) continue;
      const limit_mode mode = mode_of(each, patience);
      if (const taken_from where = take_one(each, kind, reserved_, now, mode); where != taken_from::nothing) {
        taken[count++] = {&each, kind, where};
        continue;
      }
      for (std::size_t at = 0; at < count; ++at)
        put_one_back(*taken[at].claim, taken[at].kind, reserved_, taken[at].where, now);
      return limit_refusal{kind, each, reserved_, wait_for(each, kind, reserved_, now, mode),
                           may_be_leased(each, kind, reserved_, now, mode)};
    }
  for (const limit_claim& each : claims_)
    if (is_asked(each, limit_kind::budget, wanted)) each.account->hold_money(wanted.nano_usd);
  if (!wanted.is_charged_already) held_nano_usd_ = wanted.nano_usd;
  is_in_ = true;
  is_shared_ = claims_.begin()->account->mode() != limit_mode::alone;
  taken_at_ = now;
  return std::nullopt;
}

accounts_asked limit_hold::ask(const limit_claims& claims, const wanted_tokens& wanted, proxy::instant now) {
  accounts_asked asked;
  const std::uint64_t tokens = tokens_of(claims, wanted);
  for (const limit_claim& each : claims) {
    bool is_short = false;
    for (const limit_kind kind : taken_kinds) {
      if (!is_asked(each, kind, wanted) || fits(each, kind, tokens, now, each.account->mode())) continue;
      want_one(each, kind, tokens);
      is_short = true;
    }
    if (is_short) asked.push_back(each.account->shared_from_this());
  }
  return asked;
}

accounts_asked limit_hold::ask_ahead(const limit_claims& claims) {
  accounts_asked asked;
  for (const limit_claim& each : claims) {
    if (each.account->mode() != limit_mode::shared) continue;
    if (!is_low(each, limit_kind::requests) && !is_low(each, limit_kind::tokens)) continue;
    if (!each.account->is_asked_for.exchange(true, std::memory_order_relaxed))
      asked.push_back(each.account->shared_from_this());
  }
  return asked;
}

void limit_hold::charge(const limit_claims& claims, std::uint64_t tokens, std::int64_t nano_usd, proxy::instant now) {
  for (const limit_claim& each : claims) {
    each.account->spend(nano_usd);
    if (!has_limit(each, limit_kind::tokens)) continue;
    const time cost = cost_of(each, limit_kind::tokens, std::min(tokens, most_countable));
    if (each.account->mode() == limit_mode::alone) each.account->tokens.charge(cost, now);
    else charge_shared(each, cost, now);
  }
}

void limit_hold::leave() {
  if (!std::exchange(is_in_, false)) return;
  for (const limit_claim& each : claims_)
    if (has_limit(each, limit_kind::parallel)) each.account->places.leave();
}

void limit_hold::release_money() {
  const std::int64_t held = std::exchange(held_nano_usd_, 0);
  if (held == 0) return;
  for (const limit_claim& each : claims_)
    if (has_limit(each, limit_kind::budget)) each.account->hold_money(-held);
}

void limit_hold::settle(std::uint64_t input_tokens, std::uint64_t output_tokens, std::int64_t nano_usd,
                        proxy::instant now) {
  const std::uint64_t used = std::min(input_tokens, most_countable) + std::min(output_tokens, most_countable);
  release_money();
  for (const limit_claim& each : claims_) {
    each.account->spend(nano_usd);
    if (output_tokens > 0) each.account->note_answer((output_tokens - 1) / answers_ + 1);
    if (!has_limit(each, limit_kind::tokens)) continue;
    const time reserved = cost_of(each, limit_kind::tokens, reserved_), real = cost_of(each, limit_kind::tokens, used);
    if (is_shared_) settle_shared(each, {reserved, real}, taken_at_, now);
    else each.account->tokens.settle(reserved, real, taken_at_, now);
  }
}

}  // namespace photofinish::gateway
