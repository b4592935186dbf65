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
  int line = 0;    // counts from 1; 0: the file as a whole
  int column = 0;  // counts characters from 1

  bool operator==(const text_position&) const = default;
};

struct config_problem {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;  // the text never contains a key
  gateway::severity severity = severity::error;

  bool operator==(const config_problem&) const = default;
};

// "photofinish.yaml:3:7: error: …", a form that editors can jump to.
inline std::string to_string(const config_problem& problem) {
  std::string text = problem.file + ":";
  if (problem.line > 0) text += std::to_string(problem.line) + ":" + std::to_string(problem.column) + ":";
  return text + (problem.severity == severity::error ? " error: " : " warning: ") + problem.message;
}

// Shows as many problems as a person reads; errors come first if some are omitted.
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
