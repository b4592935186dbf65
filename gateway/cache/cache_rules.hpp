// Decides which requests a cache may answer, and when two requests are the same question.
// Docs: docs/operating/cached-answers.md.
#pragma once

#include "gateway/access/caller_digest.hpp"
#include "gateway/api/parsed_request.hpp"
#include "metrics/outcomes.hpp"
#include "proxy/http/http_head.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// The directives in a client's Cache-Control that count here (RFC 9111, 5.2.1); others are ignored.
struct cache_directives {
  bool is_fresh_wanted = false;  // no-cache: accepts no stored answer
  bool is_unkept = false;        // no-store: its own answer must not be stored
  std::optional<std::chrono::seconds> max_age = {};  // oldest stored answer that the client accepts
};
cache_directives read_cache_directives(std::span<const proxy::header_field> fields);

// A longer body is not cached: hashing it would hold the worker for more than a millisecond.
inline constexpr std::size_t longest_cached_request = 256u << 10;

// True if a stored answer may be used: the request is JSON for an API whose answers are text, without tools, with one
// choice, and the provider keeps nothing. Also, its temperature is 0, or its client sent a max-age.
bool may_be_cached(const parsed_request& asked, metrics::endpoint called, const cache_directives& directives);

// All inputs on which an answer depends.
struct cached_question {
  metrics::endpoint called = metrics::endpoint::other;
  std::string_view route, rule;
  std::string_view owner;                   // the callers that share the answer
  std::vector<std::string> targets = {};    // the possible targets, with their base URLs
  std::vector<std::pair<std::string, std::string>> headers = {};  // headers of the client that are sent to the targets
  const proxy::client_body* body = nullptr;
};

// SHA-256. White space and the order of the body's members do not count, nor do members that change only the answer's
// form (stream, stream_options), nor the end user's name, unless the answer repeats it.
digest question_digest(const cached_question& question);

// Same for races: a request for another kind of race does not share one.
digest race_digest(const digest& question, std::span<const proxy::header_field> fields);

// Watches an answer's events. The answer is sound if each choice ended by itself, with the provider's own word for it.
class sound_answer {
 public:
  void see(const proxy::stream_event& event);
  bool is_sound(metrics::endpoint called) const;

 private:
  bool has_stopped_ = false;
  bool has_other_end_ = false;
};

}  // namespace photofinish::gateway
