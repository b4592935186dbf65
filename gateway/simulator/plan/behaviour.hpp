// Describes the behaviour of a simulated provider as plain data: speed, format and faults of its answers. [pure]
// Settings change the behaviour. A setting is written `name=value`, or only `name`. Settings are flags of `photofinish
// sim`, or follow the model's name in a request, as in `sim-model;ttft=50ms;tokens=32;reset_after=5`.
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

// The limit of cached prefixes per simulator. A prefix needs some 100 bytes of memory.
inline constexpr std::uint32_t most_cached_prefixes = 65'536;

enum class usage_mode {
  asked,   // sends a usage chunk if stream_options.include_usage requests it
  always,  // sends a usage chunk in every answer
  never,   // sends no usage chunk
};

// Names the ways in which a stream may end early.
enum class cut_kind {
  stall,        // sends no more bytes until the client leaves
  reset,        // a TCP reset
  close,        // closes the connection with a FIN in the middle of the chunked body
  error_event,  // sends an error event in the response with status 200
};

struct sim_cut {
  cut_kind kind = cut_kind::stall;
  // The number of tokens before the stream ends early, including reasoning. It is at most the answer's own length.
  std::uint32_t after_tokens = 0;

  bool operator==(const sim_cut&) const = default;
};

// The faults that a simulator can produce. Only one fault happens to a `share` of the requests: the first fault in this
// order that is set.
struct sim_faults {
  double share = 1;
  bool hang = false;  // true if the provider accepts requests but never sends a byte
  int status = 0;     // the HTTP status of an error answer; 0 for no error
  microseconds status_after{0};
  std::optional<microseconds> retry_after;
  bool done_only = false;  // true if the provider's stream contains only `[DONE]`, with status 200
  std::optional<sim_cut> cut;

  bool operator==(const sim_faults&) const = default;
};

// Says in which event the usage reports the tokens that were read from the prompt cache.
enum class cache_report {
  usual,  // the API's usual event: the first for Messages, each chunk for Gemini, the last for all other APIs
  early,  // the first event reports the cached tokens
  late,   // the last event reports the cached tokens
  never,
};

struct sim_prompt_cache {
  bool is_on = false;
  bool needs_marks = false;        // true if the cache stores only prefixes that the client marks
  // The time to live of a cached prefix, counted from the start of the last request that used the prefix.
  microseconds ttl{300'000'000};
  std::uint32_t minimum = 1024;    // the smallest number of tokens that a cached prefix can have
  // The step in tokens by which cached prefixes grow. Tokens after the last full step are not cached.
  std::uint32_t step = 128;
  double miss_share = 0;           // the share of requests that find nothing in the cache
  // The mean time from a prefix's last use until the cache loses it; 0 if prefixes are not lost.
  microseconds evict{0};
  // The largest number of cached prefixes. If there are more, the least recently used prefixes are dropped.
  std::uint32_t entries = most_cached_prefixes;
  // The number of replicas of the provider, each with its own cache. Each request gets a random replica.
  std::uint32_t replicas = 1;
  // The name of a request field whose value selects the replica; empty if there is no such field.
  std::string hint;
  cache_report reported = cache_report::usual;
  bool reports_writes = false;     // true if the usage also reports written tokens for clients that set no marks

  bool operator==(const sim_prompt_cache&) const = default;
};

// The time by which each 1,000 tokens of the prompt delay the first token.
struct sim_prompt_times {
  microseconds uncached{0};  // the time to read 1,000 tokens of the prompt that are not cached
  microseconds cached{0};    // the time to read 1,000 tokens of the prompt from the cache

  bool operator==(const sim_prompt_times&) const = default;
};

// Makes a share of the answers longer than the other answers.
struct sim_long_answers {
  double share = 0;  // the share of requests with a longer answer
  std::uint32_t tokens = 900;

  bool operator==(const sim_long_answers&) const = default;
};

struct sim_prompt_behaviour {
  sim_prompt_times prompt_times;
  sim_prompt_cache cache;

  bool operator==(const sim_prompt_behaviour&) const = default;
};

struct sim_behaviour : sim_prompt_behaviour {
  // The time to the first token has a lognormal distribution around `ttft`. For a `stall_share` of the requests, the
  // distribution is around `stall_factor` times that value. Measured providers have such a distribution: most times are
  // close together, and a few are seconds.
  microseconds ttft{200'000};  // median
  double ttft_sigma = 0.3;     // the spread of the time to the first token; if it is 0, every answer takes the median
  double stall_share = 0.03;
  double stall_factor = 6;
  double stall_sigma = 0.5;
  // The time until the head and the role chunk are sent; if empty, they are sent with the first token.
  std::optional<microseconds> role_delay;

  double tokens_per_second = 100;  // the speed of a stream after its first chunk; 0 means no pauses
  std::uint32_t tokens_per_chunk = 1;
  std::uint32_t output_tokens = 200;
  sim_long_answers long_answers;
  // The number of reasoning tokens, sent in addition to the other tokens and before them.
  std::uint32_t reasoning_tokens = 0;
  bool is_tool_call = false;           // true if the answer is a tool call, whose arguments contain the tokens
  usage_mode usage = usage_mode::asked;
  // The share of the time to the first token that the usage reports as queue time; empty if the usage reports no queue
  // time.
  std::optional<double> queue_share;

  double slow = 1;        // a factor by which the first token and each later token take longer
  double load_share = 0;  // the share by which each token takes longer for each other running request
  // The largest number of requests per minute. Further requests get error 429. 0 means no limit.
  std::uint32_t rpm_limit = 0;

  sim_faults faults;

  std::optional<std::uint64_t> seed;  // the seed for this request only; if empty, the simulator's next seed is used

  bool operator==(const sim_behaviour&) const = default;
};

// Returns the median time to the first token for a prompt with these numbers of tokens. It is at most an hour.
microseconds median_ttft(const sim_behaviour& behaviour, std::uint64_t uncached, std::uint64_t cached);

struct sim_setting {
  std::string_view name;
  std::string_view value;  // an example of the setting's value; empty for a switch, which also accepts =1 and =0
  std::string_view help;
};

// Returns all settings, in the order of the documentation.
std::span<const sim_setting> sim_settings();

// Returns a failure of the kind bad_request, because the client caused it.
proxy::failure client_fault(int status, std::string code, std::string detail, std::string param = {});

// Applies one setting. An empty `value` means that only the name was given. If the setting is invalid, returns a
// failure of kind bad_request that names the setting and its valid values.
proxy::result<void> apply_setting(sim_behaviour& behaviour, std::string_view name, std::string_view value);

// Applies a text of settings such as `setting;setting=value`. If a setting occurs twice, the last value is used.
proxy::result<void> apply_settings(sim_behaviour& behaviour, std::string_view text);

// Reads a duration such as 500us, 300ms, 2s or 10m, which may be at most an hour. Returns false and leaves `into`
// unchanged if the text is invalid.
bool read_sim_duration(std::string_view text, microseconds& into);

struct sim_model {
  std::string name;  // the model's name without its settings
  sim_behaviour behaviour;
};

// Parses a model's name with settings, `name;setting;setting=value`. The settings change a copy of `defaults`. If a
// setting occurs twice, the last value is used.
proxy::result<sim_model> parse_model(std::string_view model, const sim_behaviour& defaults);

}  // namespace photofinish::gateway::simulator
