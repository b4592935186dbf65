// The events of one attempt's stream, and a summary of them, as plain values. [pure]
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
  progress,         // an event without a token: a role, an empty delta, usage
  reasoning_token,  // a token of reasoning, which is not part of the visible answer
  token,            // a token of content, refusal, tool or function call, or audio
  end,              // the answer is complete, and nothing follows
};

// The API that wrote an event's `json`. For some formats `json` holds bytes that are not JSON.
enum class wire_format {
  none,
  openai_chat,
  openai_responses,
  openai_compaction,    // the compaction of a conversation in the form of Responses
  openai_input_tokens,  // number of input tokens of a conversation in items of Responses
  openai_completions,
  openai_embeddings,
  openai_rerank,
  openai_moderations,
  openai_images,
  openai_image_edits,
  openai_image_variations,
  openai_speech,  // `json` holds sound instead of JSON
  openai_speech_events,
  openai_transcription,
  openai_transcription_text,  // plain text, not JSON
  openai_transcription_events,
  openai_translation,
  openai_translation_text,  // plain text, not JSON
  anthropic_messages,
  gemini,
  bedrock_converse,
};

enum class delta_kind : std::uint8_t {
  text,
  refusal,
  reasoning,
  signature,       // signature of the reasoning before it, copied byte for byte
  opaque,          // reasoning that only its provider can read, copied byte for byte
  call,            // the beginning of a tool call; `text` is the function's name
  call_arguments,  // a fragment of a call's arguments, which are JSON text
  transcript,      // the transcript of spoken sound
  citation,        // a citation as JSON text (citations.hpp); unchanged if the answer passes
  media_type,      // content type of an answer that is not JSON
  finish,          // the choice is complete; `text` is the provider's own reason, or empty
  image,           // an image in base64; `id` is its media type
  lost_part,       // a part that the client's API cannot hold; `text` is its name
  logprobs,        // log probabilities of the next text: elements of chat's `logprobs.content`, separated by commas
};

// True if deltas of that kind are pieces of the answer's text. Names, and data that only the
// provider can read, are not.
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

// Limit of texts, calls and choices in one event. Honest events have a few, and long whole answers have some hundreds.
// max_memory does not count their decoded form.
inline constexpr std::size_t most_said = 16'384;

// Decoded content of one event. Texts with the same kind, choice and part are one text, across all events.
struct delta {
  delta_kind kind = delta_kind::text;
  finish_reason reason = finish_reason::stop;  // set for a finish: the reason in OpenAI's words
  bool is_foreign = false;   // set for a finish: true if `text` is not a word of the provider's own API
  std::int64_t choice = 0;
  std::int64_t part = 0;     // set for call and call_arguments: index of the choice's call, from 0
  std::string_view text = {};
  std::string_view id = {};  // id of a call; API that can read a signature or opaque text; media type of an image
  std::string_view item = {};  // set for signature and opaque: id of their item, if the API needs both together
};

// Times that the provider reports. They are only for statistics, because a measured TTFT already includes them.
struct reported_times {
  std::optional<std::chrono::duration<double>> queue;   // time that the request waited in the provider's queue
  std::optional<std::chrono::duration<double>> prompt;  // time in which the provider read the input
};

// Token counts that the provider reports.
struct token_usage {
  std::uint64_t input_tokens = 0;      // all input tokens, cached or not
  std::uint64_t output_tokens = 0;     // all output tokens, including reasoning
  std::uint64_t reasoning_tokens = 0;  // reasoning tokens, if reported
  std::uint64_t cached_input_tokens = 0;  // input tokens from the provider's cache, if reported
  std::uint64_t written_input_tokens = 0;     // input tokens written into the provider's cache, if reported
  std::uint64_t written_for_hour_tokens = 0;  // the part of written_input_tokens that is kept for an hour
  reported_times times = {};                  // times that were reported next to the counts
  std::optional<price_tier> tier = {};        // the tier that served the request; nullopt if it is not reported
};

class kept_event;

// One event. A client of the same format gets `json`. For all other clients, an answer is written from
// `deltas` and `usage`.
struct stream_event {
  event_kind kind = event_kind::progress;
  wire_format spoken = wire_format::none;
  // The JSON to relay, in pieces to send in order. Empty if there is nothing to relay. The pieces live until the next
  // event is requested, or until the caller suspends, whichever comes first.
  std::span<const std::string_view> json = {};
  std::span<const delta> deltas = {};    // decoded content; lives as long as `json`
  const token_usage* usage = nullptr;    // counts that this event reports; lives as long as `json`
  instant read_at = {};  // time when the last byte of the event was read from the socket
  kept_event* keeper = nullptr;  // set if the event is kept; its JSON, or the whole event, may be taken from the keeper
  bool is_whole = false;         // true if `json` is a whole answer in its API's form and not a chunk
  std::string_view name = {};    // name of the event, if its API names events; lives as long as `json`
};

// True if a copy of the event takes milliseconds, so that it needs special handling.
bool is_giant(const stream_event& event);

class kept_event;

// Returns the content type of an answer that is not JSON, or an empty view for JSON. The result lives
// as long as the events.
std::string_view media_type_of(std::span<kept_event> events);

// Keeps an event longer than the bytes that it refers to. A long text that its JSON contains unchanged
// is stored only once.
class kept_event {
 public:
  // Keeps an event. If the event is already kept, its content moves here, and its keeper becomes empty.
  explicit kept_event(const stream_event& event);
  // Keeps the event with another JSON, which moves here. The texts of the deltas are copied, and the event's
  // own JSON is ignored.
  kept_event(const stream_event& event, std::string json);
  // A move leaves the bytes at their addresses. A copy would refer to the bytes of the original.
  kept_event(kept_event&&) noexcept = default;
  kept_event& operator=(kept_event&&) noexcept = default;

  // Returns the event, which lives until this object is moved or destroyed.
  stream_event view();
  // Returns the JSON without a copy. Afterwards only kind() and read_at() are valid.
  std::string take_json();

  event_kind kind() const { return kind_; }
  wire_format spoken() const { return spoken_; }
  instant read_at() const { return read_at_; }
  void set_read_at(instant when) { read_at_ = when; }
  // Returns the memory in bytes of the object and its allocations. An event without content takes about 400 bytes.
  // Therefore neither the length of the JSON nor the number of events alone limits the memory.
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
  std::string bytes_;  // the JSON, then the texts of the deltas and the name
  std::vector<std::string> long_texts_;
  std::string_view json_;
  std::string_view name_;
  boost::container::small_vector<delta, 1> deltas_;
  std::optional<token_usage> usage_;
};

// Facts about one stream so far, all about the provider's side.
struct stream_summary {
  std::optional<instant> first_byte_at;   // time of the first byte of the answer
  std::optional<instant> first_token_at;  // time of the first token, including reasoning
  std::optional<instant> first_visible_at;  // time of the first token that is not reasoning
  std::optional<instant> last_token_at;
  std::uint64_t text_bytes = 0;         // bytes of all deltas: content, reasoning, arguments
  std::uint64_t first_text_bytes = 0;   // bytes of the deltas that were read together with the first token
  std::uint64_t token_events = 0;
  std::uint64_t reasoning_bytes = 0;    // bytes of the streamed reasoning
  // True if a whole answer was requested or sent, although the API streams. The time of a whole answer is not
  // comparable with the time of a first token. Therefore only the time of the first byte is set.
  bool is_unstreamed = false;
  std::optional<token_usage> usage;     // the last reported usage
  connection_used connection = connection_used::none;
  rate_headroom headroom;  // headroom of the key's limits, from the answer's head
  std::string foreign_finish;  // the last finish_reason that is not a word of its API, unchanged, for the log only
};

// Adds the facts of one event. Must be called once for each event, in their order.
void add_to(stream_summary& summary, const stream_event& event);

}  // namespace photofinish::proxy
