#include "proxy/dialects/openai/chunks/chunk_pattern.hpp"

#include "proxy/dialects/openai/chunks/chunk_facts.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/words/contains.hpp"

#include <simdjson.h>

#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

// Where chunk after chunk is unlike the last one, like those of two choices in turn, learning is given up.
constexpr int max_learnt_in_vain = 8;

// Members of a chunk that the inspector reads. Strings in others say nothing to it; those that pad, like OpenAI's
// `obfuscation` and Mistral's `p`, change from chunk to chunk.
constexpr std::array<std::string_view, 11> read_members{"choices", "id",    "created", "model", "usage", "x_groq",
                                                       "error",   "object", "type",    "message", "detail"};

std::optional<std::string_view> find_in(std::optional<std::string_view> object, std::string_view key) {
  return object ? json_find(*object, key) : std::nullopt;
}

std::optional<std::string_view> first_of(std::optional<std::string_view> array) {
  return array && json_is_array(*array) ? json_walk(*array).next_element() : std::nullopt;
}

// Of two, the longer one counts: then there is no telling which one will.
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

// The value that is the text of a chunk with one choice and one text. Some other one of that key may be the text, but
// then this one is no string, or an empty one.
std::optional<std::string_view> find_text(std::string_view choices, const chunk_facts& facts, const chunk_form& form) {
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

std::string_view text_key(const chunk_facts& facts, const chunk_form& form) {
  if (!form.has_roles) return form.said;
  switch (facts.deltas[0].kind) {
    case delta_kind::text: return "content";
    case delta_kind::refusal: return "refusal";
    default: return {};
  }
}

// Finds the same value without a walk. In a chunk without escapes each quote begins or ends a string. If only one
// string is the text, and its key is the right one, no other value can be the text.
std::optional<std::string_view> find_plain_text(std::string_view chunk, const chunk_facts& facts,
                                                const chunk_form& form) {
  const std::string_view key = text_key(facts, form);
  if (key.empty() || chunk.find('\\') != std::string_view::npos) return std::nullopt;
  const std::string text = std::string("\"").append(facts.deltas[0].text).append("\"");
  const auto find = [&text](std::string_view bytes) {
    return static_cast<const char*>(memmem(bytes.data(), bytes.size(), text.data(), text.size()));
  };
  const char* const value = find(chunk);
  if (value == nullptr) return std::nullopt;
  const auto offset = static_cast<std::size_t>(value - chunk.data());
  std::string_view front = chunk.substr(0, offset);
  while (front.ends_with(' ')) front.remove_suffix(1);
  const bool has_key = front.ends_with("\":") && front.substr(0, front.size() - 2).ends_with(key) &&
                       front.substr(0, front.size() - 2 - key.size()).ends_with('"');
  if (!has_key || find(chunk.substr(offset + 1)) != nullptr) return std::nullopt;
  return chunk.substr(offset, text.size());
}

struct content {
  bool has_control = false;
  bool has_escape = false;
  bool has_beyond_ascii = false;
};

content look_at(std::string_view raw) {
  content seen;
  for (const char character : raw) {
    const auto byte = static_cast<unsigned char>(character);
    seen.has_control |= byte < 0x20;
    seen.has_escape |= byte == '\\';
    seen.has_beyond_ascii |= byte >= 0x80;
  }
  return seen;
}

bool is_valid(std::string_view raw, const content& seen) {
  return !seen.has_control && (!seen.has_beyond_ascii || simdjson::validate_utf8(raw.data(), raw.size()));
}

// Escapes by number, of which two may be needed for one character, are left to the full look.
bool has_simple_escapes(std::string_view raw) {
  constexpr std::string_view simple = "\"\\/bfnrt";
  for (std::size_t at = raw.find('\\'); at != std::string_view::npos; at = raw.find('\\', at + 2))
    if (at + 1 == raw.size() || simple.find(raw[at + 1]) == std::string_view::npos) return false;
  return true;
}

bool is_padding(const json_member& member) {
  const bool is_plain_key = member.raw_key.find('\\') == std::string_view::npos;
  return is_plain_key && json_is_string(member.value) && !contains(read_members, member.raw_key);
}

// All but the text. False: `see` has returned false for one.
template <class See>
bool see_strings(chunk_facts& facts, const See& see) {
  choice_facts& choice = facts.choices[0];
  const bool all = see(facts.id) && see(facts.model) && see(choice.role_text) && see(choice.finish_text);
  return all && std::all_of(facts.calls.begin(), facts.calls.end(),
                            [&see](tool_call_facts& call) { return see(call.id) && see(call.name); });
}

}  // namespace

void chunk_pattern::learn(std::string_view chunk, chunk_facts& facts) {
  same_.forget();
  if (unlearnt_ > 0) return void(--unlearnt_);
  if (facts.choices.size() != 1 || facts.deltas.size() != 1 || learnt_in_vain_ == max_learnt_in_vain) return;
  is_padded_ |= learnt_in_vain_++ > 0;
  if (!find_strings(chunk, facts)) return;
  see_strings(facts, [kept = same_.learnt()](std::string_view& fact) {
    fact = kept.substr(kept.find(fact), fact.size());
    return true;
  });
}

// Whether all was found and learnt: what may change, and a place for each string of the facts.
bool chunk_pattern::find_strings(std::string_view chunk, chunk_facts& facts) {
  const auto is_in_chunk = [chunk](std::string_view fact) { return chunk.find(fact) != std::string_view::npos; };
  if (!see_strings(facts, is_in_chunk)) return false;  // one is escaped there
  if (const auto text = is_padded_ ? std::nullopt : find_plain_text(chunk, facts, *form_)) {
    text_at_ = 0;
    same_.learn(chunk, {&*text, 1});
    return !same_.learnt().empty();
  }
  json_pattern::found_values changing;
  std::size_t count = 0;
  std::optional<std::size_t> text_at;
  json_walk walk(chunk);
  while (const auto member = walk.next_member()) {
    if (!text_at && json_key_is(member->raw_key, "choices")) {
      const auto text = find_text(member->value, facts, *form_);
      if (!text || json_raw_string(*text).empty()) return false;
      text_at = count;
      changing[count++] = *text;
    } else if (is_padded_ && count + !text_at < changing.size() && is_padding(*member)) {
      changing[count++] = member->value;
    }
  }
  text_at_ = text_at.value_or(0);
  if (text_at) same_.learn(chunk, std::span(changing).first(count));
  return !same_.learnt().empty();
}

bool chunk_pattern::applies(std::string_view chunk, chunk_facts& facts) {
  json_pattern::found_values strings;
  if (!same_.matches(chunk, strings)) return false;
  std::string_view text;
  for (std::size_t at = 0; at < same_.values(); ++at) {
    const std::string_view raw = strings[at].substr(1, strings[at].size() - 2);
    const content seen = look_at(raw);
    if (!is_valid(raw, seen) || (seen.has_escape && !has_simple_escapes(raw))) return false;
    if (at != text_at_) continue;
    if (seen.has_escape) unescaped_ = json_unescape(raw);
    text = seen.has_escape ? std::string_view(unescaped_) : raw;
  }
  if (text.empty()) return false;
  learnt_in_vain_ = 0;
  delta& its = facts.deltas[0];
  its.text = text;
  facts.text_bytes = text.size();
  if (its.kind == delta_kind::reasoning) facts.reasoning_bytes = text.size();
  if (its.kind == delta_kind::call_arguments) facts.calls[0].arguments = text;
  return true;
}

}  // namespace photofinish::proxy
