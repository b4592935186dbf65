// An environment for tests: variables and files from tables.
#pragma once

#include "gateway/process/environment.hpp"

#include <map>
#include <optional>
#include <string>

namespace photofinish::tests {

struct table_environment {
  std::map<std::string, std::string> variables = {};
  std::map<std::string, std::string> files = {};

  // Holds copies: it may outlive the tables.
  gateway::environment machine() const {
    const auto find = [](const std::map<std::string, std::string>& table, const std::string& name) {
      const auto found = table.find(name);
      return found == table.end() ? std::nullopt : std::optional(found->second);
    };
    return {[find, table = variables](const std::string& name) { return find(table, name); },
            [find, table = files](const std::string& path) -> gateway::file_content {
              const auto text = find(table, path);
              return text ? gateway::file_content{*text, {}} : gateway::file_content{{}, "there is no such file"};
            },
            [table = files](const std::string& path) { return table.contains(path); }};
  }
};

}  // namespace photofinish::tests
