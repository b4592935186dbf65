// Reads the answers of token endpoints and metadata servers. [pure]
#pragma once

#include "gateway/credentials/obtained.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Reads an OAuth answer: access_token, with expires_in as a number or as text. Also reads the answer of Google's
// impersonation: accessToken and expireTime.
obtaining read_token(std::string_view body, std::chrono::sys_seconds now);

// Reads the answer of an AWS container or instance: AccessKeyId, SecretAccessKey, Token, Expiration.
obtaining read_aws_keys(std::string_view body, std::chrono::sys_seconds now);

// Returns the reason in a refusal as one line, such as "401: invalid_client: AADSTS7000215: …".
std::string refusal_text(int status, std::string_view body);

}  // namespace photofinish::gateway
