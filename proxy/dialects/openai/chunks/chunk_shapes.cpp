#include "proxy/dialects/openai/chunks/chunk_shapes.hpp"

#include "proxy/dialects/openai/chunks/chunk_text.hpp"
#include "proxy/json/json_text.hpp"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>

namespace photofinish::proxy {
namespace {

// The maximum number of shapes that are learnt before any of them matches a chunk. After that, each stream learns only
// one more shape.
constexpr std::uint8_t max_shapes_in_vain = 16;

std::string_view unquoted(std::string_view value) { return value.substr(1, value.size() - 2); }

// True if a JSON string has no escapes and is valid between its quotes. The function reads eight bytes at a time.
// Therefore, it may read up to seven bytes after the string.
bool is_plain_string(std::string_view value) {
  constexpr std::uint64_t ones = 0x0101010101010101, highs = ones * 0x80;
  const std::string_view raw = unquoted(value);
  std::uint64_t odd = 0, beyond_ascii = 0;
  for (std::size_t from = 0; from < raw.size(); from += sizeof(std::uint64_t)) {
    std::uint64_t bytes;
    std::memcpy(&bytes, raw.data() + from, sizeof bytes);
    const std::size_t left = raw.size() - from;
    if (left < sizeof bytes) {  // the mask assumes a little-endian machine; all supported machines are little-endian
      const std::uint64_t own = (std::uint64_t{1} << 8 * left) - 1;
      bytes = (bytes & own) | (ones * 'x' & ~own);
    }
    const std::uint64_t escapes = bytes ^ ones * '\\';
    odd |= ((bytes - ones * 0x20) & ~bytes) | ((escapes - ones) & ~escapes);
    beyond_ascii |= bytes;
  }
  if ((odd & highs) != 0) return false;
  return (beyond_ascii & highs) == 0 || simdjson::validate_utf8(raw.data(), raw.size());
}

std::int64_t number_of(std::string_view plain_number) {
  std::int64_t number = 0;
  std::from_chars(plain_number.data(), plain_number.data() + plain_number.size(), number);
  return number;
}

bool may_be_learnt(std::string_view chunk, const chunk_facts& facts) {
  const bool is_short = chunk.size() <= chunk_shapes::max_bytes && chunk.find('\\') == std::string_view::npos;
  const bool is_simple = facts.choices.size() == 1 && facts.deltas.size() <= 1 && facts.calls.empty();
  return is_short && is_simple && !facts.is_error && !facts.has_usage && !facts.usage;
}

}  // namespace

struct chunk_shapes::places {
  json_pattern::found_values values;
  std::array<role, json_pattern::max_values> roles{};
  std::size_t count = 0;

  // Adds a variable value and its role in the chunk, such as id or text. Returns false if the chunk has too many
  // variable values.
  bool add(std::string_view value, role what) {
    if (count == values.size()) return false;
    values[count] = value;
    roles[count++] = what;
    return true;
  }
  bool has(role what) const { return std::find(roles.begin(), roles.begin() + count, what) != roles.begin() + count; }
};

void chunk_shapes::begin_stream() {
  if (learnt_in_vain_ == max_shapes_in_vain) --learnt_in_vain_;
}

// Finds the values of a chunk that may differ in other streams. Returns false if the role of a value is unclear. Such a
// chunk is not learnt.
bool chunk_shapes::find_places(std::string_view chunk, const chunk_facts& facts, places& found) const {
  std::size_t ids = 0, times = 0;
  json_walk walk(chunk);
  while (const auto member = walk.next_member()) {
    const std::string_view value = member->value;
    if (member->raw_key == "choices" && !facts.deltas.empty()) {
      const auto text = find_chunk_text(value, facts, *form_);
      const bool is_it = text && json_is_string(*text) && unquoted(*text) == facts.deltas[0].text;
      if (!is_it || found.has(role::text) || !found.add(*text, role::text)) return false;
    } else if (member->raw_key == "id") {
      if (++ids > 1 || (json_is_string(value) && !found.add(value, role::id))) return false;
    } else if (member->raw_key == "created") {
      if (++times > 1) return false;
      if (facts.created && (!json_pattern::is_plain_number(value) || !found.add(value, role::created))) return false;
    } else if (is_unread(*member) && (json_is_string(value) || json_pattern::is_plain_number(value))) {
      if (!found.add(value, role::unread)) return false;
    }
  }
  return found.has(role::text) == !facts.deltas.empty();
}

void chunk_shapes::learn(std::string_view chunk, const chunk_facts& facts) {
  if (!may_be_learnt(chunk, facts) || learnt_in_vain_ == max_shapes_in_vain) return;
  ++learnt_in_vain_;
  places found;
  if (!find_places(chunk, facts, found)) return;
  shape& made = shapes_[replaced_];
  replaced_ = (replaced_ + 1) % max_shapes;
  made.same.learn(chunk, std::span(found.values).first(found.count));
  made.roles = found.roles;
  made.facts = facts;
  see_strings(made.facts, [kept = made.same.learnt()](std::string_view& fact) {
    fact = kept.substr(kept.find(fact), fact.size());
    return true;
  });
}

std::optional<changing_values> chunk_shapes::apply(std::string_view chunk, chunk_facts& facts, std::uint8_t& next) {
  if (chunk.size() > max_bytes) return std::nullopt;
  for (std::size_t tried = 0; tried < max_shapes; ++tried) {
    const std::size_t index = (next + tried) % max_shapes;
    auto changing = apply(shapes_[index], chunk, facts);
    if (!changing) continue;
    next = static_cast<std::uint8_t>((index + 1) % max_shapes);
    learnt_in_vain_ = 0;
    return changing;
  }
  return std::nullopt;
}

std::optional<changing_values> chunk_shapes::apply(const shape& known, std::string_view chunk,
                                                   chunk_facts& facts) const {
  json_pattern::found_values values;
  if (!known.same.matches(chunk, values)) return std::nullopt;
  changing_values changing;
  std::string_view id = known.facts.id, text;
  std::optional<std::int64_t> created = known.facts.created;
  for (std::size_t at = 0; at < known.same.values(); ++at) {
    const std::string_view value = values[at];
    if (value.front() == '"' && !is_plain_string(value)) return std::nullopt;
    switch (known.roles[at]) {
      case role::id: id = unquoted(value); continue;
      case role::created: created = number_of(value); continue;
      case role::text: text = unquoted(value), changing.text = changing.count; break;
      case role::unread: break;
    }
    changing.values[changing.count++] = value;
  }
  if (created == 0 || changing.text.has_value() == text.empty()) return std::nullopt;
  facts = known.facts;
  facts.id = id;
  facts.created = created;
  if (!changing.text) return changing;
  facts.deltas[0].text = text;
  facts.text_bytes = text.size();
  if (facts.deltas[0].kind == delta_kind::reasoning) facts.reasoning_bytes = text.size();
  return changing;
}

}  // namespace photofinish::proxy
