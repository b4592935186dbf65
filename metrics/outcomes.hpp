// The sets of words with which metrics and logs describe how requests and attempts ended. Each enum has a fixed set of
// words, which are its label values. words_of<E> contains the word for each value of the enum E, in the order of E. A
// published word never changes. [pure]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::metrics {

template <class Enum>
inline constexpr std::array<std::string_view, 0> words_of{};

template <class Enum>
requires(!words_of<Enum>.empty()) constexpr std::string_view to_string(Enum value) {
  return words_of<Enum>[static_cast<std::size_t>(value)];
}

enum class endpoint : std::uint8_t {
  chat_completions,
  responses,
  messages,
  completions,
  embeddings,
  rerank,
  moderations,
  images,
  image_edits,
  image_variations,
  audio_speech,
  audio_transcriptions,
  audio_translations,
  count_tokens,
  models,
  other,
};
template <>
inline constexpr std::array<std::string_view, 16> words_of<endpoint>{
    "chat_completions", "responses",          "messages",     "completions",          "embeddings",
    "rerank",           "moderations",        "images",       "image_edits",          "image_variations",
    "audio_speech",     "audio_transcriptions", "audio_translations", "count_tokens", "models",
    "_other"};

enum class request_outcome : std::uint8_t {
  ok,
  client_error,      // the client caused the error: a 4xx from the gateway or from every provider
  upstream_error,    // no provider answered the request
  truncated,         // the winner's stream broke off or stalled after its first token
  client_cancelled,  // the client left before the end
  gateway_error,     // the gateway caused the error: overload or a bug
  drained,           // the request ended at drain_timeout, during a shutdown
};
template <>
inline constexpr std::array<std::string_view, 7> words_of<request_outcome>{
    "ok", "client_error", "upstream_error", "truncated", "client_cancelled", "gateway_error", "drained"};

// The reason why a connection was closed before its first request.
enum class refused_connection : std::uint8_t {
  address,       // the setting allow_from does not contain the peer's address
  proxy_header,  // the PROXY header is missing or malformed, or its sender is not trusted
  tls,           // the TLS handshake failed
  late,          // the connection did not become ready before its time limit
  crowded,       // too many connections were in a TLS handshake, and this connection was the oldest
};
template <>
inline constexpr std::array<std::string_view, 5> words_of<refused_connection>{"address", "proxy_header", "tls", "late",
                                                                              "crowded"};

enum class attempt_outcome {
  won,
  lost,
  failed,
  broken,     // the attempt won and then its stream broke off
  cancelled,  // the client left, or drain_timeout ended the request
  skipped,    // the attempt never started, because its target could not be used
  continued,  // the attempt completed an answer that another attempt had begun
};
template <>
inline constexpr std::array<std::string_view, 7> words_of<attempt_outcome>{
    "won", "lost", "failed", "broken", "cancelled", "skipped", "continued"};

enum class attempt_reason {
  none,
  dns,
  connect,
  tls,
  timeout,
  rate_limited,
  quota,
  auth,
  bad_request,
  server_error,
  bad_stream,
  stall,
  no_key,       // skipped, because the gateway has no key for this target
  unsupported,  // skipped, because the target does not support a parameter that changes the answer's meaning
  cooldown,     // skipped, because the target recently failed or rejected requests
  busy,         // skipped, because the gateway's limit for the target was reached
  crawl,        // the attempt was ended, because the answer was slower than min_tokens_per_second
  required,     // skipped, because the target does not meet the route's requirements
  too_long,     // skipped, because the request exceeds the target's context size or maximum answer length
  unpriced,     // skipped, because the target's price is unknown, and `unpriced: refuse` is set
};
template <>
inline constexpr std::array<std::string_view, 20> words_of<attempt_reason>{
    "none",        "dns",          "connect",    "tls",   "timeout", "rate_limited", "quota",   "auth",
    "bad_request", "server_error", "bad_stream", "stall", "no_key",  "unsupported",  "cooldown", "busy",
    "crawl",       "required",     "too_long",   "unpriced"};

// The attempt whose time to the first token (TTFT) is measured: the winner, or a loser that continued to its first
// token.
enum class ttft_sample { won, observed };
template <>
inline constexpr std::array<std::string_view, 2> words_of<ttft_sample>{"won", "observed"};

// The source of a token count: the provider, or the gateway's tokenizer.
enum class token_source { usage, tokenizer };
template <>
inline constexpr std::array<std::string_view, 2> words_of<token_source>{"usage", "tokenizer"};

// The attempt that caused a cost. A winner's cost is computed from its usage, and a loser's cost is an estimate.
enum class cost_kind { winner, loser };
template <>
inline constexpr std::array<std::string_view, 2> words_of<cost_kind>{"winner", "loser"};

// The caller's limit that a rejected request exceeded, or another reason that concerns the caller.
enum class rejection { budget, size, parallel, rpm, tpm, blocked, expired, store };
template <>
inline constexpr std::array<std::string_view, 8> words_of<rejection>{"budget", "size",    "parallel", "rpm",
                                                                     "tpm",    "blocked", "expired",  "store"};

// The reason why the gateway rejected a request because of its own limits.
enum class overload_reason : std::uint8_t {
  max_connections,
  max_inflight,
  max_memory,
  no_memory,      // the system had no memory left
  shared_answer,  // this request waited for the answer to another request, but the answer was cut off or too long
};
template <>
inline constexpr std::array<std::string_view, 5> words_of<overload_reason>{
    "max_connections", "max_inflight", "max_memory", "no_memory", "shared_answer"};

// Kinds of tokens. `input` and `output` are the winner's tokens; the other kinds are tokens of attempts that did not
// win.
enum class token_direction { input, output, lost_input, lost_output };
template <>
inline constexpr std::array<std::string_view, 4> words_of<token_direction>{"input", "output", "lost_input",
                                                                           "lost_output"};

// The stages before the first token whose duration a provider may report.
enum class reported_stage { queue, prompt };
template <>
inline constexpr std::array<std::string_view, 2> words_of<reported_stage>{"queue", "prompt"};

// The bill for a cancelled attempt. `stops`: the provider bills nothing after the cancellation. `full`: the provider
// bills the whole answer.
enum class billing { stops, full, unknown };
template <>
inline constexpr std::array<std::string_view, 3> words_of<billing>{"stops", "full", "unknown"};

// The reason why an answer's speed is not measured.
enum class unmeasurable_reason {
  too_few_tokens,  // fewer than 16
  too_short,       // the answer took less than 50 ms
  one_burst,       // all tokens of the answer arrived in one read
  not_counted,     // too much text was already waiting to be counted
  client_slow,     // a slow client paused the reading
  broken,          // the answer was cut before its end
  not_streamed,    // the answer arrived in one piece
};
template <>
inline constexpr std::array<std::string_view, 7> words_of<unmeasurable_reason>{
    "too_few_tokens", "too_short", "one_burst", "not_counted", "client_slow", "broken", "not_streamed"};

// The reason why an attempt sent its request to the target again, without the rejected part.
enum class repeat_reason {
  stream,     // the target does not support streaming for this request
  reasoning,  // the reasoning in the request belongs to another account or another provider
  credentials,  // the credentials had expired, and newer credentials were used
};
template <>
inline constexpr std::array<std::string_view, 3> words_of<repeat_reason>{"stream", "reasoning",
                                                                                        "credentials"};

// The reason why an attempt of an adaptive race started.
enum class start_cause { first, hedge, trial, failure, rescue, twin };
template <>
inline constexpr std::array<std::string_view, 6> words_of<start_cause>{"first",   "hedge",  "trial",
                                                                       "failure", "rescue", "twin"};

// The purpose of a cost in an adaptive race: the winner, or losers. The cost of losers is grouped by the reason why the
// race started more than one attempt.
enum class spent_on { winner, hedge, trial, rescue };
template <>
inline constexpr std::array<std::string_view, 4> words_of<spent_on>{"winner", "hedge", "trial", "rescue"};

// The unit of a cost. The unit is tokens if any target's price is unknown.
enum class currency { usd, tokens };
template <>
inline constexpr std::array<std::string_view, 2> words_of<currency>{"usd", "tokens"};

// The reason why a hedge did not start at its planned time.
enum class held_back { empty, others_first };
template <>
inline constexpr std::array<std::string_view, 2> words_of<held_back>{"empty", "others_first"};

// A quantile of the predicted time to the first token. For example, 90 % of the races should not take longer than the
// quantile 0.9.
enum class predicted { p50, p90, p99 };
template <>
inline constexpr std::array<std::string_view, 3> words_of<predicted>{"0.5", "0.9", "0.99"};

// The gateway's action if a winner was slower than its route's minimum speed.
enum class crawl_end {
  reported,  // the answer continued, and the gateway only counted the slow winner
  cut,       // the answer ended with an error
  replaced,  // the runner-up answered in the winner's place
};
template <>
inline constexpr std::array<std::string_view, 3> words_of<crawl_end>{"reported", "cut", "replaced"};

// The result of a runner-up: a loser that continues because the winner may fail.
enum class runner_up_end {
  unused,    // the winner completed the answer
  answered,  // the loser completed the answer after the winner failed
  failed,    // the winner failed, and the loser that should have completed its answer also failed
};
template <>
inline constexpr std::array<std::string_view, 3> words_of<runner_up_end>{"unused", "answered", "failed"};

// The result of a route's cache for a request.
enum class cache_result : std::uint8_t {
  hit,        // an earlier answer was returned to the client
  miss,       // a race ran, and its answer may be stored
  bypass,     // a race ran, because the cache never answers this kind of request
  coalesced,  // the answer of a race that was already running was returned
};
template <>
inline constexpr std::array<std::string_view, 4> words_of<cache_result>{"hit", "miss", "bypass", "coalesced"};

// The verdict of a guardrail on a request.
enum class guardrail_verdict : std::uint8_t {
  pass,
  mask,     // the guardrail replaced texts in the request, and the request continues
  reject,
  timeout,  // the guardrail gave no verdict within the time limit
  error,    // the guardrail gave no verdict: no connection, a status other than 2xx, or an unknown format
};
template <>
inline constexpr std::array<std::string_view, 5> words_of<guardrail_verdict>{"pass", "mask", "reject", "timeout",
                                                                              "error"};

// The reason why a race with `win_on: finish` no longer held back an attempt. The values are the same as in
// racing::hold_end.
enum class hold_why { overtaken, stayed_ahead, turned, complete, full, alone, failed, race_over };
template <>
inline constexpr std::array<std::string_view, 8> words_of<hold_why>{
    "overtaken", "stayed_ahead", "turned", "complete", "full", "alone", "failed", "race_over"};

// The result of a race that had a deadline. `unlikely` means that the probability of meeting the deadline was below 10
// % when the race was planned.
enum class deadline_end { met, missed, unlikely };
template <>
inline constexpr std::array<std::string_view, 3> words_of<deadline_end>{"met", "missed", "unlikely"};

// The connection of an attempt. `fresh` is shown as "new", because `new` is a keyword in C++.
enum class connection_kind { fresh, reused };
template <>
inline constexpr std::array<std::string_view, 2> words_of<connection_kind>{"new", "reused"};

// The reason why an attempt failed, as OpenTelemetry's label error_type. Without an error the label is absent, because
// Prometheus treats an empty label as absent.
enum class gen_ai_error {};
template <>
inline constexpr auto words_of<gen_ai_error> = [] {
  auto words = words_of<attempt_reason>;
  words[static_cast<std::size_t>(attempt_reason::none)] = "";
  return words;
}();
constexpr gen_ai_error gen_ai_error_of(attempt_reason reason) { return static_cast<gen_ai_error>(reason); }

// How the provider's prompt cache handled input tokens of the winner: read from the cache, written to it, or neither.
enum class prompt_part { read, written, uncached };
template <>
inline constexpr std::array<std::string_view, 3> words_of<prompt_part>{"read", "written", "uncached"};

// expected_prefix states whether most of a prompt was expected in its target's prompt cache. found_prefix states
// whether most of the prompt was found there.
enum class expected_prefix { warm, cold };
template <>
inline constexpr std::array<std::string_view, 2> words_of<expected_prefix>{"warm", "cold"};
enum class found_prefix { warm, cold, unknown };
template <>
inline constexpr std::array<std::string_view, 3> words_of<found_prefix>{"warm", "cold", "unknown"};

// The reason why a race did not begin at the target that was expected to have cached most of the prompt.
enum class move_reason { slower, failing, limited, expired, trial };
template <>
inline constexpr std::array<std::string_view, 5> words_of<move_reason>{"slower", "failing", "limited", "expired",
                                                                       "trial"};

enum class token_type { input, output };
template <>
inline constexpr std::array<std::string_view, 2> words_of<token_type>{"input", "output"};

// Stores one value of the type T for each value of an enum.
template <class Enum, class T>
class by {
 public:
  T& operator[](Enum value) { return values_[static_cast<std::size_t>(value)]; }
  const T& operator[](Enum value) const { return values_[static_cast<std::size_t>(value)]; }

  // Calls visit(value, element) for each value of the enum, with the element that is stored for the value.
  void for_each(auto&& visit) const {
    for (std::size_t i = 0; i < values_.size(); ++i) visit(static_cast<Enum>(i), values_[i]);
  }

 private:
  std::array<T, words_of<Enum>.size()> values_{};
};

}  // namespace photofinish::metrics
