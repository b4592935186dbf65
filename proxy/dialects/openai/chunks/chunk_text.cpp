#include "proxy/dialects/openai/chunks/chunk_text.hpp"

#include "proxy/json/member_index.hpp"
#include "proxy/words/contains.hpp"

#include <array>

namespace photofinish::proxy {
namespace {

constexpr std::array<std::string_view, 12> read_members{
    "choices", "id",     "created", "model",   "usage",  "x_groq",
    "error",   "object", "type",    "message", "detail", "service_tier"};

std::optional<std::string_view> find_in(std::optional<std::string_view> object, std::string_view key) {
  return object ? json_find(*object, key) : std::nullopt;
}

std::optional<std::string_view> first_of(std::optional<std::string_view> array) {
  return array && json_is_array(*array) ? json_walk(*array).next_element() : std::nullopt;
}

// Returns the reasoning of a delta. Returns nullopt if two members contain reasoning, because it is unclear which of
// them counts.
std::optional<std::string_view> find_reasoning(std::string_view delta) {
  std::optional<std::string_view> found;
  json_walk walk(delta);
  while (const auto member = walk.next_member()) {
    if (!json_key_is(member->raw_key, "reasoning_content") && !json_key_is(member->raw_key, "reasoning")) continue;
    if (found) return std::nullopt;
    found = member->value;
  }
  return found;
}

}  // namespace

std::optional<std::string_view> find_chunk_text(std::string_view choices, const chunk_facts& facts,
                                                const chunk_form& form) {
  if (!form.has_roles) return find_in(first_of(choices), form.said);
  const auto delta = find_in(first_of(choices), "delta");
  if (!delta) return std::nullopt;
  switch (facts.deltas[0].kind) {
    case delta_kind::text: return json_find(*delta, "content");
    case delta_kind::refusal: return json_find(*delta, "refusal");
    case delta_kind::reasoning: return find_reasoning(*delta);
    case delta_kind::call_arguments:
      if (facts.calls.size() != 1) return std::nullopt;
      return find_in(find_in(first_of(find_in(delta, "tool_calls")), "function"), "arguments");
    default: return std::nullopt;
  }
}

bool is_unread(const json_member& member) {
  return member.raw_key.find('\\') == std::string_view::npos && !contains(read_members, member.raw_key);
}

}  // namespace photofinish::proxy
