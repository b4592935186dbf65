// What the readers of providers' events share: the text of an event, its JSON, the members looked for in it, and what
// was found. [pure]
#pragma once

#include "proxy/dialects/largest_count.hpp"
#include "proxy/dialects/sse_parser.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Empty where there is nothing to read: no JSON begins with a colon or says [DONE]. The one is a comment in the wrong
// place, the other the end in OpenAI's chat.
std::string_view json_of(const sse_event& event);

// Our framing has one data line. Valid JSON holds no bare \n but between its tokens. Where there is one, the line is in
// `kept`.
std::string_view in_one_line(std::string_view json, std::string& kept);

// An event's name where it is a word, which may be written on a line of its own; else empty.
std::string_view as_event_name(std::string_view type);

// The parser of one stream: one that is lent, or its own, made with the first text.
class event_parser {
 public:
  // `lent`: a parser that all streams of one thread may use, for it takes 6 kB, and each text is read before the next
  // is parsed. It outlives this.
  explicit event_parser(tolerant_parser* lent) : lent_(lent) {}

  // 64 bytes behind the text must be readable. The object lives until the parser is used again.
  result<simdjson::dom::object> parse(std::string_view json);
  simdjson::simdjson_result<simdjson::dom::element> parse_any(std::string_view json);

  // See tolerant_parser. Asked for after a parse.
  const edge_halves& halves() const { return (lent_ != nullptr ? lent_ : own_.get())->halves(); }

 private:
  tolerant_parser* lent_;
  std::unique_ptr<tolerant_parser> own_;
};

// Empty, zero and none where the member is missing or of another type.
inline std::string_view text_at(simdjson::dom::object from, std::string_view key) {
  std::string_view text;
  return from.at_key(key).get(text) == simdjson::SUCCESS ? text : std::string_view{};
}
inline std::int64_t place_at(simdjson::dom::object from, std::string_view key) {
  std::int64_t place = 0;
  return from.at_key(key).get(place) == simdjson::SUCCESS ? place : 0;
}
inline std::optional<simdjson::dom::object> object_at(simdjson::dom::object from, std::string_view key) {
  simdjson::dom::object found;
  return from.at_key(key).get(found) == simdjson::SUCCESS ? std::optional(found) : std::nullopt;
}
// A member that should be a text, and that some servers send as another type: an object of arguments, a numeric id. The
// text of such a value is its JSON, in `kept`. Empty where the member is missing or null.
std::string_view any_text_of(simdjson::dom::element value, std::list<std::string>& kept);
std::string_view any_text_at(simdjson::dom::object from, std::string_view key, std::list<std::string>& kept);
// The same for a fragment of a call's arguments. An empty object is a placeholder, and no fragment.
std::string_view fragment_at(simdjson::dom::object from, std::string_view key, std::list<std::string>& kept);
// The elements of a list as JSON, with commas between them.
std::string elements_of(simdjson::dom::array list);
// Left as it was where the member is missing.
inline void count_at(simdjson::dom::object from, std::string_view key, std::uint64_t& into) {
  std::uint64_t count = 0;
  if (from.at_key(key).get(count) == simdjson::SUCCESS) into = std::min(count, largest_count);
}

enum class json_use : std::uint8_t {
  passes,      // the client gets the provider's own JSON
  translated,  // an answer is written from the deltas
};

// What one event of an API with named events says.
struct event_facts {
  std::string_view name;  // empty where it is not a word that a line may hold
  event_kind kind = event_kind::progress;
  std::vector<delta> deltas;
  std::optional<token_usage> usage;

  void clear();
  void say(delta_kind what, std::string_view text, std::int64_t part = 0);
  // As it is relayed, with JSON in that format.
  stream_event event(wire_format spoken, std::span<const std::string_view> json, instant read_at) const;
};

inline void event_facts::say(delta_kind what, std::string_view text, std::int64_t part) {
  deltas.push_back({.kind = what, .part = part, .text = text});
  if (what != delta_kind::reasoning) kind = event_kind::token;
  else if (kind == event_kind::progress) kind = event_kind::reasoning_token;
}

}  // namespace photofinish::proxy
