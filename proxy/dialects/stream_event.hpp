// The events of one attempt's stream, and their sums: plain values. [pure]
#pragma once

#include "proxy/failures/rate_headroom.hpp"
#include "proxy/http/http_message.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/providers/price_tier.hpp"
#include "proxy/words/enum_words.hpp"

#include <boost/container/small_vector.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

enum class event_kind {
  progress,         // has no token: a role, an empty delta, usage
  reasoning_token,  // a token that the answer itself does not show
  token,            // content, refusal, tool or function call, audio
  end,              // the answer is complete; nothing follows
};

// The API that wrote an event's `json`. For some formats `json` holds other bytes.
enum class wire_format {
  none,
  openai_chat,
  openai_responses,
  openai_compaction,    // compaction of a conversation in items of Responses
  openai_input_tokens,  // number of input tokens of such a conversation
  openai_completions,
  openai_embeddings,
  openai_rerank,
  openai_moderations,
  openai_images,
  openai_image_edits,
  openai_image_variations,
  openai_speech,  // sound, not JSON
  openai_speech_events,
  openai_transcription,
  openai_transcription_text,  // not JSON
  openai_transcription_events,
  openai_translation,
  openai_translation_text,  // not JSON
  anthropic_messages,
  gemini,
  bedrock_converse,
};

enum class delta_kind : std::uint8_t {
  text,
  refusal,
  reasoning,
  signature,       // signature of the reasoning before it, byte for byte
  opaque,          // reasoning that only its provider can read, byte for byte
  call,            // a tool call begins: `text` is the function's name
  call_arguments,  // JSON text, in fragments
  transcript,      // the words of the sound
  citation,        // JSON text: see citations.hpp; unchanged if the answer passes
  media_type,      // content type of an answer that is not JSON
  finish,          // the choice is complete: `text` is the provider's own reason, or empty
  image,           // base64; `id` is its media type
  lost_part,       // a part that the client's API cannot hold: `text` is its name
  logprobs,        // log probabilities of the next text: JSON objects of chat's `logprobs.content`, separated by commas
};

// True if deltas of that kind are pieces of the answer's text: not names, and not data that only the provider can read.
constexpr bool is_text_piece(delta_kind kind) {
  const auto bit = [](delta_kind each) { return 1u << static_cast<unsigned>(each); };
  const unsigned spoken = bit(delta_kind::text) | bit(delta_kind::refusal) | bit(delta_kind::reasoning) |
                          bit(delta_kind::call_arguments) | bit(delta_kind::transcript);
  return (bit(kind) & spoken) != 0;
}

// The reason why a choice is complete, in OpenAI's words.
enum class finish_reason : std::uint8_t { stop, length, tool_calls, content_filter, function_call };
constexpr auto words_of(finish_reason) {
  using enum finish_reason;
  return enum_words<finish_reason, 5>{{{stop, "stop"}, {length, "length"}, {tool_calls, "tool_calls"},
                                       {content_filter, "content_filter"}, {function_call, "function_call"}}};
}
constexpr std::string_view to_string(finish_reason reason) { return word_of(reason); }

// Limit of texts, calls and choices in one event. Honest events have a few, and long whole answers some hundred.
// max_memory does not count their decoded form.
inline constexpr std::size_t most_said = 16'384;

// Decoded content of one event. Texts with the same kind, choice and part are one text, across all events.
struct delta {
  delta_kind kind = delta_kind::text;
  finish_reason reason = finish_reason::stop;  // set for a finish
  bool is_foreign = false;   // set for a finish: not a word of the provider's own API
  std::int64_t choice = 0;
  std::int64_t part = 0;     // set for call and call_arguments: index of the choice's call, from 0
  std::string_view text = {};
  std::string_view id = {};  // a call's id; for a signature or opaque text, the API that can read it; see image
  std::string_view item = {};  // set for those two kinds: their item's id, if the API has one and needs both together
};

// Times that the provider reports. They are only for statistics, because a measured TTFT already includes them.
struct reported_times {
  std::optional<std::chrono::duration<double>> queue;   // time in the queue
  std::optional<std::chrono::duration<double>> prompt;  // time to read the input
};

// Counts that the provider reports.
struct token_usage {
  std::uint64_t input_tokens = 0;      // all input, cached or not
  std::uint64_t output_tokens = 0;     // reasoning included
  std::uint64_t reasoning_tokens = 0;  // 0 if it is not reported
  std::uint64_t cached_input_tokens = 0;  // input from the provider's cache, if reported
  std::uint64_t written_input_tokens = 0;     // input written into its cache, if reported
  std::uint64_t written_for_hour_tokens = 0;  // the part of these tokens that is kept for an hour
  reported_times times = {};                  // reported next to the counts
  std::optional<price_tier> tier = {};        // the served tier; nothing: not reported
};

class kept_event;

// A client of the same format gets `json`. For all other clients, an answer is written from `deltas` and `usage`.
struct stream_event {
  event_kind kind = event_kind::progress;
  wire_format spoken = wire_format::none;
  // The JSON to relay, in pieces to send in order. Empty if there is nothing to relay. The pieces live until the next
  // event is requested, or until the caller suspends, whichever comes first.
  std::span<const std::string_view> json = {};
  std::span<const delta> deltas = {};    // live as `json` does
  const token_usage* usage = nullptr;    // reported by this event; lives as `json` does
  instant read_at = {};  // when its last byte was read from the socket
  kept_event* keeper = nullptr;  // set if the event is kept: its JSON, or all of it, may be taken
  bool is_whole = false;         // `json` is a whole answer in its API's form, not a chunk
  std::string_view name = {};    // if its API names events; lives as `json` does
};

// True if a copy of the event takes milliseconds, so that it needs special handling.
bool is_giant(const stream_event& event);

class kept_event;

// Returns the content type of an answer that is not JSON. Empty for JSON. Lives as long as the events.
std::string_view media_type_of(std::span<kept_event> events);

// Keeps an event longer than its bytes live. A long text that its JSON contains unchanged is stored only once.
class kept_event {
 public:
  // An event that is already kept moves here, and its keeper becomes empty.
  explicit kept_event(const stream_event& event);
  // Keeps the event with another JSON, which it takes. The texts of the deltas are copied, and the event's own JSON is
  // ignored.
  kept_event(const stream_event& event, std::string json);
  // A move leaves the bytes at their addresses. A copy would refer to the original's bytes.
  kept_event(kept_event&&) noexcept = default;
  kept_event& operator=(kept_event&&) noexcept = default;

  // Lives until this object is moved or destroyed.
  stream_event view();
  // Returns the JSON without a copy. Afterwards only kind() and read_at() are valid.
  std::string take_json();

  event_kind kind() const { return kind_; }
  wire_format spoken() const { return spoken_; }
  instant read_at() const { return read_at_; }
  void set_read_at(instant when) { read_at_ = when; }
  // Memory in bytes: the object and its allocations. An event without content takes about 400 bytes. Therefore neither
  // the length of the JSON nor the number of events alone limits the memory.
  std::size_t bytes() const { return sizeof(*this) + heap_bytes(); }
  std::size_t heap_bytes() const;

 private:
  void copy(const stream_event& event);
  void keep_apart(std::span<const delta> deltas);
  std::string_view keep(std::string_view text);
  std::string_view keep_long(std::string_view text);

  event_kind kind_;
  wire_format spoken_;
  bool is_whole_;
  instant read_at_;
  std::string bytes_;  // the JSON, then the deltas' texts, and the name
  std::vector<std::string> long_texts_;
  std::string_view json_;
  std::string_view name_;
  boost::container::small_vector<delta, 1> deltas_;
  std::optional<token_usage> usage_;
};

// Facts of one stream so far, all about the provider's side.
struct stream_summary {
  std::optional<instant> first_byte_at;   // time of the response's first byte
  std::optional<instant> first_token_at;  // reasoning counts as a token
  std::optional<instant> first_visible_at;  // reasoning does not count as a token
  std::optional<instant> last_token_at;
  std::uint64_t text_bytes = 0;         // bytes of all deltas: content, reasoning, arguments
  std::uint64_t first_text_bytes = 0;   // the part in events that were read together with the first token
  std::uint64_t token_events = 0;
  std::uint64_t reasoning_bytes = 0;    // bytes of the streamed reasoning
  // A whole answer was requested or sent, although the API streams. Its time is the time of the whole answer, which is
  // not comparable with first tokens. Therefore only the instant of the first byte is set.
  bool is_unstreamed = false;
  std::optional<token_usage> usage;     // the last reported usage
  connection_used connection = connection_used::none;
  rate_headroom headroom;  // headroom of the key's limits, from the answer's head
  std::string foreign_finish;  // the last finish_reason that is not a word of its API, unchanged: only for the log
};

// Adds the facts of one event. Call it once for each event, in their order.
void add_to(stream_summary& summary, const stream_event& event);

}  // namespace photofinish::proxy
