#include "gateway/simulator/prompts/prompt_prefixes.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace photofinish::gateway::simulator {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr std::uint64_t bytes_a_token = 4;

std::optional<element> element_at(element body, std::string_view pointer) {
  element found;
  if (pointer.empty() || body.at_pointer(pointer).get(found) != simdjson::SUCCESS || found.is_null())
    return std::nullopt;
  return found;
}

std::optional<element> member_of(element object, std::string_view name) {
  element found;
  if (!object.is_object() || object[name].get(found) != simdjson::SUCCESS || found.is_null()) return std::nullopt;
  return found;
}

prompt_mark mark_of(element mark) {
  if (mark.is_null()) return prompt_mark::none;
  std::string_view ttl;
  const auto named = member_of(mark, "ttl");
  if (!named || named->get(ttl) != simdjson::SUCCESS) return prompt_mark::usual;
  if (ttl == "1h") return prompt_mark::one_hour;
  return ttl == "5m" ? prompt_mark::five_minutes : prompt_mark::usual;
}

bool names_mark(std::string_view member) {
  return member == "cache_control" || member == "prompt_cache_breakpoint";
}

struct text_block {
  std::string_view text;
  prompt_mark mark = prompt_mark::none;
};

// Reads a text block. The block is either a string, or an object `{"type":"text","text":…}`. The only other members
// that the object may have are marks for prompt caching. Both forms mean the same text.
std::optional<text_block> text_block_of(element block) {
  text_block found;
  if (block.get(found.text) == simdjson::SUCCESS) return found;
  if (!block.is_object()) return std::nullopt;
  bool has_type = false, has_text = false;
  for (const auto [name, member] : simdjson::dom::object(block)) {
    std::string_view type;
    if (names_mark(name)) found.mark = std::max(found.mark, mark_of(member));
    else if (name == "text" && member.get(found.text) == simdjson::SUCCESS) has_text = true;
    else if (name == "type" && member.get(type) == simdjson::SUCCESS && type == "text") has_type = true;
    else return std::nullopt;
  }
  return has_type && has_text ? std::optional(found) : std::nullopt;
}

// Writes a part of the prompt in a canonical form. JSON texts with the same content get the same form.
class canonical_text {
 public:
  void add(element value) {
    switch (value.type()) {
      case element_type::OBJECT: return add_object(value, {});
      case element_type::ARRAY: return add_array(value);
      case element_type::STRING: return add_string(std::string_view(value));
      default: {
        const std::string digits = simdjson::minify(value);
        text_.append(digits).append(1, ',');
        bytes_ += digits.size();
      }
    }
  }

  // Adds an object to the text, but leaves out the member with the name `except`.
  void add_object(element value, std::string_view except) {
    text_ += '{';
    bytes_ += 2;
    for (const auto [name, member] : simdjson::dom::object(value)) {
      if (name == except) continue;
      if (names_mark(name)) {
        mark_ = std::max(mark_, mark_of(member));
        continue;
      }
      add_string(name);
      add(member);
      bytes_ += 2;  // the member's colon and comma
    }
    text_ += '}';
  }

  void add_string(std::string_view string) {
    text_ += '"';
    // Adds the string's length in front of the string. Otherwise one string could give the same text as several
    // strings.
    add_number(string.size());
    text_ += string;
    bytes_ += string.size() + 2;
  }

  const std::string& text() const { return text_; }
  std::uint64_t bytes() const { return bytes_; }  // returns the approximate size in bytes of the JSON that was added
  prompt_mark mark() const { return mark_; }

  void begin(std::uint64_t hash_before) {
    bytes_ = 0;
    mark_ = prompt_mark::none;
    text_.clear();
    add_number(hash_before);
  }

 private:
  void add_array(element value) {
    text_ += '[';
    bytes_ += 2;
    for (const element each : simdjson::dom::array(value)) {
      add(each);
      ++bytes_;  // its comma
    }
    text_ += ']';
  }

  void add_number(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) text_ += static_cast<char>((value >> shift) & 0xFF);
  }

  std::string text_;
  std::uint64_t bytes_ = 0;
  prompt_mark mark_ = prompt_mark::none;
};

class prefix_reader {
 public:
  prefix_reader(const prompt_layout& layout, std::uint64_t root, const proxy::hash_key& key)
      : content_(layout.content), ignored_(layout.ignored), hash_(root), key_(key) {}

  // Adds the content of a message. The content is a list of blocks, one block, or a text.
  void add_blocks(element blocks) {
    if (!blocks.is_array()) return add_block(blocks);
    for (const element each : simdjson::dom::array(blocks)) add_block(each);
  }

  void add_message(element message) {
    const auto blocks = member_of(message, content_);
    if (!blocks) return add_block(message);
    chain([&](canonical_text& text) { text.add_object(message, content_); });
    const prompt_mark mark = text_.mark();
    const std::size_t before = seen_;
    add_blocks(*blocks);
    if (seen_ == before) add_boundary(prompt_mark::none);  // `"content":[]`
    mark_end(mark);
  }

  // Adds a parameter of the request. All prefixes after it include the parameter, but no prefix ends with it.
  void add_parameter(element value) {
    chain([&](canonical_text& text) { text.add(value); });
  }

  void end_message() {
    if (!boundaries_.empty()) boundaries_.back().ends_message = true;
  }

  void mark_end(prompt_mark mark) {
    if (!boundaries_.empty()) boundaries_.back().mark = std::max(boundaries_.back().mark, mark);
  }

  std::vector<prompt_boundary> taken() { return std::move(boundaries_); }

 private:
  void add_block(element block) {
    if (const auto point = member_of(block, "cachePoint")) return mark_end(mark_of(*point));
    const auto plain = text_block_of(block);
    if (plain && !ignored_.empty() && plain->text.starts_with(ignored_)) return;
    chain([&](canonical_text& text) {
      if (plain) text.add_string(plain->text);
      else text.add(block);
    });
    add_boundary(plain ? plain->mark : text_.mark());
  }

  template <class Write>
  void chain(const Write& write) {
    text_.begin(hash_);
    write(text_);
    hash_ = proxy::keyed_hash(text_.text(), key_);
    bytes_ += text_.bytes() + 1;  // its comma
  }

  void add_boundary(prompt_mark mark) {
    if (boundaries_.size() == most_boundaries)
      boundaries_.erase(boundaries_.begin(), boundaries_.begin() + most_boundaries / 2);
    boundaries_.push_back({.hash = hash_, .tokens = bytes_ / bytes_a_token, .mark = mark});
    ++seen_;
  }

  std::string_view content_;
  std::string_view ignored_;
  std::uint64_t hash_;
  const proxy::hash_key key_;
  std::uint64_t bytes_ = 0;
  std::size_t seen_ = 0;  // the number of prefix boundaries that were found, including those that were dropped
  canonical_text text_;
  std::vector<prompt_boundary> boundaries_;
};

}  // namespace

std::vector<prompt_boundary> read_prefixes(const prompt_layout& layout, element body, std::uint64_t root,
                                           const proxy::hash_key& key) {
  prefix_reader reader(layout, root, key);
  for (const std::string_view each : {layout.tools, layout.system[0], layout.system[1]})
    if (const auto part = element_at(body, each)) {
      if (member_of(*part, layout.content)) reader.add_message(*part);
      else reader.add_blocks(*part);
      reader.end_message();
    }
  for (const std::string_view each : layout.parameters)
    if (const auto value = element_at(body, each)) reader.add_parameter(*value);
  if (const auto messages = element_at(body, layout.messages)) {
    if (!messages->is_array()) reader.add_blocks(*messages), reader.end_message();
    else
      for (const element each : simdjson::dom::array(*messages)) reader.add_message(each), reader.end_message();
  }
  // In the Messages API, a request may also have a single cache mark that applies to the whole request.
  if (const auto mark = member_of(body, "cache_control")) reader.mark_end(mark_of(*mark));
  return reader.taken();
}

}  // namespace photofinish::gateway::simulator
