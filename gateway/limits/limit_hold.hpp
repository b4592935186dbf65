// Holds the amounts that one request takes from its accounts. The request returns unused amounts later. [pure]
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

// The number of tokens and the amount of money that a request needs. Both are estimates until the answer is complete.
struct wanted_tokens {
  std::uint64_t input = 0;
  // The limit for the answer's tokens; empty if the request sets no limit.
  std::optional<std::uint64_t> most_output{};
  // True if the request fetches a background response that was already charged. For such a request, tokens and cost are
  // not checked.
  bool is_charged_already = false;
  // The number of answers for which the client pays. The limit `most_output` applies to the sum of all these answers.
  std::uint64_t answers = 1;
  std::int64_t nano_usd = 0;  // the expected cost of the request
};

struct limit_refusal {
  limit_kind kind;
  limit_claim claim;  // the account and the kind of limit that refuse the request
  std::uint64_t wanted = 0;  // the number of tokens that the request needs; only for too_large
  // The time after which a retry may succeed; only for limits on requests and tokens.
  token_bucket::time retry_after{0};
  bool may_be_leased = false;  // true if the store may lease more quota: call limit_hold::ask(), wait, and try again
};

// The accounts for which the housekeeper thread must lease more quota from the store.
using accounts_asked = std::vector<std::shared_ptr<limit_account>>;

// Holds a request's slots for parallel requests and its reserved tokens. Only one thread at a time may use this object.
// The destructor frees the slots, however the request ends.
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

  // Checks all limits before it takes any amount. The order of the checks is the order of limit_kind. The pointer
  // `owner` keeps the limits in `claims` valid.
  static std::variant<limit_hold, limit_refusal> take(const limit_claims& claims, std::shared_ptr<const void> owner,
                                                      const wanted_tokens& wanted, proxy::instant now,
                                                      store_patience patience = store_patience::left);

  // Registers the waiting request at each account whose quota is not sufficient for it. Returns these accounts.
  static accounts_asked ask(const limit_claims& claims, const wanted_tokens& wanted, proxy::instant now);
  // Returns the accounts whose leased quota is low. It returns each account only once until the housekeeper thread has
  // leased more quota for it.
  static accounts_asked ask_ahead(const limit_claims& claims);

  // Counts one request that needs no provider. Only the caller's own request limit applies to it.
  static std::optional<limit_refusal> take_side_request(const limit_claims& claims, proxy::instant now);

  // Charges a cost that is only known after the answer. No slot and no tokens have to be reserved before this call.
  static void charge(const limit_claims& claims, std::uint64_t tokens, std::int64_t nano_usd, proxy::instant now);

  // Frees the request's slots. Call this function after the client has received its answer.
  void leave();
  // Replaces the reserved amounts by the real usage: the winner's tokens, and the cost of all attempts. Call this
  // function when the usage is known.
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
  std::uint64_t reserved_ = 0;  // the number of reserved tokens
  std::uint64_t answers_ = 1;
  std::int64_t held_nano_usd_ = 0;
  proxy::instant taken_at_{};
  bool is_in_ = false;
  bool is_shared_ = false;  // true if gateways shared the limits when this request took its amounts
};

}  // namespace photofinish::gateway
