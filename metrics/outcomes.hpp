// How requests and attempts end, as closed sets of words: the label values that metrics and logs show. [pure]
// words_of<E> names each value in the order of its enum; a word once shown never changes.
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
  client_error,      // the client's fault: a 4xx of ours or of every provider
  upstream_error,    // no provider answered
  truncated,         // the winner broke or stalled after its first token
  client_cancelled,  // the client left
  gateway_error,     // our fault: overload, a bug
  drained,           // drain_timeout cut it
};
template <>
inline constexpr std::array<std::string_view, 7> words_of<request_outcome>{
    "ok", "client_error", "upstream_error", "truncated", "client_cancelled", "gateway_error", "drained"};

// Why a connection was closed before its first request.
enum class refused_connection : std::uint8_t {
  address,       // allow_from does not have it
  proxy_header,  // none, a broken one, or of someone who is not trusted
  tls,           // its handshake failed
  late,          // it was not ready in time
  crowded,       // too many others were shaking hands, and it was the oldest
};
template <>
inline constexpr std::array<std::string_view, 5> words_of<refused_connection>{"address", "proxy_header", "tls", "late",
                                                                              "crowded"};

enum class attempt_outcome {
  won,
  lost,
  failed,
  broken,     // won, then cut
  cancelled,  // the client left, or drain_timeout cut the request
  skipped,    // never started, for a reason that is the target's own
  continued,  // went on with an answer that another broke off, to its end
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
  unsupported,  // skipped: it cannot honour a parameter that carries meaning
  cooldown,     // skipped: it failed or refused lately
  busy,         // skipped: a limit of ours left no room for it there
  crawl,        // broken: slower than min_tokens_per_second
  required,     // skipped: its facts are not what the route requires
  too_long,     // skipped: the request exceeds its context or its longest answer
  unpriced,     // skipped: its price is not known, and `unpriced: refuse` holds
};
template <>
inline constexpr std::array<std::string_view, 20> words_of<attempt_reason>{
    "none",        "dns",          "connect",    "tls",   "timeout", "rate_limited", "quota",   "auth",
    "bad_request", "server_error", "bad_stream", "stall", "no_key",  "unsupported",  "cooldown", "busy",
    "crawl",       "required",     "too_long",   "unpriced"};

// Whose first token a TTFT is: a winner's, or a loser's that was left to run to it.
enum class ttft_sample { won, observed };
template <>
inline constexpr std::array<std::string_view, 2> words_of<ttft_sample>{"won", "observed"};

// Who counted the tokens: the provider, or we with our tokenizer.
enum class token_source { usage, tokenizer };
template <>
inline constexpr std::array<std::string_view, 2> words_of<token_source>{"usage", "tokenizer"};

// Whose cost: the winner's is what its usage comes to, a loser's is an estimate.
enum class cost_kind { winner, loser };
template <>
inline constexpr std::array<std::string_view, 2> words_of<cost_kind>{"winner", "loser"};

// Why a caller's own limits refused it.
enum class rejection { budget, size, parallel, rpm, tpm, blocked, expired, store };
template <>
inline constexpr std::array<std::string_view, 8> words_of<rejection>{"budget", "size",    "parallel", "rpm",
                                                                     "tpm",    "blocked", "expired",  "store"};

// Which limit of the gateway's own left no room for a request.
enum class overload_reason : std::uint8_t {
  max_connections,
  max_inflight,
  max_memory,
  no_memory,      // the system gave none
  shared_answer,  // another request's answer, which this one was to get, ended or grew too long
};
template <>
inline constexpr std::array<std::string_view, 5> words_of<overload_reason>{
    "max_connections", "max_inflight", "max_memory", "no_memory", "shared_answer"};

// Of the winner, or of attempts that did not win.
enum class token_direction { input, output, lost_input, lost_output };
template <>
inline constexpr std::array<std::string_view, 4> words_of<token_direction>{"input", "output", "lost_input",
                                                                           "lost_output"};

// What a provider says it spent a request's time on, before the first token.
enum class reported_stage { queue, prompt };
template <>
inline constexpr std::array<std::string_view, 2> words_of<reported_stage>{"queue", "prompt"};

// Whether cancelling stops the bill at that provider, or the whole answer is paid.
enum class billing { stops, full, unknown };
template <>
inline constexpr std::array<std::string_view, 3> words_of<billing>{"stops", "full", "unknown"};

// Why an answer's speed says nothing.
enum class unmeasurable_reason {
  too_few_tokens,  // under 16
  too_short,       // under 50 ms
  one_burst,       // all read at once
  not_counted,     // so much text was waiting to be counted that its own was left out
  client_slow,     // the client's slowness paused our reading
  broken,          // cut before its end
  not_streamed,    // it came in one piece
};
template <>
inline constexpr std::array<std::string_view, 7> words_of<unmeasurable_reason>{
    "too_few_tokens", "too_short", "one_burst", "not_counted", "client_slow", "broken", "not_streamed"};

// Why the same target was asked once more in an attempt, without what it had refused.
enum class repeat_reason {
  stream,     // it may not stream
  reasoning,  // another account's, or another provider's
  credentials,  // that have expired: with newer ones
};
template <>
inline constexpr std::array<std::string_view, 3> words_of<repeat_reason>{"stream", "reasoning",
                                                                                        "credentials"};

// Why an attempt of an adaptive race started.
enum class start_cause { first, hedge, trial, failure, rescue, twin };
template <>
inline constexpr std::array<std::string_view, 6> words_of<start_cause>{"first",   "hedge",  "trial",
                                                                       "failure", "rescue", "twin"};

// What an adaptive race's cost was for: its winner, or a loser, by what made several attempts of one.
enum class spent_on { winner, hedge, trial, rescue };
template <>
inline constexpr std::array<std::string_view, 4> words_of<spent_on>{"winner", "hedge", "trial", "rescue"};

// In what it is counted: tokens, where some target's price is unknown.
enum class currency { usd, tokens };
template <>
inline constexpr std::array<std::string_view, 2> words_of<currency>{"usd", "tokens"};

// Why a hedge that was due did not start then.
enum class held_back { empty, others_first };
template <>
inline constexpr std::array<std::string_view, 2> words_of<held_back>{"empty", "others_first"};

// The share of races that was predicted to have a first token by then.
enum class predicted { p50, p90, p99 };
template <>
inline constexpr std::array<std::string_view, 3> words_of<predicted>{"0.5", "0.9", "0.99"};

// What became of a winner that was slower than its route's limit.
enum class crawl_end {
  reported,  // it went on
  cut,       // its answer ended with an error
  replaced,  // the runner-up went on in its place
};
template <>
inline constexpr std::array<std::string_view, 3> words_of<crawl_end>{"reported", "cut", "replaced"};

// What a loser that ran on was good for.
enum class runner_up_end {
  unused,    // the winner answered
  answered,  // it did, in the winner's place
  failed,    // it was to, and did not
};
template <>
inline constexpr std::array<std::string_view, 3> words_of<runner_up_end>{"unused", "answered", "failed"};

// What a route's cache did with a request.
enum class cache_result : std::uint8_t {
  hit,        // an answer from before
  miss,       // raced, and its answer may be kept
  bypass,     // raced: not a request that the cache answers
  coalesced,  // the answer of a race that ran already
};
template <>
inline constexpr std::array<std::string_view, 4> words_of<cache_result>{"hit", "miss", "bypass", "coalesced"};

// What a guardrail said of a request.
enum class guardrail_verdict : std::uint8_t {
  pass,
  mask,     // it goes on with other texts
  reject,
  timeout,  // no verdict in time
  error,    // no verdict: no connection, another status than 2xx, an answer of another shape
};
template <>
inline constexpr std::array<std::string_view, 5> words_of<guardrail_verdict>{"pass", "mask", "reject", "timeout",
                                                                              "error"};

// With `win_on: finish`: why the tokens of an attempt were held no longer. As racing::hold_end.
enum class hold_why { overtaken, stayed_ahead, turned, complete, full, alone, failed, race_over };
template <>
inline constexpr std::array<std::string_view, 8> words_of<hold_why>{
    "overtaken", "stayed_ahead", "turned", "complete", "full", "alone", "failed", "race_over"};

// What came of a race's deadline. Unlikely: hardly any target could meet it, as its plan saw it.
enum class deadline_end { met, missed, unlikely };
template <>
inline constexpr std::array<std::string_view, 3> words_of<deadline_end>{"met", "missed", "unlikely"};

// What an attempt started on. `fresh` is shown as "new", which is no name for a value in C++.
enum class connection_kind { fresh, reused };
template <>
inline constexpr std::array<std::string_view, 2> words_of<connection_kind>{"new", "reused"};

// An attempt's reason as OpenTelemetry's label error_type, which is absent without an error. To Prometheus an empty
// label is an absent one.
enum class gen_ai_error {};
template <>
inline constexpr auto words_of<gen_ai_error> = [] {
  auto words = words_of<attempt_reason>;
  words[static_cast<std::size_t>(attempt_reason::none)] = "";
  return words;
}();
constexpr gen_ai_error gen_ai_error_of(attempt_reason reason) { return static_cast<gen_ai_error>(reason); }

// What a provider's prompt cache did with the input tokens of a winner.
enum class prompt_part { read, written, uncached };
template <>
inline constexpr std::array<std::string_view, 3> words_of<prompt_part>{"read", "written", "uncached"};

// Whether most of a prompt was expected in the cache of its target, and whether it was there.
enum class expected_prefix { warm, cold };
template <>
inline constexpr std::array<std::string_view, 2> words_of<expected_prefix>{"warm", "cold"};
enum class found_prefix { warm, cold, unknown };
template <>
inline constexpr std::array<std::string_view, 3> words_of<found_prefix>{"warm", "cold", "unknown"};

// Why a race began at another target than the one that was expected to have most of its prompt.
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
