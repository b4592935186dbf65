// One kind of limit at one account: looked at, taken and put back, of its own bucket or of what is leased. [pure]
#pragma once

#include "gateway/limits/limit_claims.hpp"

#include <cstdint>

namespace photofinish::gateway {

// Where something was taken, so that it goes back there.
enum class taken_from : std::uint8_t { nothing, own, leased };

bool has_limit(const limit_claim& claim, limit_kind kind);
// What so many tokens, or a request, are of the bucket.
token_bucket::time cost_of(const limit_claim& claim, limit_kind kind, std::uint64_t tokens);

// As the account has it; or as if the store were away, where it has not answered in time.
limit_mode mode_of(const limit_claim& claim, store_patience patience);

bool fits(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now, limit_mode mode);
taken_from take_one(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now,
                    limit_mode mode);
void put_one_back(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, taken_from where,
                  proxy::instant now);

// Until it fits; 0 where that is not known, or it fits.
token_bucket::time wait_for(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now,
                            limit_mode mode);

// Of what does not fit: whether the store may have it. want_one() says that a request waits for it.
bool may_be_leased(const limit_claim& claim, limit_kind kind, std::uint64_t tokens, proxy::instant now,
                   limit_mode mode);
void want_one(const limit_claim& claim, limit_kind kind, std::uint64_t tokens);
// Tokens that are used beyond what was taken; and once an answer is known, what was reserved for it and what it was.
void charge_shared(const limit_claim& claim, token_bucket::time cost, proxy::instant now);
struct settled_cost {
  token_bucket::time reserved, real;
};
void settle_shared(const limit_claim& claim, const settled_cost& cost, proxy::instant taken_at, proxy::instant now);

// Whether the housekeeper should fetch more of it ahead.
bool is_low(const limit_claim& claim, limit_kind kind);

}  // namespace photofinish::gateway
