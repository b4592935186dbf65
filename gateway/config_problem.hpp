// One thing that is wrong with a configuration, and where. [pure]
#pragma once

#include <string>
#include <vector>

namespace photofinish::gateway {

enum class severity { error, warning };

struct text_position {
  int line = 0;    // from 1; 0: about the file as a whole
  int column = 0;  // from 1, in characters

  bool operator==(const text_position&) const = default;
};

struct config_problem {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;  // never holds a key
  gateway::severity severity = severity::error;

  bool operator==(const config_problem&) const = default;
};

// "photofinish.yaml:3:7: error: …", the form that editors jump to.
inline std::string to_string(const config_problem& problem) {
  std::string text = problem.file + ":";
  if (problem.line > 0) text += std::to_string(problem.line) + ":" + std::to_string(problem.column) + ":";
  return text + (problem.severity == severity::error ? " error: " : " warning: ") + problem.message;
}

inline bool has_errors(const std::vector<config_problem>& problems) {
  for (const config_problem& problem : problems)
    if (problem.severity == severity::error) return true;
  return false;
}

}  // namespace photofinish::gateway
