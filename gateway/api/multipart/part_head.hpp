// Reads the head (the header lines) of one part of a form: the field's name, and whether the part is a file. [pure]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// The maximum size in bytes of a part's head, including the name of a file.
inline constexpr std::size_t max_part_head = 8u << 10;
inline constexpr std::size_t max_part_fields = 16;
inline constexpr std::string_view part_line_end = "\r\n";

struct part_head {
  std::string_view name;  // the field's name, as a span of the head's text
  bool is_file = false;
  bool is_encoded = false;  // true if Content-Transfer-Encoding declares that the part is encoded
};

// Reads the header lines between a form's delimiter and the empty line. Each line includes its CRLF. On failure,
// returns an error text that continues a sentence with the subject "a part of the form".
std::variant<part_head, std::string> read_part_head(std::string_view lines);

// Removes the first parameter of a header's value, such as `; name="x"`, from `rest`. The returned `value` has no
// quotes, but still contains its escapes.
struct header_parameter {
  std::string_view name, value;
};
std::variant<header_parameter, std::string> take_parameter(std::string_view& rest);

}  // namespace photofinish::gateway
