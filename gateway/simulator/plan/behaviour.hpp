// Describes the behaviour of a simulated provider as plain data: speed, form and faults of its answers. [pure] Settings
// change the behaviour. They are written `name=value` or as a bare `name`. They are flags of `photofinish sim`, or they
// follow a request's model name, as in `sim-model;ttft=50ms;tokens=32;reset_after=5`.
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

inline constexpr std::uint32_t most_cached_prefixes = 65'536;  // the limit per simulator; a prefix needs some 100 bytes

enum class usage_mode {
  asked,   // sends a usage chunk if stream_options.include_usage requests it
  always,  // sends a usage chunk in every answer
  never,   // sends no usage chunk
};

// The way in which a stream ends early.
enum class cut_kind {
  stall,        // sends nothing more until the client leaves
  reset,        // a TCP reset
  close,        // sends a FIN in the middle of the chunked body
  error_event,  // sends an error in the response with status 200
};

struct sim_cut {
  cut_kind kind = cut_kind::stall;
  std::uint32_t after_tokens = 0;  // the tokens before the end, including reasoning; at most the answer's own length

  bool operator==(const sim_cut&) const = default;
};

// Simulated faults. The first fault in this order that is set happens to a `share` of the requests.
struct sim_faults {
  double share = 1;
  bool hang = false;  // true if the provider never sends a byte
  int status = 0;     // the status of an error answer, or 0 for no error
  microseconds status_after{0};
  std::optional<microseconds> retry_after;
  bool done_only = false;  // true if the provider sends status 200 and only `[DONE]`
  std::optional<sim_cut> cut;

  bool operator==(const sim_faults&) const = default;
};

// Says in which event the usage reports the tokens from the prompt cache.
enum class cache_report {
  usual,  // the API's own time: Messages at the start, Gemini in each chunk, all others at the end
  early,  // cached tokens are reported in the first event
  late,   // cached tokens are reported in the last event
  never,
};

struct sim_prompt_cache {
  bool is_on = false;
  bool needs_marks = false;        // true if only prefixes that the client marks are cached
  // The time to live of a prefix, counted from the start of the last request that used it.
  microseconds ttl{300'000'000};
  std::uint32_t minimum = 1024;    // the tokens of the shortest cached prefix
  // The size of a cached step in tokens; tokens after the last whole step are read again.
  std::uint32_t step = 128;
  double miss_share = 0;           // the share of requests that find nothing in the cache
  microseconds evict{0};           // the mean time from a prefix's last use until it is lost; 0 if it is never lost
  std::uint32_t entries = most_cached_prefixes;  // the limit of prefixes; the least recently used prefixes are dropped
  std::uint32_t replicas = 1;      // number of replicas with separate caches; each request gets a random replica
  std::string hint;                // a field's name; requests with an equal value get the same replica; empty if unused
  cache_report reported = cache_report::usual;
  bool reports_writes = false;     // true if the usage also reports written tokens without marks

  bool operator==(const sim_prompt_cache&) const = default;
};

// The time that each 1,000 tokens of the prompt add to the median TTFT.
struct sim_prompt_times {
  microseconds uncached{0};  // the time to read 1,000 tokens that are not in a cache
  microseconds cached{0};    // the time to read 1,000 tokens from a cache

  bool operator==(const sim_prompt_times&) const = default;
};

// Makes a share of the answers longer than usual.
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
  // The TTFT has a lognormal distribution around `ttft`. For a `stall_share` of the requests, the distribution is
  // around `stall_factor` times that value. Measured providers have this distribution: most answers are close together,
  // and a few take seconds.
  microseconds ttft{200'000};  // median
  double ttft_sigma = 0.3;     // the spread of the TTFT; with 0, every answer takes the median
  double stall_share = 0.03;
  double stall_factor = 6;
  double stall_sigma = 0.5;
  // Time of the head and the role chunk; if empty, they come with the first token.
  std::optional<microseconds> role_delay;

  double tokens_per_second = 100;  // the speed after the first chunk; 0 means no pauses
  std::uint32_t tokens_per_chunk = 1;
  std::uint32_t output_tokens = 200;
  sim_long_answers long_answers;
  std::uint32_t reasoning_tokens = 0;  // number of tokens sent before the other tokens, and in addition to them
  bool is_tool_call = false;           // true if the output is a tool call's arguments
  usage_mode usage = usage_mode::asked;
  // Share of the time to the first token that the usage reports as queue time; empty if not reported.
  std::optional<double> queue_share;

  double slow = 1;        // the factor for the time to the first token and for each later token
  double load_share = 0;  // the slowdown of each token for each other request in progress
  std::uint32_t rpm_limit = 0;  // the limit of requests per minute; other requests get error 429. 0 means no limit

  sim_faults faults;

  std::optional<std::uint64_t> seed;  // the seed for this request only; if empty, the simulator's next seed is used

  bool operator==(const sim_behaviour&) const = default;
};

// Returns the median TTFT for a prompt with these numbers of tokens, at most an hour.
microseconds median_ttft(const sim_behaviour& behaviour, std::uint64_t uncached, std::uint64_t cached);

struct sim_setting {
  std::string_view name;
  std::string_view value;  // an example of a value; empty for a switch, which also accepts =1 and =0
  std::string_view help;
};

// Returns every setting, in the order of the documentation.
std::span<const sim_setting> sim_settings();

// Returns a failure of kind bad_request, which the client caused.
proxy::failure client_fault(int status, std::string code, std::string detail, std::string param = {});

// Applies one setting. A failure names the setting and its valid values, and has the kind bad_request. An empty `value`
// means a bare name.
proxy::result<void> apply_setting(sim_behaviour& behaviour, std::string_view name, std::string_view value);

// Applies settings such as `setting;setting=value`. If a setting occurs twice, the last value is used.
proxy::result<void> apply_settings(sim_behaviour& behaviour, std::string_view text);

// Reads a duration such as 500us, 300ms, 2s or 10m, at most an hour. Returns false and leaves `into` unchanged if the
// text is invalid.
bool read_sim_duration(std::string_view text, microseconds& into);

struct sim_model {
  std::string name;  // the model's name without its settings
  sim_behaviour behaviour;
};

// Parses `name;setting;setting=value`. The settings change `defaults`. If a setting occurs twice, the last value is
// used.
proxy::result<sim_model> parse_model(std::string_view model, const sim_behaviour& defaults);

}  // namespace photofinish::gateway::simulator
