// Makes a list of models from another list and an operator's changes.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

struct made_list {
  std::string text;     // the new catalogue.json
  std::string problem;  // why there is no list; empty: there is a list
};

// `changes` is YAML with as_of, source, models and remove (docs/catalogue.md). `today`, for example 2026-11-28, is the
// list's date if the changes have none.
made_list make_list(std::string_view from, std::string_view changes, const std::string& today);

}  // namespace photofinish::gateway
