// The possible ends of requests and attempts as closed sets of words, which are the label values in metrics and logs.
// [pure]
// words_of<E> names each value in the order of its enum. A published word never changes.
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
  client_error,      // the client's fault: a 4xx from the gateway or from every provider
  upstream_error,    // no provider answered
  truncated,         // the winner broke or stalled after its first token
  client_cancelled,  // the client left
  gateway_error,     // the gateway's fault: overload or a bug
  drained,           // drain_timeout ended it
};
template <>
inline constexpr std::array<std::string_view, 7> words_of<request_outcome>{
    "ok", "client_error", "upstream_error", "truncated", "client_cancelled", "gateway_error", "drained"};

// The reason why a connection was closed before its first request.
enum class refused_connection : std::uint8_t {
  address,       // allow_from does not contain the address
  proxy_header,  // the PROXY header is missing or malformed, or its sender is not trusted
  tls,           // its handshake failed
  late,          // the connection was not ready before its limit
  crowded,       // the connection was the oldest of too many in a handshake
};
template <>
inline constexpr std::array<std::string_view, 5> words_of<refused_connection>{"address", "proxy_header", "tls", "late",
                                                                              "crowded"};

enum class attempt_outcome {
  won,
  lost,
  failed,
  broken,     // won and then broke off
  cancelled,  // the client left, or drain_timeout ended the request
  skipped,    // never started, for a reason that lies in the target
  continued,  // continued another attempt's broken answer to its end
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
  no_key,       // skipped: no key for this target
  unsupported,  // skipped: it does not support a parameter that changes the meaning
  cooldown,     // skipped: it recently failed or refused
  busy,         // skipped: a limit of the gateway left no room for it there
  crawl,        // broken: slower than min_tokens_per_second
  required,     // skipped: its facts do not meet the route's requirements
  too_long,     // skipped: the request exceeds its context or its longest answer
  unpriced,     // skipped: its price is unknown, and `unpriced: refuse` is set
};
template <>
inline constexpr std::array<std::string_view, 20> words_of<attempt_reason>{
    "none",        "dns",          "connect",    "tls",   "timeout", "rate_limited", "quota",   "auth",
    "bad_request", "server_error", "bad_stream", "stall", "no_key",  "unsupported",  "cooldown", "busy",
    "crawl",       "required",     "too_long",   "unpriced"};

// The attempt whose first token a TTFT measures: the winner's, or a loser's that continued to its first token.
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

// The limit of the caller that refused a request.
enum class rejection { budget, size, parallel, rpm, tpm, blocked, expired, store };
template <>
inline constexpr std::array<std::string_view, 8> words_of<rejection>{"budget", "size",    "parallel", "rpm",
                                                                     "tpm",    "blocked", "expired",  "store"};

// The limit of the gateway that left no room for a request.
enum class overload_reason : std::uint8_t {
  max_connections,
  max_inflight,
  max_memory,
  no_memory,      // the system had no memory left
  shared_answer,  // another request's answer, which this request was waiting for, ended or became too long
};
template <>
inline constexpr std::array<std::string_view, 5> words_of<overload_reason>{
    "max_connections", "max_inflight", "max_memory", "no_memory", "shared_answer"};

// input and output: the winner's tokens. The others: tokens of attempts that did not win.
enum class token_direction { input, output, lost_input, lost_output };
template <>
inline constexpr std::array<std::string_view, 4> words_of<token_direction>{"input", "output", "lost_input",
                                                                           "lost_output"};

// The time before the first token, as reported by a provider, by stage.
enum class reported_stage { queue, prompt };
template <>
inline constexpr std::array<std::string_view, 2> words_of<reported_stage>{"queue", "prompt"};

// stops: cancelling stops the bill at that provider. full: the whole answer is billed.
enum class billing { stops, full, unknown };
template <>
inline constexpr std::array<std::string_view, 3> words_of<billing>{"stops", "full", "unknown"};

// The reason why an answer's speed is not measured.
enum class unmeasurable_reason {
  too_few_tokens,  // fewer than 16
  too_short,       // less than 50 ms
  one_burst,       // all tokens arrived in one read
  not_counted,     // too much text was waiting to be counted, so this text was left out
  client_slow,     // a slow client paused the reading
  broken,          // cut before its end
  not_streamed,    // the answer arrived in one piece
};
template <>
inline constexpr std::array<std::string_view, 7> words_of<unmeasurable_reason>{
    "too_few_tokens", "too_short", "one_burst", "not_counted", "client_slow", "broken", "not_streamed"};

// The reason why an attempt asked its target again, without the part that was refused.
enum class repeat_reason {
  stream,     // the target may not stream
  reasoning,  // the reasoning belongs to another account or another provider
  credentials,  // the credentials had expired, and newer ones were used
};
template <>
inline constexpr std::array<std::string_view, 3> words_of<repeat_reason>{"stream", "reasoning",
                                                                                        "credentials"};

// The reason why an attempt of an adaptive race started.
enum class start_cause { first, hedge, trial, failure, rescue, twin };
template <>
inline constexpr std::array<std::string_view, 6> words_of<start_cause>{"first",   "hedge",  "trial",
                                                                       "failure", "rescue", "twin"};

// The purpose of an adaptive race's cost: its winner, or a loser, by the reason for starting several attempts.
enum class spent_on { winner, hedge, trial, rescue };
template <>
inline constexpr std::array<std::string_view, 4> words_of<spent_on>{"winner", "hedge", "trial", "rescue"};

// The unit of the cost. It is tokens if any target's price is unknown.
enum class currency { usd, tokens };
template <>
inline constexpr std::array<std::string_view, 2> words_of<currency>{"usd", "tokens"};

// The reason why a hedge did not start when it was due.
enum class held_back { empty, others_first };
template <>
inline constexpr std::array<std::string_view, 2> words_of<held_back>{"empty", "others_first"};

// The share of races that were predicted to have a first token by then.
enum class predicted { p50, p90, p99 };
template <>
inline constexpr std::array<std::string_view, 3> words_of<predicted>{"0.5", "0.9", "0.99"};

// The consequence for a winner that was slower than its route's limit.
enum class crawl_end {
  reported,  // the answer continued
  cut,       // its answer ended with an error
  replaced,  // the runner-up continued in its place
};
template <>
inline constexpr std::array<std::string_view, 3> words_of<crawl_end>{"reported", "cut", "replaced"};

// The use of a loser that kept running.
enum class runner_up_end {
  unused,    // the winner completed the answer
  answered,  // the loser completed the answer in the winner's place
  failed,    // the loser should have replaced the winner and failed
};
template <>
inline constexpr std::array<std::string_view, 3> words_of<runner_up_end>{"unused", "answered", "failed"};

// The result of a route's cache for a request.
enum class cache_result : std::uint8_t {
  hit,        // an earlier answer was returned
  miss,       // a race ran, and its answer may be stored
  bypass,     // a race ran, because the cache does not answer such requests
  coalesced,  // the answer of a race that was already running was returned
};
template <>
inline constexpr std::array<std::string_view, 4> words_of<cache_result>{"hit", "miss", "bypass", "coalesced"};

// The verdict of a guardrail on a request.
enum class guardrail_verdict : std::uint8_t {
  pass,
  mask,     // the request continues with other texts
  reject,
  timeout,  // no verdict before the limit
  error,    // no verdict: no connection, a status other than 2xx, or an answer of another form
};
template <>
inline constexpr std::array<std::string_view, 5> words_of<guardrail_verdict>{"pass", "mask", "reject", "timeout",
                                                                              "error"};

// The reason why the tokens of an attempt are no longer held under `win_on: finish`. The same as racing::hold_end.
enum class hold_why { overtaken, stayed_ahead, turned, complete, full, alone, failed, race_over };
template <>
inline constexpr std::array<std::string_view, 8> words_of<hold_why>{
    "overtaken", "stayed_ahead", "turned", "complete", "full", "alone", "failed", "race_over"};

// The result of a race's deadline. Unlikely: the plan expected hardly any target to meet it.
enum class deadline_end { met, missed, unlikely };
template <>
inline constexpr std::array<std::string_view, 3> words_of<deadline_end>{"met", "missed", "unlikely"};

// The connection of an attempt. `fresh` is shown as "new", because C++ does not allow that name.
enum class connection_kind { fresh, reused };
template <>
inline constexpr std::array<std::string_view, 2> words_of<connection_kind>{"new", "reused"};

// An attempt's reason as OpenTelemetry's label error_type, which is absent if there is no error. Prometheus treats an
// empty label as absent.
enum class gen_ai_error {};
template <>
inline constexpr auto words_of<gen_ai_error> = [] {
  auto words = words_of<attempt_reason>;
  words[static_cast<std::size_t>(attempt_reason::none)] = "";
  return words;
}();
constexpr gen_ai_error gen_ai_error_of(attempt_reason reason) { return static_cast<gen_ai_error>(reason); }

// The parts of a winner's input tokens, by the effect of the provider's prompt cache.
enum class prompt_part { read, written, uncached };
template <>
inline constexpr std::array<std::string_view, 3> words_of<prompt_part>{"read", "written", "uncached"};

// Says if most of a prompt was expected in its target's cache, and if it was there.
enum class expected_prefix { warm, cold };
template <>
inline constexpr std::array<std::string_view, 2> words_of<expected_prefix>{"warm", "cold"};
enum class found_prefix { warm, cold, unknown };
template <>
inline constexpr std::array<std::string_view, 3> words_of<found_prefix>{"warm", "cold", "unknown"};

// The reason why a race began at another target than the target that was expected to have most of its prompt cached.
enum class move_reason { slower, failing, limited, expired, trial };
template <>
inline constexpr std::array<std::string_view, 5> words_of<move_reason>{"slower", "failing", "limited", "expired",
                                                                       "trial"};

enum class token_type { input, output };
template <>
inline constexpr std::array<std::string_view, 2> words_of<token_type>{"input", "output"};

// One T for each value of an enum.
template <class Enum, class T>
class by {
 public:
  T& operator[](Enum value) { return values_[static_cast<std::size_t>(value)]; }
  const T& operator[](Enum value) const { return values_[static_cast<std::size_t>(value)]; }

  // Calls visit(value of the enum, its T) for each.
  void for_each(auto&& visit) const {
    for (std::size_t i = 0; i < values_.size(); ++i) visit(static_cast<Enum>(i), values_[i]);
  }

 private:
  std::array<T, words_of<Enum>.size()> values_{};
};

}  // namespace photofinish::metrics
