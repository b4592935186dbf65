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
std::string tame_json(std::string_view json);

// A parser that takes a second look at a tamed copy, when the first one stumbles over a number or a string.
class tolerant_parser {
 public:
  // 64 bytes behind the text must be readable. The element lives until the next parse.
  simdjson::simdjson_result<simdjson::dom::element> parse(std::string_view json);

  std::size_t capacity() const { return parser_.capacity(); }  // bytes of the longest text that its memory is for

 private:
  simdjson::dom::parser parser_;
  std::string tamed_;
};

}  // namespace photofinish::proxy
