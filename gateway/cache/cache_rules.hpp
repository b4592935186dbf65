// Decides which requests may be answered from the cache, and which requests count as the same question. Docs:
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

// The directives in a client's Cache-Control header that the gateway supports (RFC 9111, 5.2.1). It ignores all other
// directives.
struct cache_directives {
  bool is_fresh_wanted = false;  // no-cache: the client does not accept a stored answer
  bool is_unkept = false;        // no-store: the gateway must not store the answer to this request
  std::optional<std::chrono::seconds> max_age = {};  // the maximum age of a stored answer that the client accepts
};
cache_directives read_cache_directives(std::span<const proxy::header_field> fields);

// The maximum size of a request body whose answer is cached. Hashing a longer body would block the worker for more than
// a millisecond.
inline constexpr std::size_t longest_cached_request = 256u << 10;

// True if a stored answer may be used. The request must be in JSON, without tools, with one choice, and for an API with
// answers in text. It must not ask the provider to store the answer. In addition, the temperature must be 0, or the
// client must have sent a max-age.
bool may_be_cached(const parsed_request& asked, metrics::endpoint called, const cache_directives& directives);

// Everything in a request that may affect its answer.
struct cached_question {
  metrics::endpoint called = metrics::endpoint::other;
  std::string_view route, rule;
  std::string_view owner;                   // identifies the callers that share stored answers
  std::vector<std::string> targets = {};    // the targets that may answer the request, with their base URLs
  std::vector<std::pair<std::string, std::string>> headers = {};  // the client's headers that are sent to the targets
  const proxy::client_body* body = nullptr;
};

// Returns a SHA-256 hash of the question, which is everything in a request that may affect its answer. White space and
// the order of the body's members do not affect the hash. The following members do not affect it either: members that
// change only the format of the answer (stream, stream_options), and the end user's name, unless the answer repeats the
// name.
digest question_digest(const cached_question& question);

// Returns a SHA-256 hash of a question and of the kind of race. Requests share the answer of a running race only if
// their hashes are equal.
digest race_digest(const digest& question, std::span<const proxy::header_field> fields);

// Checks the events of an answer. An answer may be cached if the model itself ended each choice, and the provider
// reported this with its own finish reason.
class sound_answer {
 public:
  void see(const proxy::stream_event& event);
  bool is_sound(metrics::endpoint called) const;

 private:
  bool has_stopped_ = false;
  bool has_other_end_ = false;
};

}  // namespace photofinish::gateway
