// What one attempt's stream says, event by event, and what it adds up to: plain values. [pure]
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
  progress,         // says something, but no token: a role, an empty delta, usage
  reasoning_token,  // a token that no person sees in the answer itself
  token,            // content, refusal, tool or function call, audio
  end,              // the answer is complete; nothing follows
};

// Whose JSON an event's `json` is; of some formats it is other bytes.
enum class wire_format {
  none,
  openai_chat,
  openai_responses,
  openai_compaction,    // of a conversation in Responses' items
  openai_input_tokens,  // of the same
  openai_completions,
  openai_embeddings,
  openai_rerank,
  openai_moderations,
  openai_images,
  openai_image_edits,
  openai_image_variations,
  openai_speech,  // no JSON: sound
  openai_speech_events,
  openai_transcription,
  openai_transcription_text,  // no JSON
  openai_transcription_events,
  openai_translation,
  openai_translation_text,  // no JSON
  anthropic_messages,
  gemini,
  bedrock_converse,
};

enum class delta_kind : std::uint8_t {
  text,
  refusal,
  reasoning,
  signature,       // of the reasoning before it, byte for byte
  opaque,          // reasoning that only its provider can read, byte for byte
  call,            // a tool call begins: `text` is its function's name
  call_arguments,  // JSON text, in fragments
  transcript,      // of audio
  citation,        // JSON text: see citations.hpp; of an answer that passes, as its provider writes it
  media_type,      // of an answer that is not JSON: its content type
  finish,          // the choice is complete: `text` is the provider's own word for why, empty where it gave none
  image,           // base64: `id` is its media type
  lost_part,       // a part that the client's API has no place for: `text` is its name
  logprobs,        // of the text that follows: JSON objects of chat's `logprobs.content` with commas between them
};

// Whether deltas of that kind are pieces of the answer's text: neither names nor what only its provider can read.
constexpr bool is_text_piece(delta_kind kind) {
  const auto bit = [](delta_kind each) { return 1u << static_cast<unsigned>(each); };
  const unsigned spoken = bit(delta_kind::text) | bit(delta_kind::refusal) | bit(delta_kind::reasoning) |
                          bit(delta_kind::call_arguments) | bit(delta_kind::transcript);
  return (bit(kind) & spoken) != 0;
}

// Why a choice is complete, in OpenAI's words.
enum class finish_reason : std::uint8_t { stop, length, tool_calls, content_filter, function_call };
constexpr auto words_of(finish_reason) {
  using enum finish_reason;
  return enum_words<finish_reason, 5>{{{stop, "stop"}, {length, "length"}, {tool_calls, "tool_calls"},
                                       {content_filter, "content_filter"}, {function_call, "function_call"}}};
}
constexpr std::string_view to_string(finish_reason reason) { return word_of(reason); }

// That one event may say: texts, calls, choices. Honest ones say a few, long whole answers some hundred; max_memory
// does not count what is decoded of them.
inline constexpr std::size_t most_said = 16'384;

// What one event says, decoded. Texts of the same kind, choice and part, event after event, are one text.
struct delta {
  delta_kind kind = delta_kind::text;
  finish_reason reason = finish_reason::stop;  // of a finish
  bool is_foreign = false;   // of a finish: not a word of the provider's own API
  std::int64_t choice = 0;
  std::int64_t part = 0;     // of call and call_arguments: which of the choice's calls, from 0
  std::string_view text = {};
  std::string_view id = {};  // of a call: its id; of a signature or opaque text: the API that can read it; see image
  std::string_view item = {};  // of those two: the id of their item, where that API has one, and reads both or neither
};

// How long the provider says that it took, where it says so. For figures alone: a measured TTFT has all of it in it.
struct reported_times {
  std::optional<std::chrono::duration<double>> queue;   // until the request's turn came
  std::optional<std::chrono::duration<double>> prompt;  // to read its input
};

// What the provider says it counted.
struct token_usage {
  std::uint64_t input_tokens = 0;      // all of it, whether it came from a cache or not
  std::uint64_t output_tokens = 0;     // reasoning included
  std::uint64_t reasoning_tokens = 0;  // where reported
  std::uint64_t cached_input_tokens = 0;  // of the input, from the provider's cache; where reported
  std::uint64_t written_input_tokens = 0;     // of the input, into its cache; where reported
  std::uint64_t written_for_hour_tokens = 0;  // of those, to be kept for an hour
  reported_times times = {};                  // reported beside them
  std::optional<price_tier> tier = {};        // the tier that was served; nothing: the provider does not report it
};

class kept_event;

// A client of the same format gets `json`; for all others an answer is written from `deltas` and `usage`.
struct stream_event {
  event_kind kind = event_kind::progress;
  wire_format spoken = wire_format::none;
  // The JSON to relay, in pieces to be sent one after the other; empty: nothing to relay. The pieces live
  // until the upstream is next asked for an event, or the caller suspends, whichever comes first.
  std::span<const std::string_view> json = {};
  std::span<const delta> deltas = {};    // live as `json` does
  const token_usage* usage = nullptr;    // reported by this event; lives as `json` does
  instant read_at = {};  // when its last byte was read from the socket
  kept_event* keeper = nullptr;  // of an event that is kept: its JSON may be taken, or all of it
  bool is_whole = false;         // `json` is all of an answer in one piece, as its API writes it: no chunk
  std::string_view name = {};    // where its API names its events; lives as `json` does
};

// One that is worth a way of its own: a copy of it takes milliseconds.
bool is_giant(const stream_event& event);

class kept_event;

// Of an answer that is not JSON: its content type. Empty: it is. Lives as the events do.
std::string_view media_type_of(std::span<kept_event> events);

// An event, for longer than its bytes live. A long text that its JSON holds as it is, is kept once.
class kept_event {
 public:
  // One that is kept already moves here, and its keeper is empty then.
  explicit kept_event(const stream_event& event);
  // Of a text that nothing else needs; what the deltas say is copied, and the event's own JSON does not count.
  kept_event(const stream_event& event, std::string json);
  // The bytes stay where they are when it is moved; a copy would refer to the original's.
  kept_event(kept_event&&) noexcept = default;
  kept_event& operator=(kept_event&&) noexcept = default;

  // Lives until this is moved or goes.
  stream_event view();
  // The JSON itself, not copied: afterwards only kind() and read_at() are left.
  std::string take_json();

  event_kind kind() const { return kind_; }
  wire_format spoken() const { return spoken_; }
  instant read_at() const { return read_at_; }
  void set_read_at(instant when) { read_at_ = when; }
  // Memory in bytes: the object itself and what it has allocated. An event that says nothing takes some 400 bytes, so
  // neither the length of its JSON nor the number of events alone would bound what a provider makes us keep.
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
  std::string bytes_;  // the JSON, then what the deltas say, and the name
  std::vector<std::string> long_texts_;
  std::string_view json_;
  std::string_view name_;
  boost::container::small_vector<delta, 1> deltas_;
  std::optional<token_usage> usage_;
};

// What one stream has shown so far. All figures are of the provider's side.
struct stream_summary {
  std::optional<instant> first_byte_at;   // of the response
  std::optional<instant> first_token_at;  // reasoning counts
  std::optional<instant> first_visible_at;  // it does not
  std::optional<instant> last_token_at;
  std::uint64_t text_bytes = 0;         // of all deltas: content, reasoning, arguments
  std::uint64_t first_text_bytes = 0;   // of the events read together with the first token
  std::uint64_t token_events = 0;
  std::uint64_t reasoning_bytes = 0;    // of the streamed reasoning
  // Asked for in one piece, or answered so, where the API streams. Its time is that of the whole answer, and not to be
  // compared with first tokens: then the three instants above but for the first byte's are none.
  bool is_unstreamed = false;
  std::optional<token_usage> usage;     // the last one reported
  connection_used connection = connection_used::none;
  rate_headroom headroom;  // of the key's limits, as the answer's head says
  std::string foreign_finish;  // the last finish_reason that is not a word of its API, as it came: for the log alone
};

// Adds what one event says: once for each, in their order.
void add_to(stream_summary& summary, const stream_event& event);

}  // namespace photofinish::proxy
