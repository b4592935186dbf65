// Builds the texts about limits that clients see: the error for a refused request, and the headers of each answer.
// [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/http/response.hpp"
#include "gateway/limits/limit_hold.hpp"

#include <chrono>
#include <string>

namespace photofinish::gateway {

api_error explain(const limit_refusal& refused);

// Returns error 503 for a request whose limits cannot be checked, because the store is unreachable. The configuration
// decides whether the gateway refuses such requests.
api_error unknown_limits();

// Returns error 401 for a blocked key.
api_error blocked_key();
api_error expired_key(std::chrono::sys_seconds since);

// Appends x-ratelimit-{limit,remaining,reset}-{requests,tokens} in OpenAI's format, and
// x-photofinish-key-{spend-usd,budget-usd,budget-reset}. Each header describes the account with the least amount left.
// If no account has a certain kind of limit, the headers for this kind are left out.
void append_limit_fields(header_fields& fields, const limit_claims& claims, proxy::instant now,
                         std::chrono::sys_seconds wall_now);

// Formats a time as OpenAI's reset headers do: "20ms", "1.5s", "6m0s".
std::string reset_text(token_bucket::time time);

// Formats nano dollars as dollars, for example "12.345678", without trailing zeros.
std::string dollars(std::int64_t nano_usd);

}  // namespace photofinish::gateway
