// Valid JSON that simdjson 3.0 refuses all the same: whole numbers beyond 64 bits, numbers beyond a double, and
// halves of surrogate pairs. [pure]
// Providers and clients send them, so they must pass; only a copy is made readable, and the text itself goes on.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// A copy of the same length in which each of those is replaced: a number by 0, half a pair by \uFFFD. Nothing else is
// touched, so what is no JSON stays none.
std::string strict_json(std::string_view json);

// Halves of surrogate pairs at the edges of one text, as code units; 0: none.
struct text_halves {
  unsigned low_first = 0;  // the text begins with the second half of a pair
  unsigned high_last = 0;  // the text ends with the first half of a pair

  bool empty() const { return low_first == 0 && high_last == 0; }
};

// Reads a JSON string between its quotes.
text_halves halves_of(std::string_view raw);

// The decoded texts of one JSON text that have halves at their edges, where each half is U+FFFD. Providers cut a
// character in two: then the next event has the other half.
class edge_halves {
 public:
  bool empty() const { return texts_.empty(); }
  void clear() { texts_.clear(); }
  void add(std::string_view decoded, text_halves its);
  text_halves of(std::string_view decoded) const;

 private:
  std::map<const char*, text_halves, std::less<>> texts_;  // by where a text lies
};

// A parser that takes a second look at a strict copy, when the first one stumbles over a number or a string.
// Making one costs as much as reading a short text, and it holds 6 kB: those of one thread who read each text before
// the next is parsed share one.
class tolerant_parser {
 public:
  // Bytes of a text whose memory is kept: a parser takes up to fourteen times a text's size.
  static constexpr std::size_t usual_bytes = 1u << 20;

  // 64 bytes behind the text must be readable. The element lives until the next parse. The memory that a giant text
  // took is let go with the next small one.
  simdjson::simdjson_result<simdjson::dom::element> parse(std::string_view json);

  // The halves in the strings of the last parse. They live until the next one.
  const edge_halves& halves() const { return halves_; }

 private:
  simdjson::simdjson_result<simdjson::dom::element> parse_strict(std::string_view json);

  simdjson::dom::parser parser_;
  std::string strict_;
  edge_halves halves_;
};

}  // namespace photofinish::proxy
