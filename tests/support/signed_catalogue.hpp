// Lists of models for tests, and the private key that signs the lists.
#pragma once

#include "gateway/log/time_text.hpp"
#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/catalogue_proof.hpp"

#include <chrono>
#include <string>

namespace photofinish::tests {

// A key that exists only for tests, made by: openssl genpkey -algorithm ed25519
inline const std::string list_private_key = "-----BEGIN PRIVATE KEY-----\n"
                                            "MC4CAQAwBQYDK2VwBCIEICxkZMLSkpHUoETmWAnLAd1CeUJ5hiHIjSbZtsmnztnX\n"
                                            "-----END PRIVATE KEY-----\n";
inline const std::string list_public_key = "MCowBQYDK2VwAyEAJhUHQOlGsxy7kb+uWLQhNctbIm2NkOI7qcjDYZxfnEc=";
inline const std::string other_public_key = "MCowBQYDK2VwAyEAzHGQHCkNuoZy/X3We+hKQkTCT4zK5WQJfB/Zr3BsppM=";

inline std::string list_signature(const std::string& text) {
  return proxy::ed25519_signature(list_private_key, text).value_or("");
}

inline std::string list_day(int days) {
  return gateway::day_text(proxy::built_in_catalogue_date() + std::chrono::days(days));
}

// Returns the built-in list of models, with its date moved later by this number of days.
inline std::string later_list(int days) {
  std::string text(proxy::built_in_catalogue_text());
  const std::string before = R"("as_of": ")" + list_day(0);
  return text.replace(text.find(before), before.size(), R"("as_of": ")" + list_day(days));
}

// A valid list of models that lacks most of the built-in models.
inline std::string small_list(int days) {
  return R"({"schema": 1, "as_of": ")" + list_day(days) + R"(", "sources": [{"name": "a-list", "date": "2026-11-27"}],
             "holidays": {}, "betas": {}, "providers": {"groq": [
               {"names": ["m"], "sources": [0], "prices": {"standard": {"input": 3, "output": 7}}}]}})";
}

}  // namespace photofinish::tests
