// `photofinish keys reopen-budget`: a budget begins again at nothing before its window ends (docs/decisions/0074).
#pragma once

#include "gateway/store/store_settings.hpp"

#include <chrono>
#include <iosfwd>
#include <string>

namespace photofinish::gateway {

struct reopened_budget {
  std::string scope, name;  // "team", "search"
};

// Prints what was spent, or why nothing was reopened. Returns an exit code.
int reopen_budget(const reopened_budget& which, const store_settings& store, std::chrono::sys_seconds now,
                  std::ostream& err);

}  // namespace photofinish::gateway
