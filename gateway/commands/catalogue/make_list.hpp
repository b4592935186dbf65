// Makes a list of models of another one and an operator's own rows.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

struct made_list {
  std::string text;     // the new catalogue.json
  std::string problem;  // why there is none; empty: there is one
};

// `changes` is YAML: as_of, source, models, remove (docs/catalogue.md). `today`: 2026-11-28, the date of a list whose
// changes have none.
made_list make_list(std::string_view from, std::string_view changes, const std::string& today);

}  // namespace photofinish::gateway
