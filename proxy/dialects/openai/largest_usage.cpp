#include "proxy/dialects/openai/largest_usage.hpp"

#include "proxy/dialects/largest_count.hpp"
#include "proxy/dialects/repairs/chat_usage.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <optional>

namespace photofinish::proxy {
namespace {

// Returns the digits of a count, which some servers write as a string. Returns an empty view if the value is not a
// count.
std::string_view digits_of(const std::optional<std::string_view>& value) {
  if (!value) return {};
  const std::string_view text = json_is_string(*value) ? json_raw_string(*value) : *value;
  const bool is_count = !text.empty() && text.front() >= '0' && text.front() <= '9';
  return is_count ? text : std::string_view{};
}

bool has_any_count(std::string_view usage, std::string_view first, std::string_view second) {
  return !digits_of(json_find(usage, first)).empty() || !digits_of(json_find(usage, second)).empty();
}

bool has_usual_names(std::string_view usage) { return has_any_count(usage, "prompt_tokens", "completion_tokens"); }

// Returns the first usage in the chunk's JSON that contains a count. chunk_facts::usage describes the same usage.
std::optional<std::string_view> usage_text(std::string_view json) {
  const auto is_reported = [](const std::optional<std::string_view>& usage) {
    return usage && json_is_object(*usage) &&
           (has_usual_names(*usage) || has_any_count(*usage, "input_tokens", "output_tokens"));
  };
  const auto usage = json_find(json, "usage");
  if (is_reported(usage)) return usage;
  const auto groq = json_find(json, "x_groq");
  const auto inner = groq ? json_find(*groq, "usage") : std::nullopt;
  if (is_reported(inner)) return inner;
  for (const std::string_view choice : json_elements(json_find(json, "choices").value_or("[]"))) {
    const auto of_choice = json_find(choice, "usage");  // Moonshot puts the usage into a choice
    if (is_reported(of_choice)) return of_choice;
  }
  return std::nullopt;
}

// Returns the token count with the name `key` from a usage object, or zero if the count is missing.
std::uint64_t count_in(std::string_view usage, std::string_view key) {
  const std::string_view number = digits_of(json_find(usage, key));
  return std::min(parse_leading_number<std::uint64_t>(number).value_or(0), largest_count);
}

}  // namespace

bool largest_usage::keep(const chunk_facts& facts, std::string_view json) {
  std::string_view usage = usage_text(json).value_or(std::string_view{});
  if (usage.empty()) return false;
  std::string numbers;
  if (facts.has_text_counts) usage = numbers = with_number_counts(usage);
  const bool is_usual = has_usual_names(usage);
  const std::uint64_t input = is_usual ? count_in(usage, "prompt_tokens") : facts.usage->input_tokens;
  const std::uint64_t output = is_usual ? count_in(usage, "completion_tokens") : facts.usage->output_tokens;
  // The counts of a stream are cumulative. Therefore, the client gets the largest counts.
  const bool is_less = !json_.empty() && input + output < input_tokens_ + output_tokens_;
  if (is_less && input <= input_tokens_ && output <= output_tokens_) return false;
  input_tokens_ = std::max(input_tokens_, input);
  output_tokens_ = std::max(output_tokens_, output);
  const bool is_raised = input < input_tokens_ || output < output_tokens_;
  if (is_raised || !is_usual || facts.has_text_counts) {
    keep_raised(is_less ? json_ : usage);
    return false;
  }
  json_ = usage;
  chunk_ = facts.has_choices && is_usage_only(facts) ? json : std::string_view{};
  return true;
}

// Corrects the counts of a usage and stores the usage. A count is corrected if it is smaller than an earlier count, is
// a string, or has a name that clients of the chat API do not read.
void largest_usage::keep_raised(std::string_view usage) {
  json_edits edits(usage);
  const auto set = [&edits, usage](std::string_view key, std::uint64_t count) {
    const std::string number = std::to_string(count);
    if (const auto found = json_find(usage, key)) edits.replace(*found, number);
    else edits.insert_member(usage, "\"" + std::string(key) + "\":" + number);
  };
  set("prompt_tokens", input_tokens_);
  set("completion_tokens", output_tokens_);
  set("total_tokens", std::max(count_in(usage, "total_tokens"), input_tokens_ + output_tokens_));
  json_ = edits.text();
  chunk_.clear();
}

}  // namespace photofinish::proxy
