// The behaviour of a simulated provider: speed, form and faults of its answers, as plain data. [pure]
// Settings, `name=value` or a bare `name`, change it: as flags of `photofinish sim`, or after a request's model name,
// as in `sim-model;ttft=50ms;tokens=32;reset_after=5`.
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

inline constexpr std::uint32_t most_cached_prefixes = 65'536;  // per simulator, some 100 bytes each

enum class usage_mode {
  asked,   // a usage chunk if stream_options.include_usage asks for it
  always,  // also if not asked
  never,   // in no answer
};

// How a stream ends early.
enum class cut_kind {
  stall,        // silence until the client leaves
  reset,        // a TCP reset
  close,        // a FIN in the middle of the chunked body
  error_event,  // an error inside the 200
};

struct sim_cut {
  cut_kind kind = cut_kind::stall;
  std::uint32_t after_tokens = 0;  // including reasoning; at most the answer's own length

  bool operator==(const sim_cut&) const = default;
};

// The first fault in this order that is set happens to a `share` of the requests.
struct sim_faults {
  double share = 1;
  bool hang = false;  // never sends a byte
  int status = 0;     // an error answer; 0: none
  microseconds status_after{0};
  std::optional<microseconds> retry_after;
  bool done_only = false;  // a 200 with `[DONE]` only
  std::optional<sim_cut> cut;

  bool operator==(const sim_faults&) const = default;
};

// When the usage reports the tokens from the prompt cache.
enum class cache_report {
  usual,  // the API's own time: Messages at the start, Gemini with each chunk, all others at the end
  early,  // with the first event
  late,   // with the last event
  never,
};

struct sim_prompt_cache {
  bool is_on = false;
  bool needs_marks = false;        // only prefixes that the client marks are cached
  microseconds ttl{300'000'000};   // from the start of the last request that used a prefix
  std::uint32_t minimum = 1024;    // tokens; shorter prefixes are not cached
  std::uint32_t step = 128;        // tokens; the rest after the last whole step is read again
  double miss_share = 0;           // share of requests that find nothing
  microseconds evict{0};           // mean time after its last use in which a prefix is lost; 0: never
  std::uint32_t entries = most_cached_prefixes;  // the least recently used prefixes are dropped
  std::uint32_t replicas = 1;      // each with its own cache; a request gets one by chance
  std::string hint;                // requests with the same value of this field get the same replica; empty: no field
  cache_report reported = cache_report::usual;
  bool reports_writes = false;     // also without marks

  bool operator==(const sim_prompt_cache&) const = default;
};

// Time added to the median TTFT for each 1,000 tokens of the prompt.
struct sim_prompt_times {
  microseconds uncached{0};  // tokens that are not read from a cache
  microseconds cached{0};    // tokens that are read from a cache

  bool operator==(const sim_prompt_times&) const = default;
};

// Some answers are longer than usual.
struct sim_long_answers {
  double share = 0;  // share of requests
  std::uint32_t tokens = 900;

  bool operator==(const sim_long_answers&) const = default;
};

struct sim_prompt_behaviour {
  sim_prompt_times prompt_times;
  sim_prompt_cache cache;

  bool operator==(const sim_prompt_behaviour&) const = default;
};

struct sim_behaviour : sim_prompt_behaviour {
  // TTFT is lognormal around `ttft`, but for a `stall_share` of the requests it is lognormal around `stall_factor`
  // times that. Measured providers have this distribution: most answers are close together, and a few take seconds.
  microseconds ttft{200'000};  // median
  double ttft_sigma = 0.3;     // 0: every answer takes the median
  double stall_share = 0.03;
  double stall_factor = 6;
  double stall_sigma = 0.5;
  std::optional<microseconds> role_delay;  // time of the head and the role chunk; empty: with the first token

  double tokens_per_second = 100;  // after the first chunk; 0: no pauses
  std::uint32_t tokens_per_chunk = 1;
  std::uint32_t output_tokens = 200;
  sim_long_answers long_answers;
  std::uint32_t reasoning_tokens = 0;  // sent before the other tokens, and in addition to them
  bool is_tool_call = false;           // the output is a tool call's arguments
  usage_mode usage = usage_mode::asked;
  std::optional<double> queue_share;  // of the time to the first token, reported in the usage; empty: not reported

  double slow = 1;        // factor for the time to the first token and for each further token
  double load_share = 0;  // slowdown of each token per further request in progress
  std::uint32_t rpm_limit = 0;  // requests per minute; further ones are answered with 429. 0: no limit

  sim_faults faults;

  std::optional<std::uint64_t> seed;  // for this request only; empty: the simulator's next seed

  bool operator==(const sim_behaviour&) const = default;
};

// The median for a prompt with that many tokens, at most an hour.
microseconds median_ttft(const sim_behaviour& behaviour, std::uint64_t uncached, std::uint64_t cached);

struct sim_setting {
  std::string_view name;
  std::string_view value;  // example of a value; empty: a switch, which may also be given as =1 or =0
  std::string_view help;
};

// Every setting, in the order of the documentation.
std::span<const sim_setting> sim_settings();

// A failure that the client caused, of kind bad_request.
proxy::failure client_fault(int status, std::string code, std::string detail, std::string param = {});

// A failure names the setting and its valid values; its kind is bad_request. An empty value means a bare name.
proxy::result<void> apply_setting(sim_behaviour& behaviour, std::string_view name, std::string_view value);

// `setting;setting=value`: the last setting of a kind is used.
proxy::result<void> apply_settings(sim_behaviour& behaviour, std::string_view text);

// 500us, 300ms, 2s, 10m; at most an hour. False: the text is invalid, and `into` is unchanged.
bool read_sim_duration(std::string_view text, microseconds& into);

struct sim_model {
  std::string name;  // without its settings
  sim_behaviour behaviour;
};

// `name;setting;setting=value`: the settings change `defaults`; the last setting of a kind is used.
proxy::result<sim_model> parse_model(std::string_view model, const sim_behaviour& defaults);

}  // namespace photofinish::gateway::simulator
