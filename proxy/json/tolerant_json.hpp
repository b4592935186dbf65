// Valid JSON that simdjson 3.0 refuses all the same: whole numbers beyond 64 bits, numbers beyond a double, and
// halves of surrogate pairs. [pure]
// Providers and clients send them, so they must pass; only a copy is made readable, and the text itself goes on.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// A copy of the same length in which each of those is replaced: a number by 0, half a pair by \uFFFD. Nothing else is
// touched, so what is no JSON stays none.
std::string strict_json(std::string_view json);

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

 private:
  simdjson::dom::parser parser_;
  std::string strict_;
};

}  // namespace photofinish::proxy
