#include "gateway/limits/limit_hold.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

using time = token_bucket::time;

// What is taken before the answer, in the order in which it is looked at.
constexpr std::array taken_kinds{limit_kind::parallel, limit_kind::requests, limit_kind::tokens};

bool is_of_use(limit_kind kind) { return kind != limit_kind::parallel && kind != limit_kind::requests; }

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

time cost_of(const limit_claim& claim, limit_kind kind, std::uint64_t tokens) {
  if (!has_limit(claim, kind)) return time(0);
  if (kind == limit_kind::requests) return token_bucket::time_of(1, claim.limits->requests_per_minute);
  return token_bucket::time_of(tokens, claim.limits->tokens_per_minute);
}

bool take_one(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now) {
  if (kind == limit_kind::parallel) return claim.account->enter(claim.limits->parallel_requests);
  const time cost = cost_of(claim, kind, tokens);
  return kind == limit_kind::requests ? claim.account->requests.take(cost, now) : claim.account->tokens.take(cost, now);
}

void give_one_back(const limit_claim& claim, limit_kind kind, std::uint64_t tokens) {
  if (kind == limit_kind::parallel) return claim.account->leave();
  if (kind == limit_kind::requests) claim.account->requests.give_back(cost_of(claim, kind, tokens));
  else claim.account->tokens.undo(cost_of(claim, kind, tokens));
}

time wait_for(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now) {
  const time cost = cost_of(claim, kind, tokens);
  if (kind == limit_kind::requests) return claim.account->requests.until_room(cost, now);
  if (kind == limit_kind::tokens) return claim.account->tokens.until_room(cost, now);
  return time(0);  // not known
}

bool is_over(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now) {
  switch (kind) {
    case limit_kind::budget: return claim.account->spent() >= claim.limits->budget_nano_usd;
    case limit_kind::too_large: return tokens > claim.limits->tokens_per_minute;
    case limit_kind::parallel: return claim.account->running() >= claim.limits->parallel_requests;
    case limit_kind::requests:
    case limit_kind::tokens: return wait_for(claim, kind, tokens, now).count() > 0;
  }
  return false;
}

// Of all accounts that are over that limit the one that is so for the longest.
std::optional<limit_refusal> look(const limit_claims& claims, limit_kind kind, std::uint64_t tokens,
                                  proxy::instant now) {
  std::optional<limit_refusal> found;
  for (const limit_claim& each : claims) {
    if (!has_limit(each, kind) || !is_over(each, kind, tokens, now)) continue;
    const time wait = wait_for(each, kind, tokens, now);
    if (!found || wait > found->retry_after) found = limit_refusal{kind, each, tokens, wait};
  }
  return found;
}

// The first account's mean stands for an answer of any length. It may make a request wait, and never too large: that is
// judged by what the client says.
std::uint64_t tokens_of(const limit_claims& claims, const wanted_tokens& wanted) {
  if (wanted.most_output) return wanted.input + *wanted.most_output;
  std::uint64_t room = claims.begin()->account->usual_answer();
  for (const limit_claim& each : claims) {
    const std::uint64_t most = each.limits->tokens_per_minute;
    if (has_limit(each, limit_kind::tokens)) room = std::min(room, most > wanted.input ? most - wanted.input : 0);
  }
  return wanted.input + room;
}

}  // namespace

std::variant<limit_hold, limit_refusal> limit_hold::take(const limit_claims& claims, std::shared_ptr<const void> owner,
                                                         const wanted_tokens& wanted, proxy::instant now) {
  if (claims.empty()) return limit_hold();
  const std::uint64_t tokens = tokens_of(claims, wanted);
  for (const limit_kind kind : {limit_kind::budget, limit_kind::too_large, limit_kind::parallel, limit_kind::requests,
                                limit_kind::tokens}) {
    if (wanted.is_charged_already && is_of_use(kind)) continue;
    if (const auto refused = look(claims, kind, tokens, now)) return *refused;
  }
  limit_hold made(claims, std::move(owner), tokens);
  if (const auto refused = made.take_all(wanted, now)) return *refused;
  return made;
}

// Another worker may have taken since it was looked at: then what was taken here goes back.
std::optional<limit_refusal> limit_hold::take_all(const wanted_tokens& wanted, proxy::instant now) {
  std::array<std::pair<const limit_claim*, limit_kind>, 3 * 4> taken;
  std::size_t count = 0;
  for (const limit_kind kind : taken_kinds)
    for (const limit_claim& each : claims_) {
      if (!has_limit(each, kind) || (wanted.is_charged_already && is_of_use(kind))) continue;
      if (take_one(each, kind, reserved_, now)) {
        taken[count++] = {&each, kind};
        continue;
      }
      for (std::size_t at = 0; at < count; ++at) give_one_back(*taken[at].first, taken[at].second, reserved_);
      return limit_refusal{kind, each, reserved_, wait_for(each, kind, reserved_, now)};
    }
  is_in_ = true;
  taken_at_ = now;
  return std::nullopt;
}

void limit_hold::charge(const limit_claims& claims, std::uint64_t tokens, std::int64_t nano_usd, proxy::instant now) {
  for (const limit_claim& each : claims) {
    each.account->spend(nano_usd);
    if (!has_limit(each, limit_kind::tokens)) continue;
    each.account->tokens.charge(cost_of(each, limit_kind::tokens, std::min(tokens, most_countable)), now);
  }
}

void limit_hold::leave() {
  if (!std::exchange(is_in_, false)) return;
  for (const limit_claim& each : claims_)
    if (has_limit(each, limit_kind::parallel)) each.account->leave();
}

void limit_hold::settle(std::uint64_t input_tokens, std::uint64_t output_tokens, std::int64_t nano_usd,
                        proxy::instant now) {
  const std::uint64_t used = std::min(input_tokens, most_countable) + std::min(output_tokens, most_countable);
  for (const limit_claim& each : claims_) {
    each.account->spend(nano_usd);
    if (output_tokens > 0) each.account->note_answer(output_tokens);
    if (!has_limit(each, limit_kind::tokens)) continue;
    const time reserved = cost_of(each, limit_kind::tokens, reserved_), real = cost_of(each, limit_kind::tokens, used);
    if (real > reserved) each.account->tokens.charge(real - reserved, now);
    else each.account->tokens.give_back(reserved - real, taken_at_, now);
  }
}

}  // namespace photofinish::gateway
