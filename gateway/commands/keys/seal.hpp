// `photofinish keys seal`, and the part of `keys inspect` that prints a sealed key.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/process/environment.hpp"

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

namespace photofinish::gateway {

// The user's input for a new sealed key. The configuration supplies the remaining facts.
struct seal_order {
  std::string subject, team, expires;
  std::vector<std::string> routes;
  std::vector<std::string> provider_keys;  // each provider key as PROVIDER=VARIABLE, for example "groq=GROQ_API_KEY"
};

// Makes a sealed key and prints it. Returns the exit code.
int seal_key(const seal_order& order, const config& settings, const environment& machine,
             std::chrono::sys_seconds now, std::ostream& out, std::ostream& err);

// Prints the content of a sealed key, without the provider keys in it. Returns the exit code.
int show_sealed_key(const std::string& key, const config& settings, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
