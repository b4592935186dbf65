#include "gateway/limits/limit_answers.hpp"

#include "gateway/limits/budget_window.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::gateway {
namespace {

using std::chrono::milliseconds;

// The value of the header retry-after if the gateway does not know when the request may succeed.
constexpr milliseconds usual_wait{1'000};

std::string_view words_for(limit_scope scope) {
  constexpr std::array<std::string_view, 5> words{"this access key", "this access key on this route",
                                                  "the team of this access key", "this route", "this caller"};
  return words[static_cast<std::size_t>(scope)];
}

std::string limit_text(const limit_refusal& refused, std::string_view setting, std::uint64_t value) {
  return std::string(setting) + " of " + std::string(words_for(refused.claim.scope)) + ", " + std::to_string(value);
}

api_error over_rate(std::string message, milliseconds retry_after) {
  return {.status = 429,
          .message = std::move(message),
          .type = "rate_limit_error",
          .code = "rate_limit_exceeded",
          .retry_after = retry_after};
}

// Returns the error for a request if running requests have reserved the rest of the budget. When these requests end,
// some of the budget may become available again.
api_error over_held_budget(const limit_refusal& refused) {
  return over_rate("running requests may use up the rest of the max_budget of " +
                       std::string(words_for(refused.claim.scope)) + ", $" +
                       dollars(refused.claim.limits->budget_nano_usd),
                   usual_wait);
}

api_error over_budget(const limit_refusal& refused) {
  if (refused.claim.account->spent() < refused.claim.limits->budget_nano_usd) return over_held_budget(refused);
  return {.status = 429,
          .message = "budget exceeded: the max_budget of " + std::string(words_for(refused.claim.scope)) + ", $" +
                     dollars(refused.claim.limits->budget_nano_usd) + ", is spent",
          .type = "insufficient_quota",
          .code = "insufficient_quota",
          .advice = retry_advice::no};
}

api_error invalid_key(std::string message) {
  api_error error = bad_request(std::move(message), {}, "invalid_api_key");
  error.status = 401;
  error.type = "authentication_error";
  return error;
}

// Finds the account whose limit has the least amount left. Returns null if no account has this kind of limit.
template <class Limit, class Left>
const limit_claim* tightest(const limit_claims& claims, Limit limit_settings::*limit, const Left& left) {
  const limit_claim* found = nullptr;
  for (const limit_claim& each : claims)
    if (each.limits->*limit > 0 && (found == nullptr || left(each) < left(*found))) found = &each;
  return found;
}

struct bucket_words {
  std::string_view limit, remaining, reset;
};

// Returns the amount that is left in a bucket, as far as this gateway knows. For a shared bucket, this is the amount
// that the store reported last.
template <class Bucket>
struct bucket_view {
  Bucket limit_account::*own;
  leased_quota limit_account::*leased;

  token_bucket::time room(const limit_account& account, proxy::instant now) const {
    if (account.mode() == limit_mode::shared)
      return std::max(token_bucket::time(0), token_bucket::whole - (account.*leased).until_full(now));
    return (account.*own).room(now) / (account.mode() == limit_mode::apart ? account.gateways() : 1);
  }
  token_bucket::time until_full(const limit_account& account, proxy::instant now) const {
    return account.mode() == limit_mode::shared ? (account.*leased).until_full(now) : (account.*own).until_full(now);
  }
};

template <class Bucket>
void append_bucket(header_fields& fields, const limit_claims& claims, std::uint64_t limit_settings::*limit,
                   const bucket_view<Bucket>& bucket, const bucket_words& words, proxy::instant now) {
  const auto left = [&](const limit_claim& each) {
    return token_bucket::units_in(bucket.room(*each.account, now), each.limits->*limit);
  };
  const limit_claim* tight = tightest(claims, limit, left);
  if (tight == nullptr) return;
  fields.add(words.limit, std::to_string(tight->limits->*limit));
  fields.add(words.remaining, std::to_string(left(*tight)));
  fields.add(words.reset, reset_text(bucket.until_full(*tight->account, now)));
}

void append_budget(header_fields& fields, const limit_claims& claims, std::chrono::sys_seconds now) {
  const auto left = [](const limit_claim& each) { return each.limits->budget_nano_usd - each.account->spent(); };
  const limit_claim* tight = tightest(claims, &limit_settings::budget_nano_usd, left);
  if (tight == nullptr) return;
  fields.add("x-photofinish-key-spend-usd", dollars(tight->account->spent()));
  fields.add("x-photofinish-key-budget-usd", dollars(tight->limits->budget_nano_usd));
  const std::chrono::seconds reset = window_end(tight->limits->every, now) - now;
  fields.add("x-photofinish-key-budget-reset", std::to_string(std::max<std::int64_t>(0, reset.count())));
}

}  // namespace

api_error explain(const limit_refusal& refused) {
  const limit_settings& limits = *refused.claim.limits;
  const auto wait = std::max(milliseconds(1), std::chrono::ceil<milliseconds>(refused.retry_after));
  switch (refused.kind) {
    case limit_kind::budget: return over_budget(refused);
    case limit_kind::too_large:
      return bad_request("the request may need " + std::to_string(refused.wanted) + " tokens, more than " +
                             limit_text(refused, "tpm_limit", limits.tokens_per_minute) +
                             ", ever allows: send a shorter prompt or a lower max_tokens",
                         {}, "request_exceeds_limit");
    case limit_kind::parallel:
      return over_rate("the number of running requests has reached " +
                           limit_text(refused, "max_parallel_requests", limits.parallel_requests),
                       usual_wait);
    case limit_kind::requests:
      return over_rate(limit_text(refused, "rpm_limit", limits.requests_per_minute) + " requests a minute, is reached",
                       wait);
    case limit_kind::tokens:
      return over_rate(limit_text(refused, "tpm_limit", limits.tokens_per_minute) + " tokens a minute, is reached",
                       wait);
  }
  return over_budget(refused);
}

api_error unknown_limits() {
  return {.status = 503,
          .message = "limits cannot be checked now: the store that the gateways share does not answer",
          .type = "server_error",
          .code = "limits_unavailable",
          .retry_after = usual_wait};
}

api_error blocked_key() { return invalid_key("this access key is blocked"); }

api_error expired_key(std::chrono::sys_seconds since) {
  return invalid_key("this access key expired at " + http_date(since));
}

void append_limit_fields(header_fields& fields, const limit_claims& claims, proxy::instant now,
                         std::chrono::sys_seconds wall_now) {
  append_bucket(fields, claims, &limit_settings::requests_per_minute,
                bucket_view<token_bucket>{&limit_account::requests, &limit_account::request_cell},
                {"x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"}, now);
  append_bucket(fields, claims, &limit_settings::tokens_per_minute,
                bucket_view<reservation_bucket>{&limit_account::tokens, &limit_account::token_cell},
                {"x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"}, now);
  append_budget(fields, claims, wall_now);
}

std::string reset_text(token_bucket::time time) {
  const std::int64_t all = std::chrono::ceil<milliseconds>(time).count();
  if (all == 0) return "0s";
  if (all < 1000) return std::to_string(all) + "ms";
  std::string text;
  if (all >= 60'000) text = std::to_string(all / 60'000) + "m";
  text += std::to_string(all / 1000 % 60);
  if (const std::int64_t rest = all % 1000; rest > 0) {
    std::string decimals = std::to_string(1000 + rest).substr(1);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    text += "." + decimals;
  }
  return text + "s";
}

std::string dollars(std::int64_t nano_usd) {
  constexpr std::int64_t one = 1'000'000'000;
  std::string text = std::to_string(nano_usd / one), decimals = std::to_string(one + nano_usd % one).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return decimals.empty() ? text : text + "." + decimals;
}

}  // namespace photofinish::gateway
