// Base64 (RFC 4648) in two alphabets: the standard alphabet, which HTTP credentials use, and the alphabet for URLs.
// [pure]
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

enum class base64_padding { wanted, unwanted };

std::string base64_encoded(std::string_view text, base64_padding padding);

// Decodes base64 in the standard alphabet and appends the result to `out`. If the text is not valid, returns false and
// appends nothing.
bool append_base64_decoded(std::string_view text, std::string& out);

// Decodes base64. Returns an empty string if the text is not valid base64.
std::string base64_decoded(std::string_view text);

// Encodes bytes as base64 for URLs, with '-' and '_' and without padding.
std::string base64url_encoded(std::string_view text);
// Decodes base64 for URLs. Accepts only texts that base64url_encoded() can have written, so that each value has a
// single valid encoding. Returns an empty string for all other texts.
std::string base64url_decoded(std::string_view text);

}  // namespace photofinish::proxy
