#include "gateway/http/header_names.hpp"

#include "proxy/http/http_head.hpp"
#include "proxy/words/contains.hpp"

#include <algorithm>
#include <array>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 16> reserved{
    "host", "content-length", "content-type", "content-encoding", "transfer-encoding", "connection", "te",
    "trailer", "upgrade", "keep-alive", "expect", "accept", "http2-settings", "accept-encoding",
    "proxy-connection", "proxy-authenticate"};

constexpr std::array<std::string_view, 8> credentials{"authorization",  "proxy-authorization", "cookie",
                                                      "set-cookie",     "x-api-key",           "api-key",
                                                      "x-goog-api-key", "x-photofinish-key"};

bool is_token_letter(char letter) {
  const bool is_alphanumeric = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                               (letter >= '0' && letter <= '9');
  return is_alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(letter) != std::string_view::npos;
}

bool is_value_letter(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return letter == '\t' || (code >= 0x20 && code != 0x7F);
}

}  // namespace

std::string lower_case(std::string_view name) { return proxy::lower_case(name); }

bool is_header_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_token_letter);
}

bool is_header_value(std::string_view value) {
  const bool is_padded =
      value.starts_with(' ') || value.starts_with('\t') || value.ends_with(' ') || value.ends_with('\t');
  return !is_padded && std::all_of(value.begin(), value.end(), is_value_letter);
}

bool is_sendable_key(std::string_view key) {
  return is_header_value(key) && key.find_first_of(" \t") == std::string_view::npos;
}

bool is_reserved_header(std::string_view name) { return proxy::contains(reserved, name); }

bool is_credential_header(std::string_view name) {
  return proxy::contains(credentials, name) || name.starts_with("x-provider-key-");
}

}  // namespace photofinish::gateway
