// Reads the answers of token endpoints and metadata servers. [pure]
#pragma once

#include "gateway/credentials/obtained.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Reads an OAuth answer with access_token and expires_in, which may be a number or a text. Also reads the answer of
// Google's impersonation, with accessToken and expireTime.
obtaining read_token(std::string_view body, std::chrono::sys_seconds now);

// Reads the answer of an AWS container or instance, with AccessKeyId, SecretAccessKey, Token and Expiration.
obtaining read_aws_keys(std::string_view body, std::chrono::sys_seconds now);

// Returns the reason for a refusal as one line, such as "401: invalid_client: AADSTS7000215: …".
std::string refusal_text(int status, std::string_view body);

}  // namespace photofinish::gateway
