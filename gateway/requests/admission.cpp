#include "gateway/requests/admission.hpp"

#include "gateway/access/sealed_caller.hpp"
#include "gateway/page/page_rules.hpp"

#include <chrono>

namespace photofinish::gateway {
namespace {

constexpr const char* metrics_advice =
    " (Prometheus: `authorization: {credentials_file: FILE}`). The setting `admin` gives /metrics its own address; "
    "`open_metrics: true` opens /metrics to all clients";

bool asks_for_key(const client_call& call, callers allowed) {
  if (allowed == callers::anyone) return false;
  if (allowed == callers::key_holders) return true;
  const bool is_open = allowed == callers::metrics_readers && call.settings->views.open_metrics;
  return call.listener.role != listener_role::admin && !is_open;
}

// Identifies the caller by a sealed key or a token. Returns nothing if the request has neither. Does not read the time
// unless sealed keys or tokens are configured.
std::optional<std::variant<caller, refusal>> identify_by_token(const client_call& call, presented_keys& presented) {
  const config& settings = *call.settings;
  if (settings.access.sealed_keys.secrets.empty() && settings.access.jwt.empty()) return std::nullopt;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (auto sealed = identify_sealed(presented, settings, now)) return sealed;
  return call.worker.tokens.identify(presented, call.settings, call.worker.alarms.now(), now);
}

}  // namespace

std::variant<admission, api_error> admit(const client_call& call, std::span<const proxy::header_field> fields,
                                        callers allowed) {
  if (!asks_for_key(call, allowed)) return admission{};
  const config& settings = *call.settings;
  auto keys = read_keys(fields, settings);
  if (auto* refused = std::get_if<refusal>(&keys)) return to_api_error(*refused);
  auto& presented = std::get<presented_keys>(keys);
  auto by_token = identify_by_token(call, presented);
  auto who = by_token ? *std::move(by_token) : identify(presented, settings, call.client.certificate_names());
  if (auto* refused = std::get_if<refusal>(&who)) {
    if (allowed == callers::metrics_readers) refused->message += metrics_advice;
    return to_api_error(*refused);
  }
  const bool is_for_admins = allowed == callers::metrics_readers && settings.views.metrics_for_admins;
  if (is_for_admins && !sees_all(settings, std::get<caller>(who), call.listener.role)) return admin_key_required();
  return admission{std::get<presented_keys>(std::move(keys)), std::get<caller>(std::move(who))};
}

}  // namespace photofinish::gateway
