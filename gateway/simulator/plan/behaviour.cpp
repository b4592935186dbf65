#include "gateway/simulator/plan/behaviour.hpp"

#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace photofinish::gateway::simulator {
namespace {

// The following functions parse the value of a setting and store it. Each function returns false if the text is
// invalid.

template <class Number>
bool read_number(std::string_view text, Number least, Number most, Number& into) {
  const auto value = proxy::parse_number<Number>(text);
  // The condition is negated so that NaN is also rejected.
  if (!value || !(*value >= least && *value <= most)) return false;
  into = *value;
  return true;
}

bool read_duration(std::string_view text, microseconds& into) { return read_sim_duration(text, into); }

bool read_duration(std::string_view text, std::optional<microseconds>& into) {
  microseconds value{};
  if (!read_duration(text, value)) return false;
  into = value;
  return true;
}

bool read_switch(std::string_view text, bool& into) {
  into = text != "0";
  return text.empty() || text == "1" || text == "0";
}

bool read_share(std::string_view text, double& into) { return read_number(text, 0.0, 1.0, into); }
bool read_sigma(std::string_view text, double& into) { return read_number(text, 0.0, 3.0, into); }

constexpr std::uint32_t most_tokens = 1'000'000;
constexpr microseconds most_duration = std::chrono::hours(1);

bool read_tokens(std::string_view text, std::uint32_t& into) {
  return read_number<std::uint32_t>(text, 0, most_tokens, into);
}

bool read_cut(cut_kind kind, std::string_view text, std::optional<sim_cut>& into) {
  sim_cut cut{.kind = kind, .after_tokens = 0};
  if (kind == cut_kind::error_event && text.empty()) return into = cut, true;
  if (!read_tokens(text, cut.after_tokens)) return false;
  return into = cut, true;
}

bool read_status(std::string_view text, int& into) {
  int status = 0;
  if (!read_number(text, 0, 599, status) || (status != 0 && status < 400)) return false;
  into = status;
  return true;
}

bool read_usage(std::string_view text, usage_mode& into) {
  if (text == "asked") into = usage_mode::asked;
  else if (text == "always") into = usage_mode::always;
  else if (text == "never") into = usage_mode::never;
  else return false;
  return true;
}

bool read_no_usage(std::string_view text, usage_mode& into) {
  bool is_on = false;
  if (!read_switch(text, is_on)) return false;
  if (is_on) into = usage_mode::never;
  return true;
}

bool read_empty(std::string_view text, sim_behaviour& into) {
  bool is_on = false;
  if (!read_switch(text, is_on)) return false;
  if (is_on) into.output_tokens = into.reasoning_tokens = 0;
  return true;
}

bool read_seed(std::string_view text, std::optional<std::uint64_t>& into) {
  std::uint64_t seed = 0;
  if (!read_number<std::uint64_t>(text, 0, UINT64_MAX, seed)) return false;
  return into = seed, true;
}

bool read_marks(std::string_view text, bool& needs_marks) {
  needs_marks = text == "needed";
  return needs_marks || text == "none";
}

bool read_reported(std::string_view text, cache_report& into) {
  if (text == "usual") into = cache_report::usual;
  else if (text == "early") into = cache_report::early;
  else if (text == "late") into = cache_report::late;
  else if (text == "never") into = cache_report::never;
  else return false;
  return true;
}

// Reads the name of a header or of a member of the request body.
bool read_field_name(std::string_view text, std::string& into) {
  constexpr std::size_t longest = 64;
  const auto is_of_name = [](char each) {
    return std::isalnum(static_cast<unsigned char>(each)) || each == '-' || each == '_';
  };
  if (text.empty() || text.size() > longest || !std::all_of(text.begin(), text.end(), is_of_name)) return false;
  into = text == "none" ? std::string_view() : text;
  return true;
}

constexpr std::string_view duration = "DURATION";
constexpr std::string_view number = "N";
constexpr std::string_view share = "0..1";

constexpr std::array settings = std::to_array<sim_setting>({
    {"ttft", duration, "median time to the first token"},
    {"ttft_sigma", "0..3", "the lognormal spread of ttft; 0: always the median"},
    {"stall_share", share, "share of the requests with a much longer TTFT"},
    {"stall_factor", "1..1000", "the median of the long TTFTs, as a multiple of the usual median"},
    {"stall_sigma", "0..3", "the spread of the long TTFTs"},
    {"ttft_uncached", duration, "added to the median for each 1,000 tokens of the prompt that are not cached"},
    {"ttft_cached", duration, "added to the median for each 1,000 tokens of the prompt that are cached"},
    {"role_delay", duration, "when head and role chunk are sent; by default with the first token"},
    {"tps", "0..1e9", "tokens per second after the first chunk; 0: no pauses"},
    {"chunk", "1..10000", "tokens per chunk"},
    {"tokens", number, "tokens of the answer"},
    {"reasoning", number, "reasoning tokens before the answer"},
    {"long_share", share, "share of the requests whose answer is longer"},
    {"long_tokens", number, "tokens of the longer answers"},
    {"slow", "0.01..1000", "a factor for the time to the first token and to each later token"},
    {"load_share", "0..10", "each token is slower by this share for each other running request"},
    {"rpm_limit", number, "answer 429 to more requests within a minute; 0: never"},
    {"tools", "", "answer with a tool call"},
    {"usage", "asked|always|never", "when the usage is reported"},
    {"queue_share", share, "report in the usage that this share of the TTFT was queueing, and the rest prompt time"},
    {"no_usage", "", "short for usage=never"},
    {"empty", "", "short for tokens=0 and reasoning=0"},
    {"prompt_cache", "", "keep prefixes of prompts for later requests with the same key"},
    {"cache_marks", "needed|none", "needed: keep only the prefixes that the client marks, with cache_control or "
                                   "cachePoint"},
    {"cache_ttl", duration, "how long a prefix is kept after the start of the last request that used it"},
    {"cache_minimum", number, "tokens of the shortest prefix that is kept"},
    {"cache_step", "1..100000", "tokens of a step; tokens are read from the cache in whole steps"},
    {"cache_miss_share", share, "share of the requests that find nothing in the cache"},
    {"cache_evict", duration, "mean time after its last use after which a prefix is lost by chance; 0s: never"},
    {"cache_entries", "1..65536", "number of prefixes that are kept; above it the least recently used are lost"},
    {"cache_replicas", "1..1000", "number of replicas, each with its own cache; each request gets a replica by chance"},
    {"cache_hint", "NAME|none", "a header or member of the body: requests with the same value get the same replica"},
    {"cache_reported", "usual|early|late|never", "when the usage reports cached tokens"},
    {"cache_writes", "", "report the tokens written to the cache even if no mark is needed"},
    {"fault_share", share, "share of the requests with the fault below; default 1"},
    {"hang", "", "never answer"},
    {"status", "400..599", "answer with this error status; 0: no error"},
    {"status_after", duration, "the time from the request to the error status"},
    {"retry_after", duration, "retry-after and retry-after-ms of the error status"},
    {"done_only", "", "stream [DONE] and nothing else"},
    {"stall_after", number, "fall silent after N tokens"},
    {"reset_after", number, "reset the connection after N tokens"},
    {"close_after", number, "close the connection after N tokens, in the middle of the body"},
    {"error_event", "[N]", "send an error event after N tokens (none given: as the first event)"},
    {"seed", number, "draw the random numbers of this request from this seed"},
});

std::optional<bool> try_apply(sim_prompt_cache& into, std::string_view name, std::string_view text) {
  if (name == "prompt_cache") return read_switch(text, into.is_on);
  if (name == "cache_marks") return read_marks(text, into.needs_marks);
  if (name == "cache_ttl") return read_duration(text, into.ttl);
  if (name == "cache_minimum") return read_tokens(text, into.minimum);
  if (name == "cache_step") return read_number<std::uint32_t>(text, 1, 100'000, into.step);
  if (name == "cache_miss_share") return read_share(text, into.miss_share);
  if (name == "cache_evict") return read_duration(text, into.evict);
  if (name == "cache_entries") return read_number<std::uint32_t>(text, 1, most_cached_prefixes, into.entries);
  if (name == "cache_replicas") return read_number<std::uint32_t>(text, 1, 1000, into.replicas);
  if (name == "cache_hint") return read_field_name(text, into.hint);
  if (name == "cache_reported") return read_reported(text, into.reported);
  if (name == "cache_writes") return read_switch(text, into.reports_writes);
  return std::nullopt;
}

// Applies a setting to the behaviour. Each line of this function handles one setting. Returns nothing if there is no
// setting of this name.
std::optional<bool> try_apply(sim_behaviour& into, std::string_view name, std::string_view text) {
  if (name == "ttft") return read_duration(text, into.ttft);
  if (name == "ttft_sigma") return read_sigma(text, into.ttft_sigma);
  if (name == "stall_share") return read_share(text, into.stall_share);
  if (name == "stall_factor") return read_number(text, 1.0, 1000.0, into.stall_factor);
  if (name == "stall_sigma") return read_sigma(text, into.stall_sigma);
  if (name == "ttft_uncached") return read_duration(text, into.prompt_times.uncached);
  if (name == "ttft_cached") return read_duration(text, into.prompt_times.cached);
  if (name == "role_delay") return read_duration(text, into.role_delay);
  if (name == "tps") return read_number(text, 0.0, 1e9, into.tokens_per_second);
  if (name == "chunk") return read_number<std::uint32_t>(text, 1, 10'000, into.tokens_per_chunk);
  if (name == "tokens") return read_tokens(text, into.output_tokens);
  if (name == "reasoning") return read_tokens(text, into.reasoning_tokens);
  if (name == "long_share") return read_share(text, into.long_answers.share);
  if (name == "long_tokens") return read_tokens(text, into.long_answers.tokens);
  if (name == "slow") return read_number(text, 0.01, 1000.0, into.slow);
  if (name == "load_share") return read_number(text, 0.0, 10.0, into.load_share);
  if (name == "rpm_limit") return read_tokens(text, into.rpm_limit);
  if (name == "tools") return read_switch(text, into.is_tool_call);
  if (name == "usage") return read_usage(text, into.usage);
  if (name == "queue_share") return read_share(text, into.queue_share.emplace());
  if (name == "no_usage") return read_no_usage(text, into.usage);
  if (name == "empty") return read_empty(text, into);
  if (name == "fault_share") return read_share(text, into.faults.share);
  if (name == "hang") return read_switch(text, into.faults.hang);
  if (name == "status") return read_status(text, into.faults.status);
  if (name == "status_after") return read_duration(text, into.faults.status_after);
  if (name == "retry_after") return read_duration(text, into.faults.retry_after);
  if (name == "done_only") return read_switch(text, into.faults.done_only);
  if (name == "stall_after") return read_cut(cut_kind::stall, text, into.faults.cut);
  if (name == "reset_after") return read_cut(cut_kind::reset, text, into.faults.cut);
  if (name == "close_after") return read_cut(cut_kind::close, text, into.faults.cut);
  if (name == "error_event") return read_cut(cut_kind::error_event, text, into.faults.cut);
  if (name == "seed") return read_seed(text, into.seed);
  return try_apply(into.cache, name, text);
}

proxy::failure bad_setting(std::string detail) { return client_fault(400, "bad_setting", std::move(detail), "model"); }

std::string known_settings() {
  std::string names;
  for (const sim_setting& setting : settings) names.append(names.empty() ? "" : ", ").append(setting.name);
  return names;
}

std::string what_it_takes(std::string_view name) {
  for (const sim_setting& setting : settings) {
    if (setting.name != name) continue;
    if (setting.value.empty()) return "nothing, 1 or 0";
    if (setting.value == duration) return "a duration (500us, 300ms, 2s, 10m) of at most an hour";
    if (setting.value == number) return "a whole number in its range";
    return std::string(setting.value);
  }
  return {};
}

}  // namespace

bool read_sim_duration(std::string_view text, microseconds& into) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{}) return false;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  std::uint64_t factor = 0;
  if (unit == "us") factor = 1;
  else if (unit == "ms") factor = 1'000;
  else if (unit == "s") factor = 1'000'000;
  else if (unit == "m") factor = 60'000'000;
  if (factor == 0 || count > static_cast<std::uint64_t>(most_duration.count()) / factor) return false;
  into = microseconds(static_cast<std::int64_t>(count * factor));
  return true;
}

microseconds median_ttft(const sim_behaviour& behaviour, std::uint64_t uncached, std::uint64_t cached) {
  const double added = static_cast<double>(behaviour.prompt_times.uncached.count()) * static_cast<double>(uncached) +
                       static_cast<double>(behaviour.prompt_times.cached.count()) * static_cast<double>(cached);
  const double median = static_cast<double>(behaviour.ttft.count()) + added / 1000;
  return microseconds(std::llround(std::min(median, static_cast<double>(most_duration.count()))));
}

std::span<const sim_setting> sim_settings() { return settings; }

proxy::failure client_fault(int status, std::string code, std::string detail, std::string param) {
  return {.kind = proxy::failure_kind::bad_request,
          .origin = proxy::failure_origin::client,
          .detail = std::move(detail),
          .status = status,
          .code = std::move(code),
          .type = "invalid_request_error",
          .param = std::move(param)};
}

proxy::result<void> apply_setting(sim_behaviour& behaviour, std::string_view name, std::string_view value) {
  const std::optional<bool> applied = try_apply(behaviour, name, value);
  if (!applied) return bad_setting("unknown setting `" + std::string(name) + "`; known are " + known_settings());
  if (!*applied)
    return bad_setting("setting `" + std::string(name) + "` takes " + what_it_takes(name) + ", not `" +
                   std::string(value) + "`");
  return {};
}

proxy::result<void> apply_settings(sim_behaviour& behaviour, std::string_view text) {
  while (!text.empty()) {
    const std::string_view setting = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(setting.size() + 1, text.size()));
    if (setting.empty()) continue;  // ignores empty settings, for example in `a;;b` or after a final semicolon
    const std::size_t equals = setting.find('=');
    const bool has_value = equals != std::string_view::npos;
    auto applied = apply_setting(behaviour, setting.substr(0, equals),
                                 has_value ? setting.substr(equals + 1) : std::string_view{});
    if (!applied) return applied;
  }
  return {};
}

proxy::result<sim_model> parse_model(std::string_view model, const sim_behaviour& defaults) {
  const std::size_t name_end = std::min(model.find(';'), model.size());
  sim_model parsed{.name = std::string(model.substr(0, name_end)), .behaviour = defaults};
  auto applied = apply_settings(parsed.behaviour, model.substr(std::min(name_end + 1, model.size())));
  if (!applied) return applied.error();
  return parsed;
}

}  // namespace photofinish::gateway::simulator
