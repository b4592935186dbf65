// A problem in a configuration, and its position. [pure]
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

enum class severity { error, warning };

struct text_position {
  int line = 0;    // the line number, counted from 1; 0 means the whole file
  int column = 0;  // the column in characters, counted from 1

  bool operator==(const text_position&) const = default;
};

struct config_problem {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;  // the text of the message, which never contains a key
  gateway::severity severity = severity::error;

  bool operator==(const config_problem&) const = default;
};

// Returns a text such as "photofinish.yaml:3:7: error: …". Editors can jump to the line from a text in this form.
inline std::string to_string(const config_problem& problem) {
  std::string text = problem.file + ":";
  if (problem.line > 0) text += std::to_string(problem.line) + ":" + std::to_string(problem.column) + ":";
  return text + (problem.severity == severity::error ? " error: " : " warning: ") + problem.message;
}

// The problems to print. Their number is limited, because users do not read very long lists. If some problems are
// omitted, warnings are omitted first.
struct shown_problems {
  static constexpr std::size_t most = 50;
  std::vector<config_problem> first;
  std::size_t more = 0;  // the number of omitted problems
};

inline shown_problems to_show(std::vector<config_problem> problems) {
  if (problems.size() <= shown_problems::most) return {std::move(problems), 0};
  std::stable_partition(problems.begin(), problems.end(),
                        [](const config_problem& each) { return each.severity == severity::error; });
  const std::size_t more = problems.size() - shown_problems::most;
  problems.resize(shown_problems::most);
  return {std::move(problems), more};
}

inline bool has_errors(const std::vector<config_problem>& problems) {
  for (const config_problem& problem : problems)
    if (problem.severity == severity::error) return true;
  return false;
}

}  // namespace photofinish::gateway
