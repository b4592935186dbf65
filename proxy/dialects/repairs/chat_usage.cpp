#include "proxy/dialects/repairs/chat_usage.hpp"

#include "proxy/dialects/event_json.hpp"
#include "proxy/dialects/repairs/usage_counts.hpp"
#include "proxy/dialects/reported_times.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace photofinish::proxy {
namespace {

using object = simdjson::dom::object;

// Reads a count that a server sent as a string. Returns nullopt if the text is not a whole number.
std::optional<std::uint64_t> count_in_text(std::string_view text) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, count);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) return std::nullopt;
  return read.ec == std::errc{} ? std::min(count, largest_count) : largest_count;
}

std::optional<std::uint64_t> reported_count(object from, std::string_view key) {
  const auto value = from.at_key(key);
  std::uint64_t count = 0;
  if (value.get(count) == simdjson::SUCCESS) return std::min(count, largest_count);
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return count_in_text(text);
  double fraction = 0;
  constexpr double largest = 1e15;  // a double can represent every whole number up to this limit
  if (value.get(fraction) == simdjson::SUCCESS && fraction >= 0 && fraction <= largest)
    return static_cast<std::uint64_t>(fraction);
  return std::nullopt;
}

std::uint64_t count_or_zero(object from, std::string_view key) { return reported_count(from, key).value_or(0); }

// Counts of input tokens: the tokens that were read from the provider's cache, the tokens that were written to it, and
// the written tokens that it keeps for an hour.
struct cache_counts {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  std::uint64_t for_hour = 0;
};

void raise_count(std::uint64_t& known, std::uint64_t reported) { known = std::max(known, reported); }

// Reads Anthropic's counts of tokens that were written to the cache for five minutes and for an hour. Some servers
// report only these two counts and no total.
void add_split(object from, std::string_view key, cache_counts& counts) {
  const auto split = object_at(from, key);
  if (!split) return;
  raise_count(counts.for_hour, count_or_zero(*split, "ephemeral_1h_input_tokens"));
  raise_count(counts.written, count_or_zero(*split, "ephemeral_5m_input_tokens") + counts.for_hour);
}

// Reads cache counts of tokens that are always included in the number of prompt tokens.
cache_counts included_counts(object usage) {
  cache_counts counts;
  raise_count(counts.read, count_or_zero(usage, "cached_tokens"));            // Moonshot, Together
  raise_count(counts.read, count_or_zero(usage, "prompt_cache_hit_tokens"));  // DeepSeek
  for (const std::string_view key : {"prompt_tokens_details", "input_tokens_details"}) {
    const auto details = object_at(usage, key);
    if (!details) continue;
    raise_count(counts.read, count_or_zero(*details, "cached_tokens"));
    raise_count(counts.written, count_or_zero(*details, "cache_write_tokens"));           // OpenAI, OpenRouter
    raise_count(counts.written, count_or_zero(*details, "cache_creation_input_tokens"));  // Qwen
    raise_count(counts.written, count_or_zero(*details, "cache_creation_tokens"));        // LiteLLM
    add_split(*details, "cache_creation", counts);                                  // Qwen
    add_split(*details, "cache_creation_token_details", counts);                    // LiteLLM
  }
  return counts;
}

// Reads the cache counts under Anthropic's names. Anthropic does not include these tokens in the number of prompt
// tokens, but LiteLLM includes them.
cache_counts anthropic_counts(object usage) {
  cache_counts counts;
  counts.read = count_or_zero(usage, "cache_read_input_tokens");
  counts.written = count_or_zero(usage, "cache_creation_input_tokens");
  add_split(usage, "cache_creation", counts);
  return counts;
}

struct reported_sums {
  std::uint64_t output;  // the reported number of output tokens, possibly without the reasoning tokens
  std::uint64_t reasoning;
  std::uint64_t total;  // the reported total number of tokens, or 0 if none was reported
  bool is_anthropic;    // true if the number of prompt tokens was also reported under Anthropic's name
};

// True if the cached tokens under Anthropic's names are not included in the reported number of prompt tokens. This is
// the case if there are more cached tokens than prompt tokens. It is also the case if the reported total is the sum of
// all counts. If no total is reported, cached tokens are not included if the number of prompt tokens has Anthropic's
// name.
bool are_apart(const cache_counts& cache, std::uint64_t input, const reported_sums& sums) {
  const std::uint64_t cached = cache.read + cache.written;
  if (cached == 0) return false;
  if (cached > input) return true;
  const std::uint64_t sum = input + cached + sums.output;
  if (sums.total != 0) return sums.total == sum || (sums.reasoning != 0 && sums.total == sum + sums.reasoning);
  return sums.is_anthropic;
}

// Adds the cache counts to the usage. If the number of prompt tokens does not include the cached tokens, these tokens
// are also added to the input tokens.
void add_cache(object usage, const reported_sums& sums, token_usage& counts) {
  cache_counts cache = included_counts(usage);
  const cache_counts anthropic = anthropic_counts(usage);
  // True if the usage also contains cache counts under OpenAI's names. The number of prompt tokens always includes
  // these counts.
  const bool is_doubled = cache.read + cache.written > 0;
  if (!is_doubled && are_apart(anthropic, counts.input_tokens, sums))
    counts.input_tokens += anthropic.read + anthropic.written;
  raise_count(cache.read, anthropic.read);
  raise_count(cache.written, anthropic.written);
  raise_count(cache.for_hour, anthropic.for_hour);
  counts.cached_input_tokens = cache.read;
  counts.written_input_tokens = cache.written;
  counts.written_for_hour_tokens = cache.for_hour;
  limit_cached_to_input(counts);
}

// Returns the service tier, which Vertex AI reports inside the usage.
std::optional<price_tier> vertex_tier(object usage) {
  const auto extra = object_at(usage, "extra_properties");
  const auto google = extra ? object_at(*extra, "google") : std::nullopt;
  return google ? parse_traffic_type(text_at(*google, "traffic_type")) : std::nullopt;
}

bool is_count_name(std::string_view key) { return key.ends_with("tokens"); }

// True if a count in the usage or in its details is a string.
bool has_text_count(object usage) {
  for (const auto [key, value] : usage) {
    object details;
    std::string_view text;
    if (value.get(details) == simdjson::SUCCESS) {
      if (has_text_count(details)) return true;
    } else if (is_count_name(key) && value.get(text) == simdjson::SUCCESS && count_in_text(text)) {
      return true;
    }
  }
  return false;
}

void write_numbers(std::string_view counts, json_edits& edits) {
  for (const json_member& member : json_members(counts)) {
    if (json_is_object(member.value)) {
      write_numbers(member.value, edits);
    } else if (json_is_string(member.value) && is_count_name(member.raw_key)) {
      if (const auto count = count_in_text(json_raw_string(member.value)))
        edits.replace(member.value, std::to_string(*count));
    }
  }
}

}  // namespace

std::string with_number_counts(std::string_view usage) {
  json_edits edits(usage);
  write_numbers(usage, edits);
  return edits.text();
}

std::optional<token_usage> read_chat_usage(simdjson::dom::element value, bool& has_text_counts) {
  object usage;
  if (value.get(usage) != simdjson::SUCCESS) return std::nullopt;
  has_text_counts |= has_text_count(usage);
  auto input = reported_count(usage, "prompt_tokens"), output = reported_count(usage, "completion_tokens");
  const bool is_anthropic = !input && !output;
  if (is_anthropic) input = reported_count(usage, "input_tokens"), output = reported_count(usage, "output_tokens");
  if (!input && !output) return std::nullopt;
  token_usage counts{.input_tokens = input.value_or(0), .output_tokens = output.value_or(0)};
  for (const std::string_view key : {"completion_tokens_details", "output_tokens_details"})
    if (const auto details = object_at(usage, key))
      counts.reasoning_tokens = std::max(counts.reasoning_tokens, count_or_zero(*details, "reasoning_tokens"));
  const std::uint64_t total = count_or_zero(usage, "total_tokens");
  add_cache(usage, {counts.output_tokens, counts.reasoning_tokens, total, is_anthropic}, counts);
  add_uncounted_reasoning(counts, total);
  read_times("usage", value, counts.times);
  counts.tier = vertex_tier(usage);
  return counts;
}

}  // namespace photofinish::proxy
