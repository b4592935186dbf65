// `photofinish keys inspect` of a token of an identity provider: what it says, and who its caller would be here.
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <iosfwd>
#include <string>

namespace photofinish::gateway {

// Its signature is not verified: the issuer's keys are not fetched. An exit code: 1 where this configuration would not
// take it.
int show_token(const std::string& token, const config& settings, std::chrono::sys_seconds now, std::ostream& out,
               std::ostream& err);

}  // namespace photofinish::gateway
