// Base64 (RFC 4648), as HTTP writes credentials, and as URLs take it. [pure]
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

enum class base64_padding { wanted, unwanted };

std::string base64_encoded(std::string_view text, base64_padding padding);

// False when it is not base64 of its usual alphabet: then nothing is appended.
bool append_base64_decoded(std::string_view text, std::string& out);

// Empty when it is not.
std::string base64_decoded(std::string_view text);

// With '-' and '_', without padding.
std::string base64url_encoded(std::string_view text);
// Empty where it is not what base64url_encoded() gives: each value has one spelling.
std::string base64url_decoded(std::string_view text);

}  // namespace photofinish::proxy
