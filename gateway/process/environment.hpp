// The parts of the machine that a configuration may read: environment variables, files and the clock. [pure] They are
// passed as functions, so that parsing stays pure and tests can answer from a table.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace photofinish::gateway {

struct file_content {
  std::string text;
  // Explains why a file cannot be read, as a text after the file's name: "is a folder, not a file". Empty if the file
  // can be read.
  std::string problem;
  bool is_open_to_all = false;  // true if every user of this machine can read the file
};

struct environment {
  std::function<std::optional<std::string>(const std::string& name)> read_variable;
  std::function<file_content(const std::string& path)> read_file;
  std::function<bool(const std::string& path)> file_exists;
  // Returns today's date in UTC. If the function is empty, dates are not compared with the clock.
  std::function<std::chrono::sys_days()> current_day = {};

  // Returns the variable's value, or nothing if the variable is unset or empty.
  std::optional<std::string> variable(const std::string& name) const {
    std::optional<std::string> value = read_variable(name);
    return value && !value->empty() ? value : std::nullopt;
  }
};

}  // namespace photofinish::gateway
