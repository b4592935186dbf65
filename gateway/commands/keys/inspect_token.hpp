// `photofinish keys inspect` for a token of an identity provider: prints its claims, and which caller it would be here.
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <iosfwd>
#include <string>

namespace photofinish::gateway {

// Does not verify the signature, because the issuer's keys are not fetched. Returns an exit code: 1 if this
// configuration would not accept the token.
int show_token(const std::string& token, const config& settings, std::chrono::sys_seconds now, std::ostream& out,
               std::ostream& err);

}  // namespace photofinish::gateway
