// Converts every provider's error answer to a failure: OpenAI's object, Google's array, Anthropic's event, Mistral's
// validation details, bare strings, sentences, HTML pages, and empty bodies. [pure]
#pragma once

#include "proxy/failures/failure.hpp"
#include "proxy/failures/sanitized_text.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

// The maximum number of bytes of an error answer that are read. Longer error answers rarely contain more information.
inline constexpr std::size_t max_error_bytes = 64u << 10;

// An HTTP answer that is not a stream. Members for headers that the provider did not send are empty.
struct error_response {
  int status = 0;
  std::string_view content_type;
  std::string_view type = {};  // error type from a header, not from the body
  std::string_view retry_after;
  std::string_view retry_after_ms;
  std::string_view body;  // the part of the body that was read; an incomplete body is treated as plain text
  std::string_view expected = "an event stream";
};

// Reads the failure from a provider's error answer. The failure's texts are the provider's own, but cleaned and limited
// in size (detail 2 kB). They are not yet redacted, because redaction requires the keys. A status below 400 means that
// the gateway expected an event stream. In that case, the body must identify the error, otherwise the failure is
// bad_stream.
failure read_error(const error_response& response, std::chrono::sys_seconds now);

// Reads the error of a complete answer whose status is 200.
failure error_in_answer(std::string_view json, std::string_view expected = "an event stream");

// The detail of a failure if the provider's error event contains no text.
inline constexpr std::string_view no_error_text = "the provider sent an error event without a text";

// Reads an event that reports an error in a stream whose status is 200. Such an event has an `error` member or was sent
// as `event: error`. The failure's `status` is the status in the event, or the status that corresponds to the event's
// code or type. It is 0 if there is neither. `type` is the event's type in the stream. If `type` is empty, only the
// JSON is used.
failure error_from_event(std::string_view json, std::string_view type = {});

// Reads an error from JSON that a stream contains outside its events. Returns nullopt unless the JSON is an object with
// an `error` member, or a list that begins with such an object.
std::optional<failure> error_from_bare(std::string_view json);

}  // namespace photofinish::proxy
