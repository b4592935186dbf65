// Which requests a cache may answer, and when two of them are the same question.
// Docs: docs/operating.md, "The same question twice".
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

// What a client's Cache-Control says (RFC 9111, 5.2.1); the rest of it is ignored.
struct cache_directives {
  bool is_fresh_wanted = false;  // no-cache: no answer from before
  bool is_unkept = false;        // no-store: its own is not kept
  std::optional<std::chrono::seconds> max_age = {};  // of an answer from before
};
cache_directives read_cache_directives(std::span<const proxy::header_field> fields);

// A longer body is not looked at: hashing it would hold the worker for more than a millisecond.
inline constexpr std::size_t longest_cached_request = 256u << 10;

// Whether its answer may be another's: asked for in JSON and of an API whose answers are text, without tools, one
// choice, nothing kept at the provider, and either at temperature 0 or by a client that named a max-age.
bool may_be_cached(const parsed_request& asked, metrics::endpoint called, const cache_directives& directives);

// Everything that an answer depends on.
struct cached_question {
  metrics::endpoint called = metrics::endpoint::other;
  std::string_view route, rule;
  std::string_view owner;                   // who shares the answer
  std::vector<std::string> targets = {};    // who may give it, and where they are
  std::vector<std::pair<std::string, std::string>> headers = {};  // of the client's, that reach them
  const proxy::client_body* body = nullptr;
};

// SHA-256. Neither white space nor the order of the body's members counts, nor what changes the answer's form alone
// (stream, stream_options), nor what names the end user, where no answer repeats it.
digest question_digest(const cached_question& question);

// The same for races: who asks for another race does not share one.
digest race_digest(const digest& question, std::span<const proxy::header_field> fields);

// Sees an answer's events go by. Sound: each choice ended by itself, with the provider's own word for it.
class sound_answer {
 public:
  void see(const proxy::stream_event& event);
  bool is_sound(metrics::endpoint called) const;

 private:
  bool has_stopped_ = false;
  bool has_other_end_ = false;
};

}  // namespace photofinish::gateway
