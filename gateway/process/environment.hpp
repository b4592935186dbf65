// The parts of the machine that a configuration may read: environment variables, files and the clock. [pure] They are
// passed as functions. Therefore the parser has no side effects, and tests can return fixed values.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace photofinish::gateway {

struct file_content {
  std::string text;
  // Returns the reason why a file cannot be read, such as "is a folder, not a file". The text continues a message that
  // begins with the file's name. Empty if the file can be read.
  std::string problem;
  bool is_open_to_all = false;  // true if all users of this machine can read the file
};

struct environment {
  std::function<std::optional<std::string>(const std::string& name)> read_variable;
  std::function<file_content(const std::string& path)> read_file;
  std::function<bool(const std::string& path)> file_exists;
  // Returns the current date in UTC. If the function is empty, the configuration's dates are not compared with the
  // clock.
  std::function<std::chrono::sys_days()> current_day = {};

  // Returns the value of the variable. Returns nothing if the variable is not set or empty.
  std::optional<std::string> variable(const std::string& name) const {
    std::optional<std::string> value = read_variable(name);
    return value && !value->empty() ? value : std::nullopt;
  }
};

}  // namespace photofinish::gateway
