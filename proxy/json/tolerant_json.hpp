// Handles valid JSON that simdjson 3.0 rejects: whole numbers beyond 64 bits, numbers beyond the range of a double, and
// incomplete surrogate pairs. [pure] Providers and clients send such texts, so the gateway must accept them. simdjson
// reads a corrected copy, but the original text is forwarded.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns a copy of the same length. Numbers that simdjson rejects become 0, and incomplete surrogate pairs become
// \uFFFD. Nothing else changes, so a text that is not JSON stays invalid.
std::string strict_json(std::string_view json);

// Incomplete surrogate pairs at the beginning and end of one text, as UTF-16 code units. 0 means that there is none.
struct text_halves {
  unsigned low_first = 0;  // the second half of a surrogate pair, if the text begins with one
  unsigned high_last = 0;  // the first half of a surrogate pair, if the text ends with one

  bool empty() const { return low_first == 0 && high_last == 0; }
};

// Returns the incomplete surrogate pairs at the beginning and end of a string. `raw` is the JSON string without its
// quotes.
text_halves halves_of(std::string_view raw);

// The strings of one JSON text that begin or end with an unpaired surrogate, and these surrogates. The decoded strings
// contain U+FFFD instead of the surrogates. A provider may split a character between two events, so that each event
// contains one surrogate of the pair.
class edge_halves {
 public:
  bool empty() const { return texts_.empty(); }
  void clear() { texts_.clear(); }
  void add(std::string_view decoded, text_halves its);
  text_halves of(std::string_view decoded) const;

 private:
  // The incomplete surrogate pairs at the beginning and end of each decoded string. The key of an entry is the address
  // of its string.
  std::map<const char*, text_halves, std::less<>> texts_;
};

// A JSON parser that accepts valid JSON which simdjson rejects because of a number or a string. For such a text, the
// parser reads a corrected copy. Creating a parser costs as much as parsing a short text, and a parser takes 6 kB of
// memory. All code on one thread can share a parser, because each result is used before the next text is parsed.
class tolerant_parser {
 public:
  // If a text has at most this number of bytes, the parser keeps its memory for the next text. Parsing a text takes up
  // to fourteen times as much memory as the text itself.
  static constexpr std::size_t usual_bytes = 1u << 20;

  // Parses a text. The buffer must have 64 readable bytes after `json`. The returned element is valid until the next
  // parse. Memory for a very large text is released when the next small text is parsed.
  simdjson::simdjson_result<simdjson::dom::element> parse(std::string_view json);

  // Returns the unpaired surrogates at the beginnings and ends of the strings in the last parsed text. The result is
  // valid until the next parse.
  const edge_halves& halves() const { return halves_; }

 private:
  simdjson::simdjson_result<simdjson::dom::element> parse_strict(std::string_view json);

  simdjson::dom::parser parser_;
  std::string strict_;
  edge_halves halves_;
};

}  // namespace photofinish::proxy
