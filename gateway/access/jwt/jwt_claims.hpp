// Reads the caller from a token's claims. The token's signature must already be verified.
#pragma once

#include "gateway/config/access/access_key_list.hpp"
#include "gateway/config/config.hpp"
#include "gateway/http/refusal.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <variant>

namespace photofinish::gateway {

// The maximum allowed clock difference between two machines.
inline constexpr std::chrono::seconds clock_leeway{60};

struct token_caller {
  std::shared_ptr<const access_key> key;  // the access key that is charged for this caller's usage; its name belongs
                                          // only to this caller
  std::chrono::sys_seconds until;         // the time when the token expires
};

// Checks only aud, exp, nbf and iat. The result reveals neither a team nor a route, so this function may be called
// before the signature is verified.
std::optional<refusal> problem_of_validity(const nlohmann::json& claims, const jwt_issuer& by,
                                           std::chrono::sys_seconds now);

// Checks aud, exp, nbf, iat and the claims that the issuer's settings name. Returns 401 if the token is for another
// audience or not valid now. Returns 403 if the caller may not use this gateway. `configured` must contain the issuer's
// settings.
std::variant<token_caller, refusal> judge_claims(const nlohmann::json& claims, const jwt_issuer& by,
                                                 const config& configured, std::chrono::sys_seconds now);

}  // namespace photofinish::gateway
