// Makes a list of models from another list and an operator's changes.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

struct made_list {
  std::string text;     // the text of the new catalogue.json
  std::string problem;  // the reason why no list was made; empty if a list was made
};

// Makes a new list from an old list (`from`) and an operator's changes. `changes` is YAML with as_of, source, models
// and remove (docs/catalogue.md). If the changes have no date, the list gets the date `today`, for example 2026-11-28.
made_list make_list(std::string_view from, std::string_view changes, const std::string& today);

}  // namespace photofinish::gateway
