// Evaluates a text in a configuration, which may contain ${VAR}, ${VAR:-default}, $$ or file:/path. [pure]
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
  std::string problem;  // an error text that contains no variable's value; empty if there is no problem
  std::vector<used_variable> variables{};
  bool is_open_to_all = false;  // true if every user of this machine can read the file
  std::string unset{};          // the name of the unset variable that caused the problem, as "${NAME}"
};

// Replaces ${NAME}, ${NAME:-default} and $$. The default is used if the variable is unset or empty. Variables in the
// value of a variable are not replaced.
expanded_text expand(std::string_view text, const environment& machine);

// True if the text contains a variable. Such a text may become a value of any type, which is known only after the
// variable is replaced.
bool has_variable(std::string_view text);

// Returns "/path" for the text "file:/path", and nothing for any other text.
std::optional<std::string_view> file_reference(std::string_view text);

// Returns the text of a file without its last line end. The text may be empty.
expanded_text read_secret_file(const std::string& path, const environment& machine);

}  // namespace photofinish::gateway
