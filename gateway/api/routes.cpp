#include "gateway/api/routes.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/words/ascii.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

enum class listeners { api, admin, both };

constexpr std::string_view count_tokens_path = "/messages/count_tokens";

struct served {
  std::string_view method;
  std::string_view path;
  endpoint to;
  listeners where;
};

// The requests that listeners serve in addition to the APIs. Many clients of model servers first send a request to
// /health, so every listener serves this path. As in vLLM, the answer shows whether the server accepts requests.
constexpr auto all_served =
    std::to_array<served>({{"POST", count_tokens_path, endpoint::count_tokens, listeners::api},
                           {"GET", "/models", endpoint::models, listeners::api},
                           {"GET", "/providers/stats", endpoint::provider_stats, listeners::both},
                           {"GET", "/advice", endpoint::advice, listeners::both},
                           {"GET", "/usage", endpoint::usage, listeners::api},
                           {"GET", "/races", endpoint::races, listeners::both},
                           {"GET", "/feed", endpoint::feed, listeners::both},
                           {"GET", "/metrics", endpoint::metrics, listeners::admin},
                           {"GET", "/livez", endpoint::live, listeners::admin},
                           {"GET", "/healthz", endpoint::live, listeners::admin},
                           {"GET", "/readyz", endpoint::ready, listeners::admin},
                           {"GET", "/health", endpoint::ready, listeners::both},
                           {"GET", "/", endpoint::root, listeners::both}});

// True if the list of served requests shows this path with the prefix /v1 in front of it.
bool is_versioned(const served& each) {
  return each.where == listeners::api || each.to == endpoint::provider_stats || each.to == endpoint::races ||
         each.to == endpoint::feed || each.to == endpoint::advice;
}

std::string shown(std::string_view path) { return proxy::clean_text(path, most_shown); }

constexpr std::string_view model_prefix = "/models/";
constexpr std::string_view response_prefix = "/responses/";
constexpr std::string_view race_prefix = "/races/";
constexpr std::string_view azure_prefix = "/openai";
constexpr std::string_view deployment_prefix = "/openai/deployments/";

bool is_served(listeners where, listener_role role) {
  if (role == listener_role::everything || where == listeners::both) return true;
  return (role == listener_role::admin) == (where == listeners::admin);
}

bool fits(std::string_view method, std::string_view wanted) {
  return method == wanted || (method == "HEAD" && wanted == "GET");
}

api_error wrong_method(std::string_view path, std::string_view wanted) {
  return {.status = 405, .message = shown(path) + " must be called with " + std::string(wanted),
          .code = "method_not_allowed", .allow = wanted == "GET" ? "GET, HEAD" : std::string(wanted)};
}

api_error not_offered(std::string message) {
  return {.status = 404, .message = std::move(message), .code = "unsupported_endpoint"};
}

struct foreign_api {
  std::string_view path;  // the entry applies to this path and to all paths below it
  std::string_view things;
};

// APIs of OpenAI and Anthropic that this gateway does not offer.
constexpr auto foreign_apis =
    std::to_array<foreign_api>({{"/files", "files"},
                                {"/uploads", "uploads"},
                                {"/batches", "batches"},
                                {"/messages/batches", "batches"},
                                {"/fine_tuning", "fine-tuning jobs"},
                                {"/vector_stores", "vector stores"},
                                {"/assistants", "assistants"},
                                {"/threads", "threads"},
                                {"/conversations", "conversations"},
                                {"/containers", "containers"},
                                {"/evals", "evals"},
                                {"/videos", "videos"},
                                {"/realtime", "realtime sessions"},
                                {"/chatkit", "ChatKit sessions"},
                                {"/skills", "skills"},
                                {"/organization", "organization pages"}});

const foreign_api* foreign_api_at(std::string_view bare) {
  for (const foreign_api& each : foreign_apis)
    if (bare.starts_with(each.path) && (bare.size() == each.path.size() || bare[each.path.size()] == '/')) return &each;
  return nullptr;
}

// True for a path of Google's API. Clients of this API put a verb after the model:
// /v1beta/models/gemini-3.8-flash:generateContent.
bool is_googles(std::string_view bare) {
  constexpr std::array<std::string_view, 6> verbs{":generateContent", ":streamGenerateContent", ":countTokens",
                                                  ":embedContent",    ":batchEmbedContents",    ":predict"};
  if (bare.starts_with("/v1beta/") || bare.starts_with("/v1beta1/")) return true;
  return std::any_of(verbs.begin(), verbs.end(), [bare](std::string_view each) { return bare.ends_with(each); });
}

api_error not_googles() {
  return not_offered("Gemini's own API is not offered here: call POST /v1/chat/completions, /v1/responses or "
                     "/v1/messages, and name a route or provider/model as 'model'");
}

api_error not_served(std::string_view path, listener_role role, std::span<const api* const> apis) {
  std::string message = "unknown endpoint " + shown(path) + "; this address serves";
  const char* separator = " ";
  for (const std::string& each : served_requests(role, apis)) message += std::exchange(separator, ", ") + each;
  return not_offered(std::move(message));
}

// True for a path that begins with /openai. Azure's clients send such paths even if they name no deployment.
bool is_azures(std::string_view path) {
  return path.starts_with(azure_prefix) && path.substr(azure_prefix.size()).starts_with('/') &&
         !path.starts_with(deployment_prefix);
}

// Removes the extra slash if there are two slashes before or after /v1. Clients send two slashes if their base URL ends
// with a slash.
std::string_view without_doubled_slash(std::string_view path) {
  while (path.starts_with("//")) path.remove_prefix(1);
  return path;
}

std::string_view bare_path(std::string_view path) {
  path = without_doubled_slash(path);
  if (is_azures(path)) path = without_doubled_slash(path.substr(azure_prefix.size()));
  while (path.starts_with("/v1/")) path = without_doubled_slash(path.substr(3));
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/v2/rerank") return "/rerank";  // Cohere's newer client uses the path /v2/rerank for the rerank API
  return path == "/v1" ? "/" : path;
}

struct called_api {
  const api* its = nullptr;
  std::string_view model = {};  // the percent-encoded model in the path
};

// Splits Azure's path into deployment and API. A deployment's name may contain slashes. Therefore the API is the
// longest known path at the end.
called_api find_deployment(std::string_view behind_prefix, std::span<const api* const> apis) {
  called_api found;
  for (const api* each : apis) {
    const bool is_it = behind_prefix.ends_with(each->path()) && behind_prefix.size() > each->path().size();
    if (is_it && (found.its == nullptr || each->path().size() > found.its->path().size())) found.its = each;
  }
  if (found.its != nullptr) found.model = behind_prefix.substr(0, behind_prefix.size() - found.its->path().size());
  return found;
}

called_api find_api(std::string_view bare, std::span<const api* const> apis) {
  for (const api* each : apis)
    if (each->path() == bare) return {each};
  if (!bare.starts_with(deployment_prefix)) return {};
  return find_deployment(bare.substr(deployment_prefix.size()), apis);
}

bool lists(std::span<const proxy::header_field> fields, std::string_view name, std::string_view wanted) {
  for (const auto& [field, value] : fields) {
    if (!proxy::equals_ignoring_case(field, name)) continue;
    std::string_view rest = value;
    for (std::string_view member; proxy::next_list_member(rest, member);)
      if (proxy::equals_ignoring_case(member, wanted)) return true;
  }
  return false;
}

struct response_path {
  std::string_view behind;  // the part of the path after the response's id
  std::string_view method;
  stored_response_action action;
};
constexpr std::array<response_path, 4> response_paths{{{"/cancel", "POST", stored_response_action::cancel},
                                                       {"/input_items", "GET", stored_response_action::input_items},
                                                       {"", "GET", stored_response_action::read},
                                                       {"", "DELETE", stored_response_action::remove}}};

bool names_a_response(std::string_view bare) {
  return bare.starts_with(response_prefix) && bare.size() > response_prefix.size();
}

// Finds the action for /responses/{id} and the paths below it.
std::variant<routed_request, api_error> route_kept(std::string_view method, std::string_view path,
                                                   std::string_view bare) {
  const std::string_view rest = bare.substr(response_prefix.size());
  std::string allowed;
  for (const response_path& each : response_paths) {
    if (!rest.ends_with(each.behind) || rest.size() == each.behind.size()) continue;
    allowed.append(allowed.empty() ? "" : ", ").append(each.method);
    if (method == each.method)
      return routed_request{.to = endpoint::stored_response,
                            .id = proxy::percent_decoded(rest.substr(0, rest.size() - each.behind.size())),
                            .action = each.action};
    if (!each.behind.empty()) break;
  }
  api_error error = wrong_method(path, allowed);
  error.allow = allowed;
  return error;
}

bool names_a_model(std::string_view bare) {
  return bare.starts_with(model_prefix) && bare.size() > model_prefix.size();
}

}  // namespace

std::vector<std::string> served_requests(listener_role role, std::span<const api* const> apis) {
  std::vector<std::string> requests;
  if (is_served(listeners::api, role))
    for (const api* each : apis) requests.push_back("POST /v1" + std::string(each->path()));
  if (is_served(listeners::api, role))
    requests.insert(requests.end(), {"GET /v1/responses/{id}", "DELETE /v1/responses/{id}",
                                     "POST /v1/responses/{id}/cancel", "GET /v1/responses/{id}/input_items"});
  for (const served& each : all_served) {
    if (!is_served(each.where, role)) continue;
    requests.push_back(std::string(each.method) + (is_versioned(each) ? " /v1" : " ") + std::string(each.path));
    if (each.to == endpoint::models) requests.push_back("GET /v1/models/{id}");
    if (each.to == endpoint::races) requests.push_back("GET /v1/races/{id}");
  }
  return requests;
}

const api* api_at(std::string_view path, std::span<const api* const> apis) {
  return find_api(bare_path(path), apis).its;
}

metrics::endpoint label_of(std::string_view path, std::span<const api* const> apis) {
  const std::string_view bare = bare_path(path);
  if (const api* called = find_api(bare, apis).its) return called->label();
  if (bare == count_tokens_path) return metrics::endpoint::count_tokens;
  if (names_a_response(bare)) return metrics::endpoint::responses;
  return bare == "/models" || names_a_model(bare) ? metrics::endpoint::models : metrics::endpoint::other;
}

std::optional<api_error> refuse_websocket(std::string_view method, std::string_view path,
                                          std::span<const proxy::header_field> fields,
                                          std::span<const api* const> apis) {
  if (method != "GET") return std::nullopt;
  const foreign_api* const foreign = foreign_api_at(bare_path(path));
  const bool is_realtime = foreign != nullptr && foreign->path == "/realtime";
  if (!is_realtime && api_at(path, apis) == nullptr) return std::nullopt;
  const bool is_upgrade = lists(fields, "connection", "upgrade") && lists(fields, "upgrade", "websocket");
  // Detects a WebSocket handshake whose header `upgrade` is missing. A proxy may have removed this header, as nginx
  // does.
  const bool is_stripped = !is_upgrade && proxy::count_fields(fields, "sec-websocket-key") > 0;
  if (!is_upgrade && !is_stripped) return std::nullopt;
  std::string message = shown(path) + " is not served over a WebSocket: call it with POST";
  if (is_stripped) message += " (a proxy removed the upgrade header of this request)";
  if (is_realtime) message = "realtime sessions are not available here, and no API is served over a WebSocket";
  return api_error{.status = 426, .message = std::move(message), .code = "websocket_not_supported",
                   .upgrade = "HTTP/1.1"};
}

std::variant<routed_request, api_error> route_request(std::string_view method, std::string_view path,
                                                      listener_role role, std::span<const api* const> apis) {
  const std::string_view bare = bare_path(path);
  const called_api called = is_served(listeners::api, role) ? find_api(bare, apis) : called_api{};
  if (called.its != nullptr) {
    if (!fits(method, "POST")) return wrong_method(path, "POST");
    return routed_request{endpoint::answer, proxy::percent_decoded(called.model), called.its};
  }
  if (is_googles(bare) && is_served(listeners::api, role)) return not_googles();
  for (const served& each : all_served) {
    if (bare != each.path || !is_served(each.where, role)) continue;
    if (!fits(method, each.method)) return wrong_method(path, each.method);
    return routed_request{each.to, {}};
  }
  if (names_a_model(bare) && is_served(listeners::api, role)) {
    if (!fits(method, "GET")) return wrong_method(path, "GET");
    return routed_request{endpoint::model, proxy::percent_decoded(bare.substr(model_prefix.size()))};
  }
  if (bare.starts_with(race_prefix) && bare.size() > race_prefix.size()) {
    if (!fits(method, "GET")) return wrong_method(path, "GET");
    return routed_request{.to = endpoint::race, .id = proxy::percent_decoded(bare.substr(race_prefix.size()))};
  }
  if (names_a_response(bare) && is_served(listeners::api, role)) return route_kept(method, path, bare);
  const foreign_api* const foreign = is_served(listeners::api, role) ? foreign_api_at(bare) : nullptr;
  if (foreign != nullptr)
    return not_offered(std::string(foreign->things) + " are not offered here; GET / lists the endpoints");
  return not_served(path, role, apis);
}

}  // namespace photofinish::gateway
