// Decides which requests the cache may answer, and when two requests count as the same question. Docs:
// docs/operating/cached-answers.md.
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

// The directives in a client's Cache-Control that the gateway follows (RFC 9111, 5.2.1). It ignores all other
// directives.
struct cache_directives {
  bool is_fresh_wanted = false;  // no-cache: the client accepts no stored answer
  bool is_unkept = false;        // no-store: the answer to this request must not be stored
  std::optional<std::chrono::seconds> max_age = {};  // age of the oldest stored answer that the client accepts
};
cache_directives read_cache_directives(std::span<const proxy::header_field> fields);

// The size of the longest request body that is cached. Hashing a longer body would block the worker for more than a
// millisecond.
inline constexpr std::size_t longest_cached_request = 256u << 10;

// True if a stored answer may be used. The request must be JSON for an API whose answers are text, without tools, with
// one choice, and the provider must store nothing. In addition its temperature must be 0, or its client must have sent
// a max-age.
bool may_be_cached(const parsed_request& asked, metrics::endpoint called, const cache_directives& directives);

// All inputs on which the answer to a request depends.
struct cached_question {
  metrics::endpoint called = metrics::endpoint::other;
  std::string_view route, rule;
  std::string_view owner;                   // identifies the callers that share the answer
  std::vector<std::string> targets = {};    // the targets that may answer, with their base URLs
  std::vector<std::pair<std::string, std::string>> headers = {};  // the client's headers that are sent to the targets
  const proxy::client_body* body = nullptr;
};

// Returns a SHA-256 of the question. White space and the order of the body's members do not change the result. Members
// that change only the form of the answer (stream, stream_options) do not change it. The end user's name does not
// change it, unless the answer repeats that name.
digest question_digest(const cached_question& question);

// Returns a SHA-256 that also depends on the kind of race, because only requests for the same kind of race share an
// answer.
digest race_digest(const digest& question, std::span<const proxy::header_field> fields);

// Checks the events of an answer. An answer is sound if the model itself ended each choice, and the provider reported
// this with its own finish reason.
class sound_answer {
 public:
  void see(const proxy::stream_event& event);
  bool is_sound(metrics::endpoint called) const;

 private:
  bool has_stopped_ = false;
  bool has_other_end_ = false;
};

}  // namespace photofinish::gateway
