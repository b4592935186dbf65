// `photofinish keys seal` and what `keys inspect` shows of a sealed key.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/process/environment.hpp"

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

namespace photofinish::gateway {

// What a new sealed key says, beside what the configuration has.
struct seal_order {
  std::string subject, team, expires;
  std::vector<std::string> routes;
  std::vector<std::string> provider_keys;  // "groq=VARIABLE"
};

// Prints the key; an exit code.
int seal_key(const seal_order& order, const config& settings, const environment& machine,
             std::chrono::sys_seconds now, std::ostream& out, std::ostream& err);

// What it says, but for the providers' keys.
int show_sealed_key(const std::string& key, const config& settings, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
