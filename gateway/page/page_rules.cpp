#include "gateway/page/page_rules.hpp"

#include "gateway/http/browser_rules.hpp"

#include <array>
#include <string_view>

namespace photofinish::gateway {
namespace {

// True if a proxy forwarded the request. In that case the client may be on another machine, although the connection is
// local.
bool is_forwarded(const client_request& request) {
  constexpr std::array<std::string_view, 5> marks{"x-forwarded-for", "forwarded", "via", "x-real-ip",
                                                  "x-forwarded-host"};
  for (const std::string_view name : marks)
    if (!request.field(name).empty()) return true;
  return false;
}

bool is_from_here(const client_request& request, const listen_address& at) {
  return is_loopback_host(at.host) && !check_host(request.host, at, {}) && !is_forwarded(request);
}

api_error refused(int status, std::string message, std::string code) {
  api_error error = bad_request(std::move(message), {}, std::move(code));
  error.status = status;
  if (status == 403) error.type = "permission_error";
  return error;
}

}  // namespace

bool serves_page(const config& settings, const client_request& request, const listen_address& at, listener_role role) {
  if (settings.views.page != page_setting::automatic) return settings.views.page == page_setting::on;
  return role == listener_role::admin || settings.asks_for_keys() || is_from_here(request, at);
}

bool wants_page(const client_request& request) {
  return request.field("accept").find("text/html") != std::string_view::npos;
}

bool sees_all(const config& settings, const caller& who, listener_role role) {
  return role == listener_role::admin || !settings.asks_for_keys() || (who.key != nullptr && who.key->is_admin);
}

std::optional<api_error> refuse_feed(const config& settings, const client_request& request, const caller& who,
                                     const listen_address& at, listener_role role) {
  if (!serves_page(settings, request, at, role))
    return refused(404, "the live page is not served here: see the setting `page`", "page_off");
  if (sees_all(settings, who, role)) return std::nullopt;
  return admin_key_required();
}

api_error admin_key_required() {
  return refused(403, "this access key may not see the requests of other callers: the operator can set admin: true for "
                      "the key",
                 "admin_key_required");
}

bool is_pages_own(const client_request& request) { return request.field("sec-fetch-site") == "same-origin"; }

}  // namespace photofinish::gateway
