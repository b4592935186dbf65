// What a token's claims say of its caller, once its signature is verified.
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

// Clocks of two machines may differ by so much.
inline constexpr std::chrono::seconds clock_leeway{60};

struct token_caller {
  std::shared_ptr<const access_key> key;  // as which it is charged; its name is of this caller alone
  std::chrono::sys_seconds until;         // from then on the token has expired
};

// Checks aud, exp, nbf and iat alone. It reveals no team and no route, so it may judge claims that are not verified.
std::optional<refusal> problem_of_validity(const nlohmann::json& claims, const jwt_issuer& by,
                                           std::chrono::sys_seconds now);

// Looks at aud, exp, nbf, iat and at the claims that the issuer's entry names. 401: the token is not for us, or not
// now; 403: its caller may not use this gateway. `configured` has that issuer.
std::variant<token_caller, refusal> judge_claims(const nlohmann::json& claims, const jwt_issuer& by,
                                                 const config& configured, std::chrono::sys_seconds now);

}  // namespace photofinish::gateway
