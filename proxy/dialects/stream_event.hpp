// The events of one attempt's answer, and a summary of these events, as plain values. [pure]
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
  progress,         // anything that is not a token, such as a role, an empty delta, or usage
  reasoning_token,  // a token of reasoning, which is not part of the visible answer
  token,            // a token of the text, of a refusal, of a tool call, or of audio
  end,              // the end of a complete answer
};

// The API and the format of the JSON in an event. For some APIs, the event contains bytes that are not JSON.
enum class wire_format {
  none,
  openai_chat,
  openai_responses,
  openai_compaction,    // a compacted conversation of the Responses API
  openai_input_tokens,  // the number of input tokens of a conversation in the Responses API
  openai_completions,
  openai_embeddings,
  openai_rerank,
  openai_moderations,
  openai_images,
  openai_image_edits,
  openai_image_variations,
  openai_speech,  // audio, not JSON
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
  signature,       // the signature of the preceding reasoning, copied byte for byte
  opaque,          // reasoning that only its provider can read, copied byte for byte
  call,            // the beginning of a tool call; `text` is the function's name
  call_arguments,  // a fragment of a call's arguments, which are JSON text
  transcript,      // the transcript of an audio answer
  citation,        // a citation as JSON (citations.hpp), or in the format of its own API if it is not translated
  media_type,      // the content type of an answer that is not JSON
  finish,          // the end of a choice; `text` is the provider's name for the reason, or empty
  image,           // an image in base64; `id` is its media type
  lost_part,       // a part of the answer that the client's API cannot express; `text` is its name
  // Log probabilities of the text after this delta: the elements of the chat API's `logprobs.content`, separated by
  // commas.
  logprobs,
};

// True if deltas of this kind contain text of the answer. Names, and data that only the provider can read, are not
// text.
constexpr bool is_text_piece(delta_kind kind) {
  const auto bit = [](delta_kind each) { return 1u << static_cast<unsigned>(each); };
  const unsigned spoken = bit(delta_kind::text) | bit(delta_kind::refusal) | bit(delta_kind::reasoning) |
                          bit(delta_kind::call_arguments) | bit(delta_kind::transcript);
  return (bit(kind) & spoken) != 0;
}

// The reason why a choice ended. The values are those of OpenAI's API.
enum class finish_reason : std::uint8_t { stop, length, tool_calls, content_filter, function_call };
constexpr auto words_of(finish_reason) {
  using enum finish_reason;
  return enum_words<finish_reason, 5>{{{stop, "stop"}, {length, "length"}, {tool_calls, "tool_calls"},
                                       {content_filter, "content_filter"}, {function_call, "function_call"}}};
}
constexpr std::string_view to_string(finish_reason reason) { return word_of(reason); }

// The maximum number of texts, calls and choices in one event. Most events contain only a few, and a long non-streamed
// answer contains a few hundred. This limit is needed because max_memory does not count the memory for these values.
inline constexpr std::size_t most_said = 16'384;

// A piece of an event's decoded content. Deltas with the same kind, choice and part belong to one text, even in
// different events.
struct delta {
  delta_kind kind = delta_kind::text;
  finish_reason reason = finish_reason::stop;  // only for a finish: the reason, as OpenAI's API names it
  bool is_foreign = false;   // only for a finish: true if `text` is a reason that the provider's API does not define
  std::int64_t choice = 0;
  std::int64_t part = 0;     // only for calls and their arguments: the call's index, from 0, among the choice's calls
  std::string_view text = {};
  // The meaning of `id` depends on `kind`: a call's id, an image's media type, or the name of the API that can read a
  // signature or an opaque text.
  std::string_view id = {};
  // the provider's id of the item that contains the signature or opaque text; set only if the API requires this id
  std::string_view item = {};
};

// Times that a provider reports. They are used only for statistics, because the measured time to the first token
// already includes them.
struct reported_times {
  std::optional<std::chrono::duration<double>> queue;   // the time for which the request waited in the provider's queue
  std::optional<std::chrono::duration<double>> prompt;  // the time that the provider needed to process the prompt
};

// Token counts that a provider reports.
struct token_usage {
  std::uint64_t input_tokens = 0;      // all input tokens, cached or not
  std::uint64_t output_tokens = 0;     // all output tokens, including reasoning
  std::uint64_t reasoning_tokens = 0;  // the reasoning tokens among the output tokens; 0 if unknown
  std::uint64_t cached_input_tokens = 0;  // the input tokens that were read from the provider's cache; 0 if unknown
  // The input tokens that were written to the provider's cache; 0 if unknown.
  std::uint64_t written_input_tokens = 0;
  std::uint64_t written_for_hour_tokens = 0;  // the tokens among written_input_tokens that are cached for an hour
  reported_times times = {};                  // the times that the provider reported with the token counts
  std::optional<price_tier> tier = {};        // the service tier that served the request; nullopt if unknown
};

class kept_event;

// One event of an answer. Clients that use the format `spoken` get `json`. All other clients get an answer that this
// gateway writes from `deltas` and `usage`.
struct stream_event {
  event_kind kind = event_kind::progress;
  wire_format spoken = wire_format::none;
  // The JSON for the client, in pieces in the order in which they are sent. Empty if the client gets nothing. The
  // pieces are valid until the next event is requested or the caller suspends.
  std::span<const std::string_view> json = {};
  std::span<const delta> deltas = {};    // the decoded content; valid as long as `json` is valid
  const token_usage* usage = nullptr;    // the token counts in this event; valid as long as `json` is valid
  instant read_at = {};  // the time when the last byte of the event was read from the socket
  // the object that stores this event, and from which the JSON can be moved; null if no object stores it
  kept_event* keeper = nullptr;
  bool is_whole = false;         // true if `json` is a non-streamed answer and not a chunk
  std::string_view name = {};    // the event's name, if its API names events; valid as long as `json` is valid
};

// True if the event is so large that copying it takes milliseconds. Its JSON should be moved instead.
bool is_giant(const stream_event& event);

class kept_event;

// Returns the content type of an answer that is not JSON. Returns an empty view if the answer is JSON. The result is
// valid as long as `events` is valid.
std::string_view media_type_of(std::span<kept_event> events);

// Stores an event and the bytes to which it refers. If the JSON contains a long text unchanged, the
// text is stored only once.
class kept_event {
 public:
  // Stores an event. If another kept_event already stores the event, the content is moved from that object, which
  // becomes empty.
  explicit kept_event(const stream_event& event);
  // Stores an event with the text `json` instead of the event's own JSON. `json` is moved into this object, and the
  // texts of the deltas are copied.
  kept_event(const stream_event& event, std::string json);
  // Moving this object does not move the stored bytes, so views of these bytes remain valid. Copying is forbidden,
  // because the views in a copy would refer to the original's bytes.
  kept_event(kept_event&&) noexcept = default;
  kept_event& operator=(kept_event&&) noexcept = default;

  // Returns the event, which is valid until this object is moved or destroyed.
  stream_event view();
  // Moves the JSON out of this object. After that, only kind() and read_at() may be called.
  std::string take_json();

  event_kind kind() const { return kind_; }
  wire_format spoken() const { return spoken_; }
  instant read_at() const { return read_at_; }
  void set_read_at(instant when) { read_at_ = when; }
  // Returns the size of this object including its allocations, in bytes. Even an event without content takes about 400
  // bytes, so the length of the JSON is not a good estimate.
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
  std::string bytes_;  // the stored bytes: the JSON, the texts of the deltas, and the event's name
  std::vector<std::string> long_texts_;
  std::string_view json_;
  std::string_view name_;
  boost::container::small_vector<delta, 1> deltas_;
  std::optional<token_usage> usage_;
};

// Facts about one attempt's stream so far.
struct stream_summary {
  std::optional<instant> first_byte_at;   // the time of the answer's first byte
  std::optional<instant> first_token_at;  // the time of the first token, including reasoning
  std::optional<instant> first_visible_at;  // the time of the first token that is not reasoning
  std::optional<instant> last_token_at;
  std::uint64_t text_bytes = 0;         // the bytes of text in all deltas: content, reasoning, arguments
  std::uint64_t first_text_bytes = 0;   // the bytes of text that arrived together with the first token
  std::uint64_t token_events = 0;
  std::uint64_t reasoning_bytes = 0;    // the bytes of reasoning in the stream
  // True if a non-streamed answer was requested or sent, although the API supports streaming. For such an answer, only
  // the time of the first byte is recorded. The time to its first token could not be compared with the times of
  // streams.
  bool is_unstreamed = false;
  std::optional<token_usage> usage;     // the most recent usage that the provider reported
  connection_used connection = connection_used::none;
  rate_headroom headroom;  // the remaining part of the key's rate limits, as reported in the response head
  std::string foreign_finish;  // the last finish_reason that the provider's API does not define; used only for the log
};

// Adds one event to the summary. The caller must pass each event once, in the order of the stream.
void add_to(stream_summary& summary, const stream_event& event);

}  // namespace photofinish::proxy
