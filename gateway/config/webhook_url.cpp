#include "gateway/config/webhook_url.hpp"

#include "proxy/providers/url.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

bool is_sendable(std::string_view path) {
  const auto is_fine = [](char letter) { return letter > 0x20 && letter < 0x7F && letter != '#'; };
  return std::all_of(path.begin(), path.end(), is_fine);
}

}  // namespace

webhook_url_result parse_webhook_url(std::string_view text) {
  const std::size_t scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos) return {std::nullopt, "must be a URL like https://host/path"};
  const std::size_t authority_end = std::min(text.find_first_of("/?", scheme_end + 3), text.size());
  const std::string_view path = text.substr(authority_end);
  const auto origin = proxy::parse_base_url(text.substr(0, authority_end));
  if (!origin.url) return {std::nullopt, "must be a URL like https://host/path, without user and fragment"};
  if (!is_sendable(path)) return {std::nullopt, "must not contain a fragment, a space or a control character"};
  webhook_url made{.origin = *origin.url, .path = std::string(path)};
  if (!path.starts_with('/')) made.path.insert(0, "/");
  return {std::move(made), {}};
}

}  // namespace photofinish::gateway
