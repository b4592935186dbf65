// What a client reads of its limits: the error of a refusal, and the headers of every answer. [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/http/response.hpp"
#include "gateway/limits/limit_hold.hpp"

#include <chrono>
#include <string>

namespace photofinish::gateway {

api_error explain(const limit_refusal& refused);

// The store is away, and requests that have limits are refused until it is back: 503.
api_error unknown_limits();

// A key that opens nothing any more: 401.
api_error blocked_key();
api_error expired_key(std::chrono::sys_seconds since);

// Of the account with the least left: x-ratelimit-{limit,remaining,reset}-{requests,tokens}, as OpenAI writes them, and
// x-photofinish-key-{spend-usd,budget-usd,budget-reset}. Nothing of a limit that there is not.
void append_limit_fields(header_fields& fields, const limit_claims& claims, proxy::instant now,
                         std::chrono::sys_seconds wall_now);

// "20ms", "1.5s", "6m0s", as OpenAI's resets are written.
std::string reset_text(token_bucket::time time);

// "12.345678", of dollars, without zeros that say nothing.
std::string dollars(std::int64_t nano_usd);

}  // namespace photofinish::gateway
