// What one request takes of the accounts that it is charged to, and gives back. [pure]
#pragma once

#include "gateway/limits/bounds/asked_output.hpp"
#include "gateway/limits/limit_claims.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway {

// Before its answer is known.
struct wanted_tokens {
  std::uint64_t input = 0;
  std::optional<std::uint64_t> most_output{};  // none: the request does not say
  bool is_charged_already = false;  // neither tokens nor money are looked at: it asks for what was begun before
  std::uint64_t answers = 1;  // that it buys; `most_output` is of all of them
  std::int64_t nano_usd = 0;  // that it is expected to cost
};

struct limit_refusal {
  limit_kind kind;
  limit_claim claim;  // that has the least room
  std::uint64_t wanted = 0;  // tokens, of too_large
  token_bucket::time retry_after{0};  // of requests and tokens
  bool may_be_leased = false;  // the store may have it: limit_hold::ask(), wait, and try again
};

// Accounts whose housekeeper is to ask the store.
using accounts_asked = std::vector<std::shared_ptr<limit_account>>;

// One request's places and tokens. Of one thread at a time. Whatever way the request ends, its place is free again.
class limit_hold {
 public:
  limit_hold() = default;
  limit_hold(limit_hold&& other) noexcept { swap(other); }
  limit_hold& operator=(limit_hold&& other) noexcept {
    limit_hold moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~limit_hold() {
    leave();
    release_money();
  }

  // Looks at all of them, in the order of limit_kind, before anything is taken. `owner`: what the claims live in.
  static std::variant<limit_hold, limit_refusal> take(const limit_claims& claims, std::shared_ptr<const void> owner,
                                                      const wanted_tokens& wanted, proxy::instant now,
                                                      store_patience patience = store_patience::left);

  // Notes that a request waits for what does not fit, at each account where it does not.
  static accounts_asked ask(const limit_claims& claims, const wanted_tokens& wanted, proxy::instant now);
  // Those of which hardly anything is leased any more; each once, until it was asked for.
  static accounts_asked ask_ahead(const limit_claims& claims);

  // One request that uses no provider, which only the caller's own limit on requests bounds.
  static std::optional<limit_refusal> take_side_request(const limit_claims& claims, proxy::instant now);

  // Without a place and a reservation: what turned out behind an answer.
  static void charge(const limit_claims& claims, std::uint64_t tokens, std::int64_t nano_usd, proxy::instant now);

  // The client has its answer.
  void leave();
  // Once it is known what it used: its winner's tokens, and what all its attempts cost.
  void settle(std::uint64_t input_tokens, std::uint64_t output_tokens, std::int64_t nano_usd, proxy::instant now);

 private:
  limit_hold(const limit_claims& claims, std::shared_ptr<const void> owner, std::uint64_t reserved,
             std::uint64_t answers)
      : claims_(claims), owner_(std::move(owner)), reserved_(reserved), answers_(answers) {}
  std::optional<limit_refusal> take_all(const wanted_tokens& wanted, proxy::instant now, store_patience patience);
  void release_money();
  void swap(limit_hold& other) {
    std::swap(claims_, other.claims_);
    std::swap(owner_, other.owner_);
    std::swap(reserved_, other.reserved_);
    std::swap(answers_, other.answers_);
    std::swap(held_nano_usd_, other.held_nano_usd_);
    std::swap(is_in_, other.is_in_);
    std::swap(is_shared_, other.is_shared_);
    std::swap(taken_at_, other.taken_at_);
  }

  limit_claims claims_;
  std::shared_ptr<const void> owner_;
  std::uint64_t reserved_ = 0;  // tokens
  std::uint64_t answers_ = 1;
  std::int64_t held_nano_usd_ = 0;
  proxy::instant taken_at_{};
  bool is_in_ = false;
  bool is_shared_ = false;  // it was taken where there was a store
};

}  // namespace photofinish::gateway
