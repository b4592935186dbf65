// Describes the behaviour of a simulated provider as plain data: the speed, format and faults of its answers. Settings
// change this behaviour. A setting is written `name=value`, or only `name`. Settings are flags of `photofinish sim`.
// They may also follow the model's name in a request, as in `sim-model;ttft=50ms;tokens=32;reset_after=5`. [pure]
#pragma once

#include "proxy/failures/result.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway::simulator {

using std::chrono::microseconds;

// The maximum number of cached prefixes per simulator. A prefix needs about 100 bytes of memory.
inline constexpr std::uint32_t most_cached_prefixes = 65'536;

enum class usage_mode {
  asked,   // sends a usage chunk if the request sets stream_options.include_usage
  always,  // always sends a usage chunk
  never,   // never sends a usage chunk
};

// The ways in which a stream may end early.
enum class cut_kind {
  stall,        // sends no more bytes, and waits until the client disconnects
  reset,        // a TCP reset
  close,        // closes the connection in the middle of the body
  error_event,  // sends an error event, although the response has status 200
};

struct sim_cut {
  cut_kind kind = cut_kind::stall;
  // The number of tokens, including reasoning, that are sent before the stream ends early. If it exceeds the answer's
  // length, the stream ends after the last token.
  std::uint32_t after_tokens = 0;

  bool operator==(const sim_cut&) const = default;
};

// The faults that a simulator can produce. `share` is the share of requests with a fault. If several faults are set,
// only the first of them occurs, in the order of this list.
struct sim_faults {
  double share = 1;
  bool hang = false;  // true if the provider accepts requests but never answers
  int status = 0;     // the HTTP status of an error response; 0 for no error
  microseconds status_after{0};
  std::optional<microseconds> retry_after;
  bool done_only = false;  // true if the response has status 200 but its stream contains only `[DONE]`
  std::optional<sim_cut> cut;

  bool operator==(const sim_faults&) const = default;
};

// Selects the event that reports the number of tokens that were read from the prompt cache.
enum class cache_report {
  // The event that the API usually uses: the first event in the Messages API, each chunk in Gemini's API, the last
  // event in all other APIs.
  usual,
  early,  // the first event of the answer reports the cached tokens
  late,   // the last event of the answer reports the cached tokens
  never,
};

struct sim_prompt_cache {
  bool is_on = false;
  bool needs_marks = false;        // true if the cache stores only those prefixes that the client marks
  // The time to live of a cached prefix, counted from the start of the last request that used it.
  microseconds ttl{300'000'000};
  std::uint32_t minimum = 1024;    // the smallest number of tokens in a cached prefix
  // The length of a cached prefix is a multiple of this number of tokens. The remaining tokens are not cached.
  std::uint32_t step = 128;
  // The share of requests that find nothing in the cache, even if their prefix is cached.
  double miss_share = 0;
  // The mean time after which the cache loses an unused prefix; 0 if it never loses any at random.
  microseconds evict{0};
  // The maximum number of cached prefixes. Above this number, the least recently used prefixes are dropped.
  std::uint32_t entries = most_cached_prefixes;
  // The number of replicas of the provider. Each replica has its own cache. Each request gets a random replica.
  std::uint32_t replicas = 1;
  // The name of the request field whose value selects the replica. If it is empty, the replica is random.
  std::string hint;
  cache_report reported = cache_report::usual;
  // True if the usage reports the tokens written to the cache even if the client has set no marks.
  bool reports_writes = false;

  bool operator==(const sim_prompt_cache&) const = default;
};

// The times to read a prompt, which delay the first token.
struct sim_prompt_times {
  microseconds uncached{0};  // the time to read 1,000 prompt tokens that are not cached
  microseconds cached{0};    // the time to read 1,000 prompt tokens that are cached

  bool operator==(const sim_prompt_times&) const = default;
};

// Makes some of the answers longer.
struct sim_long_answers {
  double share = 0;  // the share of requests that get a longer answer
  std::uint32_t tokens = 900;

  bool operator==(const sim_long_answers&) const = default;
};

struct sim_prompt_behaviour {
  sim_prompt_times prompt_times;
  sim_prompt_cache cache;

  bool operator==(const sim_prompt_behaviour&) const = default;
};

struct sim_behaviour : sim_prompt_behaviour {
  // The time to the first token has a lognormal distribution with the median `ttft`. For the share `stall_share` of the
  // requests, the median is `stall_factor` times longer. Times of real providers have a similar distribution: most
  // times are close together, but a few are several seconds.
  microseconds ttft{200'000};  // median
  double ttft_sigma = 0.3;     // the spread of the time to the first token; with 0, the time is always the median
  double stall_share = 0.03;
  double stall_factor = 6;
  double stall_sigma = 0.5;
  // The time when the response headers and the role chunk are sent. If empty, they are sent together with the first
  // token.
  std::optional<microseconds> role_delay;

  double tokens_per_second = 100;  // the speed of a stream after its first chunk; with 0, there are no pauses
  std::uint32_t tokens_per_chunk = 1;
  std::uint32_t output_tokens = 200;
  sim_long_answers long_answers;
  // The number of reasoning tokens. They are sent before the answer's other tokens and do not count among them.
  std::uint32_t reasoning_tokens = 0;
  bool is_tool_call = false;           // true if the answer is a tool call; its arguments then contain all tokens
  usage_mode usage = usage_mode::asked;
  // The share of the time to the first token that the usage reports as queue time. If empty, the usage reports no queue
  // time.
  std::optional<double> queue_share;

  double slow = 1;        // a factor by which the times of all tokens are multiplied
  double load_share = 0;  // the share by which each additional running request slows down an answer's tokens
  // The maximum number of requests per minute. Further requests get error 429. The value 0 means no limit.
  std::uint32_t rpm_limit = 0;

  sim_faults faults;

  std::optional<std::uint64_t> seed;  // the seed for this request only; if empty, the simulator chooses a seed

  bool operator==(const sim_behaviour&) const = default;
};

// Returns the median time to the first token. `uncached` and `cached` are the numbers of prompt tokens outside and
// inside the prompt cache. The result is at most an hour.
microseconds median_ttft(const sim_behaviour& behaviour, std::uint64_t uncached, std::uint64_t cached);

struct sim_setting {
  std::string_view name;
  std::string_view value;  // an example of a value; empty for a switch, which accepts =1, =0 or no value
  std::string_view help;
};

// Returns all settings, in the order in which the documentation lists them.
std::span<const sim_setting> sim_settings();

// Returns a failure of kind bad_request, because the client sent invalid settings.
proxy::failure client_fault(int status, std::string code, std::string detail, std::string param = {});

// Applies one setting. If the request contains only the setting's name, `value` is empty. If the setting is invalid,
// returns a failure of kind bad_request. Its text names the setting and its valid values.
proxy::result<void> apply_setting(sim_behaviour& behaviour, std::string_view name, std::string_view value);

// Applies all settings in a text such as `setting;setting=value`. If a setting occurs twice, the last value applies.
proxy::result<void> apply_settings(sim_behaviour& behaviour, std::string_view text);

// Parses a duration such as 500us, 300ms, 2s or 10m. The maximum is an hour. If the text is invalid, returns false and
// leaves `into` unchanged.
bool read_sim_duration(std::string_view text, microseconds& into);

struct sim_model {
  std::string name;  // the model's name without its settings
  sim_behaviour behaviour;
};

// Parses a model's name with settings, `name;setting;setting=value`. The result is a copy of `defaults` with these
// settings. If a setting occurs twice, the last value applies.
proxy::result<sim_model> parse_model(std::string_view model, const sim_behaviour& defaults);

}  // namespace photofinish::gateway::simulator
