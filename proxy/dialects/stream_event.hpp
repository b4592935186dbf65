// What one attempt's stream says, event by event, and what it adds up to: plain values. [pure]
#pragma once

#include "proxy/http/http_message.hpp"
#include "proxy/loop/alarms.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

enum class event_kind {
  progress,         // says something, but no token: a role, an empty delta, usage
  reasoning_token,  // a token that no person sees in the answer itself
  token,            // content, refusal, tool or function call, audio
  end,              // the answer is complete; nothing follows
};

enum class text_kind { content, reasoning, refusal, call_name, call_arguments, transcript };

// Decoded text of one event. What has the same kind, choice and call, event after event, is one text.
struct text_delta {
  text_kind kind = text_kind::content;
  std::int64_t choice = 0;
  std::int64_t call = 0;  // of call_name and call_arguments: which of the choice's calls
  std::string_view text;  // not empty
};

struct stream_event {
  event_kind kind = event_kind::progress;
  // The JSON to relay, in pieces to be sent one after the other; empty: nothing to relay. The pieces live
  // until the upstream is next asked for an event, or the caller suspends, whichever comes first.
  std::span<const std::string_view> json;
  std::span<const text_delta> text;  // lives as `json` does
  instant read_at;  // when its last byte was read from the socket
};

// An event's text, for longer than the event lives.
class kept_text {
 public:
  kept_text() = default;
  // `json` is the event's, and is kept beside this one: a long text that stands there as it is, is not kept twice.
  explicit kept_text(std::span<const text_delta> text, std::string_view json = {});
  // The views stay good when it is moved; a copy's would not.
  kept_text(kept_text&&) noexcept = default;
  kept_text& operator=(kept_text&&) noexcept = default;

  std::span<const text_delta> deltas() const { return deltas_; }

 private:
  std::vector<char> bytes_;
  std::vector<text_delta> deltas_;
};

// What the provider says it counted.
struct token_usage {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;     // reasoning included
  std::uint64_t reasoning_tokens = 0;  // as far as told
  std::uint64_t cached_input_tokens = 0;  // of the input, from the provider's cache; as far as told
};

// What one stream has shown so far. All figures are of the provider's side.
struct stream_summary {
  std::optional<instant> first_byte_at;   // of the response
  std::optional<instant> first_token_at;  // reasoning counts
  std::optional<instant> last_token_at;
  std::uint64_t text_bytes = 0;         // of all deltas: content, reasoning, arguments
  std::uint64_t first_text_bytes = 0;   // of the events read together with the first token
  std::uint64_t token_events = 0;
  std::uint64_t reasoning_bytes = 0;    // of the streamed reasoning
  std::optional<token_usage> usage;     // the last one told
  connection_used connection = connection_used::none;
  std::string foreign_finish;  // the last finish_reason that is no word of OpenAI's, as told: for the log alone
};

}  // namespace photofinish::proxy
