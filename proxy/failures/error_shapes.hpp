// Converts every provider's error answer to a failure: OpenAI's object, Google's array, Anthropic's event, Mistral's
// validation details, bare strings, prose, HTML pages, and empty bodies. [pure]
#pragma once

#include "proxy/failures/failure.hpp"
#include "proxy/failures/sanitized_text.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

// The largest part of a refusal's body that is read. A longer body rarely says more.
inline constexpr std::size_t max_error_bytes = 64u << 10;

// An HTTP answer that is not a stream. Fields that did not arrive are empty.
struct error_response {
  int status = 0;
  std::string_view content_type;
  std::string_view type = {};  // an error type from outside the body
  std::string_view retry_after;
  std::string_view retry_after_ms;
  std::string_view body;  // the part that was read; a body that was cut is handled as prose
  std::string_view expected = "an event stream";
};

// Reads the failure in a provider's error answer. The failure's texts are the provider's own, cleaned and bounded
// (detail 2 kB). They are not yet redacted, because redaction requires the keys. An answer with a status below 400
// whose words name no known fault becomes bad_stream, because it is not an event stream.
failure read_error(const error_response& response, std::chrono::sys_seconds now);

// Reads the error of a complete answer whose status is 200.
failure error_in_answer(std::string_view json, std::string_view expected = "an event stream");

// The detail of a failure if the provider's error event contains no text.
inline constexpr std::string_view no_error_text = "the provider sent an error event without a text";

// Reads an event that reports an error in a stream that began with 200. Such an event has an `error` member or was sent
// as `event: error`. `status` is the status that the event names, or that its code or type stands for, otherwise 0.
// `type` is the stream's name for the event; if it is empty, only the JSON is used.
failure error_from_event(std::string_view json, std::string_view type = {});

// Reads an error from JSON that occurs in a stream outside its events. Returns nullopt unless it is an object with an
// `error` member, or a list that begins with such an object.
std::optional<failure> error_from_bare(std::string_view json);

}  // namespace photofinish::proxy
