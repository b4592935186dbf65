// The text of a YAML file. Converts offsets to positions in lines, and explains the terse messages of a parser. [pure]
#pragma once

#include "gateway/config/yaml/config_problem.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

struct yaml_problem {
  text_position at;
  std::string message;
};

class yaml_text {
 public:
  explicit yaml_text(std::string_view source);  // the text must outlive this object; a byte order mark is skipped

  std::string_view content() const { return content_; }

  // Converts a line and a column in bytes, both counted from 0, to the position that an editor shows.
  text_position position(int line, int byte_column) const;

  text_position end() const;  // the position after the last character that is not a space or a line end

  // Finds the first control character. yaml-cpp treats some control characters as the end of the file,
  // and stops reading.
  std::optional<text_position> first_forbidden_character() const;

  // True if the quoted text at the position is closed, or if no quoted text begins there. This check is necessary,
  // because yaml-cpp accepts the end of the file instead of the closing quote. `line` and `byte_column` are the numbers
  // that yaml-cpp reports.
  bool is_quote_closed(int line, int byte_column) const;

  // Returns a problem with yaml-cpp's message. If the likely cause was found, the message begins with the cause, and
  // the problem has the position of the cause.
  yaml_problem explain(const std::string& message, text_position noticed, std::size_t offset) const;

 private:
  std::string explain_line(const std::string& message, int line) const;
  std::string_view line_at(int line) const;
  text_position position_of(std::size_t offset) const;

  std::string_view content_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace photofinish::gateway
