#include "proxy/dialects/openai/chunks/chunk_pattern.hpp"

#include "proxy/dialects/openai/chunks/chunk_facts.hpp"
#include "proxy/dialects/openai/chunks/chunk_text.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"

#include <simdjson.h>

#include <cstring>
#include <optional>
#include <span>

namespace photofinish::proxy {
namespace {

// The maximum number of consecutive learnt chunks that do not match the next chunk, for example because two choices
// alternate. When this number is reached, learning stops.
constexpr int max_learnt_in_vain = 8;

std::string_view text_key(const chunk_facts& facts, const chunk_form& form) {
  if (!form.has_roles) return form.said;
  switch (facts.deltas[0].kind) {
    case delta_kind::text: return "content";
    case delta_kind::refusal: return "refusal";
    default: return {};
  }
}

// Finds the text of a chunk without parsing its JSON. In a chunk without escapes, each quote begins or ends a string.
// Therefore, the text is found if exactly one string has the expected value and key.
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

// Returns false if the string has \u escapes, because two of them may form one character. Strings with \u escapes need
// a full inspection.
bool has_simple_escapes(std::string_view raw) {
  constexpr std::string_view simple = "\"\\/bfnrt";
  for (std::size_t at = raw.find('\\'); at != std::string_view::npos; at = raw.find('\\', at + 2))
    if (at + 1 == raw.size() || simple.find(raw[at + 1]) == std::string_view::npos) return false;
  return true;
}

}  // namespace

void chunk_pattern::learn(std::string_view chunk, chunk_facts& facts) {
  if (may_learn(facts) && find_strings(chunk, facts)) keep_strings(facts);
}

void chunk_pattern::learn(std::string_view chunk, chunk_facts& facts, const changing_values& known) {
  if (!may_learn(facts) || !known.text) return;
  const std::span all(known.values);
  text_at_ = is_padded_ ? *known.text : 0;
  same_.learn(chunk, is_padded_ ? all.first(known.count) : all.subspan(*known.text, 1));
  if (!same_.learnt().empty()) keep_strings(facts);
}

bool chunk_pattern::may_learn(const chunk_facts& facts) {
  same_.forget();
  if (unlearnt_ > 0) return --unlearnt_, false;
  if (facts.choices.size() != 1 || facts.deltas.size() != 1 || learnt_in_vain_ == max_learnt_in_vain) return false;
  is_padded_ |= learnt_in_vain_++ > 0;
  return true;
}

void chunk_pattern::keep_strings(chunk_facts& facts) {
  see_strings(facts, [kept = same_.learnt()](std::string_view& fact) {
    fact = kept.substr(kept.find(fact), fact.size());
    return true;
  });
}

// Finds the strings of a chunk that may change in the next chunk. Returns true if all such strings were found and the
// chunk contains every string in `facts`.
bool chunk_pattern::find_strings(std::string_view chunk, chunk_facts& facts) {
  const auto is_in_chunk = [chunk](std::string_view fact) { return chunk.find(fact) != std::string_view::npos; };
  // If a string in `facts` does not occur literally in the chunk, the chunk contains the string with escapes.
  if (!see_strings(facts, is_in_chunk)) return false;
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
      const auto text = find_chunk_text(member->value, facts, *form_);
      if (!text || json_raw_string(*text).empty()) return false;
      text_at = count;
      changing[count++] = *text;
    } else if (is_padded_ && count + !text_at < changing.size() && json_is_string(member->value) &&
               is_unread(*member)) {
      changing[count++] = member->value;
    }
  }
  text_at_ = text_at.value_or(0);
  if (text_at) same_.learn(chunk, std::span(changing).first(count));
  return !same_.learnt().empty();
}

bool chunk_pattern::applies(std::string_view chunk, chunk_facts& facts) {
  json_pattern::found_values values;
  if (!same_.matches(chunk, values)) return false;
  std::string_view text;
  for (std::size_t at = 0; at < same_.values(); ++at) {
    if (values[at].front() != '"') continue;  // a plain number is valid
    const std::string_view raw = values[at].substr(1, values[at].size() - 2);
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
