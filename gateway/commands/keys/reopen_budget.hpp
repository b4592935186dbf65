// `photofinish keys reopen-budget`: resets a budget's spending to nothing before its window ends (docs/decisions/0074).
#pragma once

#include "gateway/store/store_settings.hpp"

#include <chrono>
#include <iosfwd>
#include <string>

namespace photofinish::gateway {

struct reopened_budget {
  std::string scope, name;  // for example "team" and "search"
};

// Prints the amount that was spent, or why the budget was not reset. Returns an exit code.
int reopen_budget(const reopened_budget& which, const store_settings& store, std::chrono::sys_seconds now,
                  std::ostream& err);

}  // namespace photofinish::gateway
