#include "gateway/guardrails/part_words.hpp"

#include "gateway/api/multipart/part_head.hpp"
#include "gateway/guardrails/api_words.hpp"
#include "proxy/http/http_head.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

namespace photofinish::gateway {
namespace {

using proxy::equals_ignoring_case;
using proxy::trim_space;

// Returns whether it names a file.
bool note_disposition(std::string_view value, text_walk& words) {
  bool is_file = false;
  value.remove_prefix(std::min(value.find(';'), value.size()));
  while (!value.empty()) {
    const auto taken = take_parameter(value);
    const auto* const parameter = std::get_if<header_parameter>(&taken);
    if (parameter == nullptr) break;
    const bool is_filename = equals_ignoring_case(parameter->name, "filename") ||
                             equals_ignoring_case(parameter->name, "filename*");
    is_file |= is_filename;
    if (equals_ignoring_case(parameter->name, "name")) continue;  // the field's
    if (!is_filename) words.add_word(parameter->name);
    words.add_word(parameter->value);
  }
  return is_file;
}

}  // namespace

bool note_part_head(std::string_view head, text_walk& words) {
  bool is_file = false;
  head.remove_prefix(std::min(head.find(part_line_end), head.size()));  // the delimiter
  while (!head.empty()) {
    head.remove_prefix(std::min(part_line_end.size(), head.size()));
    const std::size_t end = std::min(head.find(part_line_end), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end);
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trim_space(line.substr(std::min(colon + 1, line.size())));
    const bool is_usual = equals_ignoring_case(name, "content-type") && is_api_name(value);
    if (equals_ignoring_case(name, "content-disposition")) is_file |= note_disposition(value, words);
    else if (!is_usual) words.add_word(line);
  }
  return is_file;
}

}  // namespace photofinish::gateway
