// An environment for tests. Its variables and files come from tables, and its clock shows a fixed day.
#pragma once

#include "gateway/process/environment.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace photofinish::tests {

struct table_environment {
  std::map<std::string, std::string> variables = {};
  std::map<std::string, std::string> files = {};
  // The day that the clock shows. If it is not set, the configuration is not checked against the current date.
  std::optional<std::chrono::sys_days> today = {};

  // Returns an environment with copies of the tables, because the environment may outlive this object.
  gateway::environment machine() const {
    const auto find = [](const std::map<std::string, std::string>& table, const std::string& name) {
      const auto found = table.find(name);
      return found == table.end() ? std::nullopt : std::optional(found->second);
    };
    std::function<std::chrono::sys_days()> clock;
    if (today) clock = [day = *today] { return day; };
    return {[find, table = variables](const std::string& name) { return find(table, name); },
            [find, table = files](const std::string& path) -> gateway::file_content {
              const auto text = find(table, path);
              return text ? gateway::file_content{*text, {}} : gateway::file_content{{}, "there is no such file"};
            },
            [table = files](const std::string& path) { return table.contains(path); }, std::move(clock)};
  }
};

}  // namespace photofinish::tests
