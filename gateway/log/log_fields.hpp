// The names of all log fields. All log formats use these names. docs/operating/log.md explains each name. [pure]
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace photofinish::gateway {

// The fields, in the order of log_field_names.
enum class log_field {
  // The fields of the log line about a request.
  id, peer, forwarded_for, endpoint, method, path, model, route, client, team, project,
  session, outcome, status, code, limit, form, duration_ms, ttft_ms, winner, cache, guardrail,
  input_tokens, cached_tokens, attempts,
  // The fields of an attempt. In addition, an attempt has the fields outcome and ttft_ms, and a request has the fields
  // reason and usd.
  target, reason, tok_s, tokens, usage_tok_s, usage_tokens, reasoning_tokens, usage,
  queue_ms, prompt_ms, finish, repeated_without, usd, ms,
  // The fields of the log line about omitted lines.
  lines,
};

inline constexpr std::array<std::string_view, 40> log_field_names{
    "id", "peer", "forwarded_for", "endpoint", "method", "path", "model", "route", "client", "team", "project",
    "session", "outcome", "status", "code", "limit", "form", "duration_ms", "ttft_ms", "winner", "cache", "guardrail",
    "input_tokens", "cached_tokens", "attempts",
    "target", "reason", "tok_s", "tokens", "usage_tok_s", "usage_tokens", "reasoning_tokens", "usage",
    "queue_ms", "prompt_ms", "finish", "repeated_without", "usd", "ms",
    "lines"};
static_assert(log_field_names.size() == static_cast<std::size_t>(log_field::lines) + 1);

constexpr std::string_view name_of(log_field field) { return log_field_names[static_cast<std::size_t>(field)]; }

}  // namespace photofinish::gateway
