// What a configuration may ask of the machine: its environment variables, its files and its clock. [pure]
// Handed in as functions, so that parsing stays pure and tests answer from a table.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace photofinish::gateway {

struct file_content {
  std::string text;
  std::string problem;  // why it cannot be had, to stand behind the file's name: "is a folder, not a file". Empty: none
  bool is_open_to_all = false;  // every user of this machine can read it
};

struct environment {
  std::function<std::optional<std::string>(const std::string& name)> read_variable;
  std::function<file_content(const std::string& path)> read_file;
  std::function<bool(const std::string& path)> file_exists;
  std::function<std::chrono::sys_days()> current_day = {};  // in UTC; null: dates are not compared with the clock

  // None when unset; an empty variable counts as unset.
  std::optional<std::string> variable(const std::string& name) const {
    std::optional<std::string> value = read_variable(name);
    return value && !value->empty() ? value : std::nullopt;
  }
};

}  // namespace photofinish::gateway
