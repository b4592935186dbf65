// Every provider's error answer -> failure: OpenAI's object, Google's array, Anthropic's event, Mistral's
// validation details, bare strings, prose, HTML pages, nothing at all. [pure]
#pragma once

#include "proxy/failures/failure.hpp"
#include "proxy/failures/sanitized_text.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

// How much of a refusal's body is read: what goes on behind that is not worth it.
inline constexpr std::size_t max_error_bytes = 64u << 10;

// An HTTP answer that is no stream. Empty fields did not come.
struct error_response {
  int status = 0;
  std::string_view content_type;
  std::string_view type = {};  // a name for it, beside the body's
  std::string_view retry_after;
  std::string_view retry_after_ms;
  std::string_view body;  // as far as it was read: a cut body counts as prose
  std::string_view expected = "an event stream";
};

// The failure's texts are the provider's own, cleaned and bounded (detail 2 kB), but not yet redacted: that
// takes the keys. An answer below 400 whose words name no fault that we know is bad_stream: it is no event
// stream.
failure read_error(const error_response& response, std::chrono::sys_seconds now);

// The error that an answer in one piece is, with the status 200.
failure error_in_answer(std::string_view json, std::string_view expected = "an event stream");

// The detail of an error event that says nothing.
inline constexpr std::string_view no_error_text = "the provider sent an error event without a text";

// An event of a stream that began with 200, and that is known to report an error: one with an `error` member,
// or sent as `event: error`. `status` is the one it names, or that its code or type stands for; else 0.
// `type`: what the stream calls it; empty: its JSON alone does.
failure error_from_event(std::string_view json, std::string_view type = {});

// The same of JSON that stands in a stream outside of its events; none where that is not an error: an object with an
// `error` member, or a list that begins with one.
std::optional<failure> error_from_bare(std::string_view json);

}  // namespace photofinish::proxy
