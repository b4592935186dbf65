#include "gateway/prefixes/prompt_chain.hpp"

#include "proxy/conversation/attribution.hpp"
#include "proxy/json/character_set.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/keyed_stream.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

using proxy::json_find;
using std::chrono::minutes;

constexpr std::size_t bytes_of_token = 4;
constexpr std::size_t most_ends = 128, kept_ends = racing::prefix_table::boundaries_tried;
constexpr minutes usual_mark{5};

// Members that providers put before all messages, or that affect how all messages are processed.
constexpr auto root_members = std::to_array<std::string_view>(
    {"tools", "functions", "mcp_servers", "system", "instructions", "prompt", "response_format", "output_format",
     "text", "thinking", "reasoning", "reasoning_effort", "output_config", "effort", "verbosity",
     "chat_template_kwargs", "tool_choice", "function_call", "conversation"});

constexpr proxy::character_set brackets_and_quotes("\"{}[]");

const char* skip_space(const char* at, const char* end) {
  while (at != end && proxy::is_json_space(*at)) ++at;
  return at;
}

std::string_view text_between(const char* from, const char* to) {
  return {from, static_cast<std::size_t>(to - from)};
}

void add_word(proxy::keyed_stream& stream, std::uint64_t word) {
  std::array<char, sizeof word> bytes;
  for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<char>(word >> (8 * at));
  stream.add({bytes.data(), bytes.size()});
}

bool is_mark(std::string_view quoted_key) {
  constexpr std::string_view anthropic = "\"cache_control\"", openai = "\"prompt_cache_breakpoint\"";
  return (quoted_key.size() == anthropic.size() && quoted_key == anthropic) ||
         (quoted_key.size() == openai.size() && quoted_key == openai);
}

minutes life_of_mark(std::string_view key, std::string_view value) {
  if (!key.starts_with("\"cache")) return minutes(0);
  const auto ttl = json_find(value, "ttl");
  return ttl && *ttl == "\"1h\"" ? minutes(60) : usual_mark;
}

// A list that contains only one text block. Some clients write such a list as a plain string after they have moved the
// cache mark to another message.
struct sole_text {
  std::string_view text;  // the JSON string of the text block; empty if the list contains anything else
  std::string_view mark;
  const char* end = nullptr;  // the end of the list in the request body
};

// Reads a list that contains only one text block. Stops at the first member that is not allowed in such a list.
sole_text sole_text_of(std::string_view list_on) {
  constexpr sole_text none;
  const char* const end = list_on.data() + list_on.size();
  const char* at = skip_space(list_on.data() + 1, end);
  proxy::json_walk members(text_between(at, end), '{');
  sole_text found;
  bool is_text = false;
  while (const auto member = members.next_member()) {
    at = member->value.data() + member->value.size();
    if (member->raw_key == "type" && member->value == "\"text\"") is_text = true;
    else if (member->raw_key == "text" && proxy::json_is_string(member->value)) found.text = member->value;
    else if (member->raw_key == "cache_control") found.mark = member->value;
    else return none;
  }
  at = skip_space(at, end);
  if (!is_text || at == end || *at != '}') return none;
  at = skip_space(at + 1, end);
  if (at == end || *at != ']') return none;
  found.end = at + 1;
  return found;
}

enum class item_kind : std::uint8_t { other, of_model };

class chain_reader {
 public:
  chain_reader(const proxy::client_body& body, const chain_seed& seed)
      : body_(body), scope_(seed.scope), stream_(seed.key) {}

  prompt_chain read(std::string_view list_name) {
    read_base();
    const std::string_view list = body_.value_of(list_name);
    if (proxy::json_is_array(list)) {
      if (!read_list(list)) return {};
    } else if (proxy::json_is_string(list)) {
      end_root();
      add(list);
      end_message();
    } else {
      return {};
    }
    read_whole_request();
    return std::move(chain_);
  }

 private:
  void add(std::string_view bytes) {
    stream_.add(bytes);
    bytes_ += bytes.size();
  }
  void add(const char* from, const char* to) { add(text_between(from, to)); }

  void read_base() {
    add_word(stream_, scope_);
    for (const std::string_view name : root_members) {
      const std::string_view value = body_.value_of(name);
      if (proxy::json_is_absent(value)) continue;
      stream_.add(name);
      if (name == "system" && proxy::json_is_array(value)) add_system(value);
      else add_value(value.data(), value.data() + value.size());
    }
    stream_.end_part();
  }

  void add_system(std::string_view list) {
    proxy::json_walk walk(list);
    for (bool is_first = true; const auto block = walk.next_element(); is_first = false) {
      // The text by which the client identifies itself is not hashed, because it differs in each request.
      if (is_first && proxy::is_attribution(json_find(*block, "text").value_or(""))) continue;
      add_value(block->data(), block->data() + block->size());
      stream_.add(",");
    }
  }

  void end_root() {
    chain_.boundaries.reserve(1 + most_ends);
    chain_.boundaries.push_back({stream_.end_part(), tokens()});
    chain_.marks.of_root = chain_.marks.of_last;
    if (chain_.marks.any()) chain_.marks.last = chain_.boundaries.back();
    is_in_root_ = has_new_mark_ = false;
  }

  void end_message() {
    if (chain_.boundaries.size() > most_ends) {
      const auto first = chain_.boundaries.begin() + 1;
      chain_.boundaries.erase(first, first + (most_ends - kept_ends));
    }
    chain_.boundaries.push_back({stream_.end_part(), tokens()});
    if (has_new_mark_) chain_.marks.last = chain_.boundaries.back();
    has_new_mark_ = false;
  }

  // Reads the list of messages. Instructions at the beginning of the list count as a part of the root, which is the
  // part of the prompt before all messages. Returns false if the list is too long.
  bool read_list(std::string_view list) {
    const char* at = list.data() + 1;
    const char* const end = list.data() + list.size();
    bool was_of_model = false;
    for (std::size_t count = 0;; ++count) {
      at = skip_space(at, end);
      if (at != end && *at == ',') at = skip_space(at + 1, end);
      if (at == end || *at == ']') break;
      if (count == most_chained_messages) return false;
      if (is_in_root_ && !is_instruction(text_between(at, end))) end_root();
      kind_ = item_kind::other;
      const char* const behind = add_value(at, end, nesting::message);
      if (behind == at) break;  // the list is not valid JSON, so the reader stops
      at = behind;
      if (is_in_root_) continue;
      const bool is_of_model = kind_ == item_kind::of_model;
      chain_.answers += is_of_model && !was_of_model;
      was_of_model = is_of_model;
      end_message();
    }
    if (is_in_root_) end_root();
    return true;
  }

  static bool is_instruction(std::string_view item_on) {
    const std::string_view role = json_find(item_on, "role").value_or("");
    return role == "\"system\"" || role == "\"developer\"";
  }

  // Reads members of the body that apply to the whole request.
  void read_whole_request() {
    constexpr minutes day{24 * 60};
    if (body_.value_of("prompt_cache_retention") == "\"24h\"") chain_.retention = day;
    const std::string_view mark = body_.value_of("cache_control");
    if (!proxy::json_is_object(mark)) return;
    chain_.marks.of_last = life_of_mark("\"cache_control\"", mark);
    chain_.marks.last = chain_.end();
  }

  enum class nesting : std::uint8_t { message, elsewhere };

  // Hashes a value, but leaves out the cache marks in it. Returns the end of the value.
  const char* add_value(const char* at, const char* end, nesting its = nesting::elsewhere) {
    const char* unhashed = at;
    std::size_t depth = 0;
    do {
      if (at == end) break;
      if (*at == '"') {
        at = read_string(at, end, its == nesting::message && depth == 1, unhashed);
      } else if (brackets_and_quotes.holds(*at)) {
        if (*at == '{' || *at == '[') ++depth;
        else --depth;
        ++at;
      } else if (depth > 0) {
        ++at;
      } else {
        while (at != end && *at != ',' && *at != ']' && *at != '}' && !proxy::is_json_space(*at)) ++at;
      }
    } while (depth > 0);
    add(unhashed, at);
    return at;
  }

  // Reads a string, which may be a key or a value. `unhashed` is the beginning of the text that is not hashed yet. If a
  // part of the string was skipped or hashed in another form, moves `unhashed` past this part.
  const char* read_string(const char* at, const char* end, bool is_of_message, const char*& unhashed) {
    constexpr std::size_t longest_key = 25;  // the length of the longest JSON key that this function recognizes,
                                             // including the quotes
    const std::string_view text = proxy::json_string_at(text_between(at, end));
    const char* const behind = at + text.size();
    if (text.size() > longest_key || (!is_of_message && !is_mark(text))) return behind;
    const char* value = skip_space(behind, end);
    if (value == end || *value != ':') return behind;
    value = skip_space(value + 1, end);
    if (is_mark(text)) return leave_mark_out(text, value, end, unhashed);
    if (text == "\"role\"" || text == "\"type\"") note_kind(proxy::json_string_at(text_between(value, end)));
    if (text == "\"content\"" && value != end && *value == '[') return read_content(value, end, unhashed);
    return value;
  }

  void note_kind(std::string_view word) {
    if (word == "\"assistant\"" || word == "\"reasoning\"" || word.ends_with("_call\"")) kind_ = item_kind::of_model;
  }

  const char* read_content(const char* at, const char* end, const char*& unhashed) {
    const sole_text sole = sole_text_of(text_between(at, end));
    if (sole.text.empty()) return at;
    note_mark("\"cache_control\"", sole.mark);
    add(unhashed, at);
    add(sole.text);
    return unhashed = sole.end;
  }

  // Leaves out a cache mark and the comma before it. If there is no comma before it, leaves out the comma after it
  // instead. Returns the end of the part that was left out.
  const char* leave_mark_out(std::string_view key, const char* value, const char* end, const char*& unhashed) {
    const std::string_view mark = proxy::json_value_at(text_between(value, end));
    note_mark(key, mark);
    const char* from = key.data();
    const char* behind = value + mark.size();
    while (from > unhashed && proxy::is_json_space(from[-1])) --from;
    if (from > unhashed && from[-1] == ',') {
      --from;
    } else {
      from = key.data();
      const char* const comma = skip_space(behind, end);
      if (comma != end && *comma == ',') behind = skip_space(comma + 1, end);
    }
    add(unhashed, from);
    return unhashed = behind;
  }

  void note_mark(std::string_view key, std::string_view mark) {
    if (proxy::json_is_absent(mark)) return;
    chain_.marks.of_last = life_of_mark(key, mark);
    has_new_mark_ = true;
  }

  std::uint32_t tokens() const { return static_cast<std::uint32_t>(bytes_ / bytes_of_token); }

  const proxy::client_body& body_;
  std::uint64_t scope_;
  proxy::keyed_stream stream_;
  prompt_chain chain_;
  std::size_t bytes_ = 0;
  bool is_in_root_ = true;
  bool has_new_mark_ = false;
  item_kind kind_ = item_kind::other;
};

}  // namespace

prompt_chain chain_of(const proxy::client_body& body, proxy::wire_format format, const chain_seed& seed) {
  const std::size_t size = body.json().size();
  if (size < least_chained_body || size > largest_chained_body || body.is_form()) return {};
  switch (format) {
    case proxy::wire_format::openai_chat:
    case proxy::wire_format::anthropic_messages: return chain_reader(body, seed).read("messages");
    case proxy::wire_format::openai_responses: return chain_reader(body, seed).read("input");
    default: return {};
  }
}

}  // namespace photofinish::gateway
