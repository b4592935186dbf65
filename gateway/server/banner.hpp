// The text that `serve` prints when it starts: the configuration, the providers, possible costs, and an example command
// to paste. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Returns the text. `from` describes where the configuration came from. Routes are in the file's order, and the example
// command uses the first route that can answer.
std::string banner(const config& settings, const std::string& version, const std::string& from,
                   const std::vector<listen_address>& addresses, const std::optional<listen_address>& admin);

// Returns the main facts of the banner as one machine-readable log line: version, configuration, counts, addresses.
std::string started_text(const config& settings, const std::string& version, const std::string& from,
                         const std::string& hash, const std::vector<listen_address>& addresses,
                         const std::optional<listen_address>& admin);

// Returns "; hash 0123456789abcdef", or an empty text if there is no hash.
std::string hash_text(const std::string& hash);

}  // namespace photofinish::gateway
