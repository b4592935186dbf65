#include "gateway/routes.hpp"

#include "proxy/foreign_text.hpp"

#include <array>

namespace photofinish::gateway {
namespace {

struct served {
  std::string_view method;
  std::string_view path;
  endpoint to;
  bool is_admin;
};

constexpr std::array<served, 7> all_served{{{"POST", "/chat/completions", endpoint::chat_completions, false},
                                            {"GET", "/models", endpoint::models, false},
                                            {"GET", "/providers/stats", endpoint::provider_stats, false},
                                            {"GET", "/metrics", endpoint::metrics, true},
                                            {"GET", "/livez", endpoint::live, true},
                                            {"GET", "/healthz", endpoint::live, true},
                                            {"GET", "/readyz", endpoint::ready, true}}};

constexpr std::size_t shown_bytes = 200;  // of a path in an error

std::string shown(std::string_view path) { return proxy::clean_text(path, shown_bytes); }

constexpr std::string_view model_prefix = "/models/";

bool is_served(bool is_admin_path, listener_role role) {
  return role == listener_role::everything || (role == listener_role::admin) == is_admin_path;
}

bool fits(std::string_view method, std::string_view wanted) {
  return method == wanted || (method == "HEAD" && wanted == "GET");
}

api_error wrong_method(std::string_view path, std::string_view wanted) {
  api_error error = bad_request(shown(path) + " takes " + std::string(wanted), {}, "method_not_allowed");
  error.status = 405;
  error.allow = wanted == "GET" ? "GET, HEAD" : std::string(wanted);
  return error;
}

api_error not_served(std::string_view path, listener_role role) {
  std::string message = "there is no " + shown(path) + " here; served are";
  const char* separator = " ";
  for (const served& each : all_served)
    if (is_served(each.is_admin, role)) {
      const std::string_view prefix = each.is_admin ? "" : "/v1";
      message.append(separator).append(each.method).append(" ").append(prefix).append(each.path);
      separator = ", ";
    }
  if (is_served(false, role)) message += ", GET /v1/models/{id}";
  api_error error = bad_request(std::move(message), {}, "unsupported_endpoint");
  error.status = 404;
  return error;
}

std::optional<int> hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return std::nullopt;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && at + 2 < text.size()) {
      const auto high = hex_digit(text[at + 1]), low = hex_digit(text[at + 2]);
      if (high && low) {
        out.push_back(static_cast<char>(*high * 16 + *low));
        at += 2;
        continue;
      }
    }
    out.push_back(text[at]);
  }
  return out;
}

std::string_view without_version(std::string_view path) {
  while (path.starts_with("/v1/")) path.remove_prefix(3);
  return path;
}

bool names_a_model(std::string_view bare) {
  return bare.starts_with(model_prefix) && bare.size() > model_prefix.size();
}

}  // namespace

std::optional<endpoint> endpoint_of(std::string_view path) {
  const std::string_view bare = without_version(path);
  for (const served& each : all_served)
    if (bare == each.path) return each.to;
  return names_a_model(bare) ? std::optional(endpoint::model) : std::nullopt;
}

std::variant<routed_request, api_error> route_request(std::string_view method, std::string_view path,
                                                      listener_role role) {
  const std::string_view bare = without_version(path);
  for (const served& each : all_served) {
    if (bare != each.path || !is_served(each.is_admin, role)) continue;
    if (!fits(method, each.method)) return wrong_method(path, each.method);
    return routed_request{each.to, {}};
  }
  if (names_a_model(bare) && is_served(false, role)) {
    if (!fits(method, "GET")) return wrong_method(path, "GET");
    return routed_request{endpoint::model, percent_decode(bare.substr(model_prefix.size()))};
  }
  return not_served(path, role);
}

}  // namespace photofinish::gateway
