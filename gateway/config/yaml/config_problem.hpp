// One problem of a configuration, and its position. [pure]
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

enum class severity { error, warning };

struct text_position {
  int line = 0;    // line number from 1; 0 means the file as a whole
  int column = 0;  // column in characters, counted from 1

  bool operator==(const text_position&) const = default;
};

struct config_problem {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;  // text of the message, which never contains a key
  gateway::severity severity = severity::error;

  bool operator==(const config_problem&) const = default;
};

// Returns the text "photofinish.yaml:3:7: error: …", a form that lets editors jump to the line.
inline std::string to_string(const config_problem& problem) {
  std::string text = problem.file + ":";
  if (problem.line > 0) text += std::to_string(problem.line) + ":" + std::to_string(problem.column) + ":";
  return text + (problem.severity == severity::error ? " error: " : " warning: ") + problem.message;
}

// Shows only as many problems as a person reads. If some are left out, errors come first.
struct shown_problems {
  static constexpr std::size_t most = 50;
  std::vector<config_problem> first;
  std::size_t more = 0;  // number of problems that are not shown
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
