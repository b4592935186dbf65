// What token endpoints and metadata servers answer. [pure]
#pragma once

#include "gateway/credentials/obtained.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// OAuth's: access_token, with expires_in as a number or as text. Google's impersonation: accessToken, expireTime.
obtaining read_token(std::string_view body, std::chrono::sys_seconds now);

// AWS's, of a container or an instance: AccessKeyId, SecretAccessKey, Token, Expiration.
obtaining read_aws_keys(std::string_view body, std::chrono::sys_seconds now);

// What such an answer says of a refusal, as one line: "401: invalid_client: AADSTS7000215: …".
std::string refusal_text(int status, std::string_view body);

}  // namespace photofinish::gateway
