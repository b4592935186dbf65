// Code that all readers of provider events share. [pure] It parses the JSON of an event, looks up members, and stores
// the content of an event.
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

// Returns the JSON of an event, or an empty view if the event contains none. Data that begins with a colon is ignored,
// because it is a misplaced comment. [DONE] is not JSON: it marks the end of a stream in OpenAI's chat API.
std::string_view json_of(const sse_event& event);

// Returns the JSON as a single line, because this gateway writes each event with one data line. In valid JSON,
// unescaped line ends occur only between tokens. If line ends are removed, the result is stored in `kept`.
std::string_view in_one_line(std::string_view json, std::string& kept);

// Returns the name of an event if the name is a single word. Otherwise returns an empty view, because a name with line
// ends would break the format of the event.
std::string_view as_event_name(std::string_view type);

// The JSON parser of one stream. Several streams can share a parser. A stream without a shared parser creates its own
// when the first text arrives.
class event_parser {
 public:
  // `lent` is a parser that all streams of one thread share, or null. A parser takes 6 kB. Streams can share a parser,
  // because each result is used before the next text is parsed. The parser must outlive this object.
  explicit event_parser(tolerant_parser* lent) : lent_(lent) {}

  // Parses JSON. The buffer must have 64 readable bytes after the text. The returned object is valid until the parser
  // is used again.
  result<simdjson::dom::object> parse(std::string_view json);
  simdjson::simdjson_result<simdjson::dom::element> parse_any(std::string_view json);

  // Returns the unpaired surrogates at the beginnings and ends of the texts in the last parsed JSON (see
  // tolerant_parser).
  const edge_halves& halves() const { return (lent_ != nullptr ? lent_ : own_.get())->halves(); }

 private:
  tolerant_parser* lent_;
  std::unique_ptr<tolerant_parser> own_;
};

// The following functions return an empty text, zero or nullopt if the member is missing or has an unexpected type.
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
// Reads a member that should be a string. Some servers send another type, such as an object for arguments or a number
// for an id. In this case the JSON of the value is stored in `kept` and returned. Returns an empty view if the member
// is missing or null.
std::string_view any_text_of(simdjson::dom::element value, std::list<std::string>& kept);
std::string_view any_text_at(simdjson::dom::object from, std::string_view key, std::list<std::string>& kept);
// Reads a fragment of a call's arguments in the same way as any_text_at(). An empty object is only a placeholder, so
// the function returns an empty view for it.
std::string_view fragment_at(simdjson::dom::object from, std::string_view key, std::list<std::string>& kept);
// Returns the elements of a list as JSON, separated by commas.
std::string elements_of(simdjson::dom::array list);
// Reads a count and stores it in `into`. If the count is missing, `into` stays unchanged.
inline void count_at(simdjson::dom::object from, std::string_view key, std::uint64_t& into) {
  std::uint64_t count = 0;
  if (from.at_key(key).get(count) == simdjson::SUCCESS) into = std::min(count, largest_count);
}

enum class json_use : std::uint8_t {
  passes,      // the client gets the provider's JSON unchanged
  translated,  // the client gets JSON that this gateway writes from the deltas
};

// The content of one event, for APIs whose events have names.
struct event_facts {
  std::string_view name;  // the name of the event; empty if the name is not a single word
  event_kind kind = event_kind::progress;
  std::vector<delta> deltas;
  std::optional<token_usage> usage;

  void clear();
  void say(delta_kind what, std::string_view text, std::int64_t part = 0);
  // Returns the content as an event. `json` is the JSON for the client, and `spoken` is the API format of this JSON.
  stream_event event(wire_format spoken, std::span<const std::string_view> json, instant read_at) const;
};

inline void event_facts::say(delta_kind what, std::string_view text, std::int64_t part) {
  deltas.push_back({.kind = what, .part = part, .text = text});
  if (what != delta_kind::reasoning) kind = event_kind::token;
  else if (kind == event_kind::progress) kind = event_kind::reasoning_token;
}

}  // namespace photofinish::proxy
