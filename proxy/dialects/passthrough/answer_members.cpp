#include "proxy/dialects/passthrough/answer_members.hpp"

#include "proxy/json/member_index.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace photofinish::proxy {
namespace {

// The maximum size of a usage object, in bytes. Longer objects are not read. OpenAI's usage objects have about 300
// bytes.
constexpr std::size_t longest_usage = 64u << 10;

// Returns false for empty values. Answers without an error may contain {"error":null} or similar members.
bool says_something(std::string_view value) {
  return !json_is_null(value) && value != "false" && value != R"("")" && value != "0";
}

std::optional<std::uint64_t> count_at(std::string_view object, std::string_view key) {
  const auto value = json_find(object, key);
  if (!value) return std::nullopt;
  const auto count = parse_leading_number<double>(*value);  // a count may have a fraction: Cohere sends 12.0
  constexpr double largest = 1e15;  // a double can represent every whole number up to this limit
  const bool is_count = count && *count >= 0 && *count <= largest;
  return is_count ? std::optional(static_cast<std::uint64_t>(*count)) : std::nullopt;
}

std::optional<std::uint64_t> first_of(std::string_view object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const auto count = count_at(object, key)) return count;
  return std::nullopt;
}

std::optional<token_usage> read_usage(std::string_view object) {
  if (!json_is_object(object)) return std::nullopt;
  const auto input = first_of(object, {"prompt_tokens", "input_tokens", "total_tokens"});
  const auto output = first_of(object, {"completion_tokens", "output_tokens"});
  if (!input && !output) return std::nullopt;
  return token_usage{.input_tokens = input.value_or(0), .output_tokens = output.value_or(0)};
}

}  // namespace

bool reports_error(const std::vector<json_member>& members) {
  return std::any_of(members.begin(), members.end(), [](const json_member& each) {
    return json_key_is(each.raw_key, "error") && says_something(each.value);
  });
}

std::optional<token_usage> usage_of_answer(const std::vector<json_member>& members) {
  std::optional<token_usage> usage;
  for (const json_member& member : members) {
    if (usage || member.value.size() > longest_usage) continue;
    if (json_key_is(member.raw_key, "usage")) usage = read_usage(member.value);
    if (!json_key_is(member.raw_key, "meta") || !json_is_object(member.value)) continue;
    for (const std::string_view counts : {"billed_units", "tokens"})
      if (const auto object = json_find(member.value, counts); object && !usage) usage = read_usage(*object);
  }
  return usage;
}

}  // namespace photofinish::proxy
