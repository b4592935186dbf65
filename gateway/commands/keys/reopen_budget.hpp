// `photofinish keys reopen-budget`: sets a budget's spending to zero before the budget's window ends
// (docs/decisions/0074).
#pragma once

#include "gateway/store/store_settings.hpp"

#include <chrono>
#include <iosfwd>
#include <string>

namespace photofinish::gateway {

struct reopened_budget {
  std::string scope, name;  // the kind and the name of a budget, for example "team" and "search"
};

// Prints the amount that was spent, or the reason why the budget was not reset. Returns the exit code.
int reopen_budget(const reopened_budget& which, const store_settings& store, std::chrono::sys_seconds now,
                  std::ostream& err);

}  // namespace photofinish::gateway
