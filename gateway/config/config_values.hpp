// Evaluates a text in a configuration: ${VAR}, ${VAR:-default}, $$, file:/path. [pure]
#pragma once

#include "gateway/process/environment.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

struct used_variable {
  std::string name;
  std::string value;
};

struct expanded_text {
  std::string text;
  std::string problem;  // empty: no problem. Never contains a variable's value
  std::vector<used_variable> variables{};
  bool is_open_to_all = false;  // true if every user of this machine can read the file
  std::string unset{};          // "${NAME}": the unset variable that caused the problem
};

// Replaces ${NAME}, ${NAME:-default} (if unset or empty) and $$. A value is never expanded again.
expanded_text expand(std::string_view text, const environment& machine);

// True if the text contains a variable, so that its type is known only after expansion.
bool has_variable(std::string_view text);

// "/path" of "file:/path", as written; empty for any other text.
std::optional<std::string_view> file_reference(std::string_view text);

// A file's text without its last line end; may be empty.
expanded_text read_secret_file(const std::string& path, const environment& machine);

}  // namespace photofinish::gateway
