// `photofinish keys inspect` for a token of an identity provider. Prints the token's claims, and the caller whom the
// gateway would derive from them with this configuration.
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <iosfwd>
#include <string>

namespace photofinish::gateway {

// Prints a token without verifying its signature, because the command does not fetch the issuer's keys. Returns the
// exit code, which is 1 if this configuration would not accept the token.
int show_token(const std::string& token, const config& settings, std::chrono::sys_seconds now, std::ostream& out,
               std::ostream& err);

}  // namespace photofinish::gateway
