// The head of one part of a form: whose content it is, and whether it is a file's. [pure]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

inline constexpr std::size_t max_part_head = 8u << 10;  // a file's name is in it
inline constexpr std::size_t max_part_fields = 16;
inline constexpr std::string_view part_line_end = "\r\n";

struct part_head {
  std::string_view name;  // a span of the head
  bool is_file = false;
  bool is_encoded = false;  // Content-Transfer-Encoding says that the content is not there as it is
};

// `lines` are what stands between a delimiter's line and the empty line, each with its CRLF. Else what is wrong: the
// end of a sentence that begins with "a part of the form".
std::variant<part_head, std::string> read_part_head(std::string_view lines);

// One parameter of a header's value, as `; name="x"`, is taken from the front of `rest`. `value` is without its quotes,
// and escapes in it are as they were written.
struct header_parameter {
  std::string_view name, value;
};
std::variant<header_parameter, std::string> take_parameter(std::string_view& rest);

}  // namespace photofinish::gateway
