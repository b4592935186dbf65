// Reads the caller from a token's claims after the token's signature was verified.
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

// The largest difference between the clocks of two machines that is allowed.
inline constexpr std::chrono::seconds clock_leeway{60};

struct token_caller {
  std::shared_ptr<const access_key> key;  // the key that pays; its name belongs to this caller alone
  std::chrono::sys_seconds until;         // the time when the token expires
};

// Checks only aud, exp, nbf and iat. The result reveals no team and no route, so this may be called
// with unverified claims.
std::optional<refusal> problem_of_validity(const nlohmann::json& claims, const jwt_issuer& by,
                                           std::chrono::sys_seconds now);

// Checks aud, exp, nbf, iat and the claims that the issuer's entry names. Returns 401 if the token is not
// for this gateway, or is not valid now. Returns 403 if the caller may not use this gateway. `configured`
// must contain that issuer.
std::variant<token_caller, refusal> judge_claims(const nlohmann::json& claims, const jwt_issuer& by,
                                                 const config& configured, std::chrono::sys_seconds now);

}  // namespace photofinish::gateway
