// Finds the target that has a stored response, and builds the request to this target.
#include "gateway/access/caller_digest.hpp"
#include "gateway/api/model_name.hpp"
#include "gateway/api/responses/item_references.hpp"
#include "gateway/attempts/credential_upstream.hpp"
#include "gateway/attempts/forwarded_headers.hpp"
#include "gateway/requests/stored_responses.hpp"
#include "proxy/dialects/provider_head.hpp"
#include "proxy/providers/service_tiers.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace photofinish::gateway {
namespace {

// Returns true if the caller may use the target, through one of its routes or directly. The same rule applies if a
// request names the target as its model.
bool may_reach(const stored_response_query& asked, const target_name& target, const chosen_key& key) {
  const auto is_it = [&target](const target_name& each) { return each == target; };
  for (const auto& [name, route] : asked.settings->routes)
    if (may_use_route(asked.who, name) && names_target(route, is_it)) return true;
  if (!may_use_targets_directly(asked.who)) return false;
  return key.source != key_source::configured || may_call_directly(*asked.settings, target);
}

// Encodes the id of a response for a URL path, because a provider's id may contain characters that are not allowed
// there.
std::string percent_encoded(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~";
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (plain.find(each) != std::string_view::npos) out.push_back(each);
    else out.append({'%', hex[byte >> 4], hex[byte & 15]});
  }
  return out;
}

// Returns the URL path of a stored response. Azure's older APIs require an API version in the query of the URL.
// Therefore the path includes the query of `chat_path`.
std::string path_of(const stored_response_query& asked, const stored_response_target& at) {
  std::string path = "/responses/" + percent_encoded(at.id);
  if (asked.action == stored_response_action::cancel) path += "/cancel";
  if (asked.action == stored_response_action::input_items) path += "/input_items";
  const std::string& chat_path = at.provider->chat_path;
  const std::size_t own = chat_path.find('?');
  if (own != std::string::npos) path.append(chat_path, own);
  const std::string_view query = asked.request.query;
  if (!query.empty()) path.append(own == std::string::npos ? "?" : "&").append(query);
  return path;
}

std::string_view method_of(stored_response_action action) {
  if (action == stored_response_action::remove) return "DELETE";
  return action == stored_response_action::cancel ? "POST" : "GET";
}

}  // namespace

bool asks_for_stream(const stored_response_query& asked) {
  if (asked.action != stored_response_action::read) return false;
  const std::string_view query = asked.request.query;
  for (std::size_t at = 0; at < query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    if (query.substr(at, end - at) == "stream=true") return true;
    at = end + 1;
  }
  return false;
}

std::variant<stored_response_target, api_error> find_stored_response(worker_context& worker,
                                                                     const stored_response_query& asked) {
  auto kept = ids_of(worker, *asked.settings).opened(asked.id, caller_digest(asked.who, asked.keys));
  if (!kept) return no_such_response(asked.id, {});
  const auto found = asked.settings->providers.find(kept->target.provider);
  if (found == asked.settings->providers.end() || !found->second.apis.contains(proxy::served_api::responses))
    return no_such_response(asked.id, {});
  const proxy::provider& provider = found->second;
  kept->target.tier = proxy::tier_in_name(provider, kept->target.model);
  const std::array targets{kept->target};
  chosen_key key = key_for(provider, asked.keys, *asked.settings, targets);
  if (key.source == key_source::none) return to_api_error(no_key_for(targets, *asked.settings));
  if (!may_reach(asked, kept->target, key)) return no_such_response(asked.id, {});
  if (key.source == key_source::configured && key.key.empty() && provider.key.credentials) {
    const auto held = worker.attempts.credentials.find(*provider.key.credentials);
    if (held) key.key = held->key;
    const attempt_failure missing{kept->target.text(), no_credentials(provider.name, held.get())};
    if (key.key.empty()) return explain_defeat(std::span(&missing, 1), racing::defeat::all_failed);
  }
  auto place = take_place(worker.attempts.flights.at_provider(provider.name),
                          provider.limits.max_running.value_or(SIZE_MAX));
  if (!place) return provider_busy("the maximum number of attempts (max_running) is already running at "
                                   "'" + provider.name + "'");
  return stored_response_target{&provider, std::move(kept->target), std::move(key), std::move(kept->id),
                                std::move(*place)};
}

proxy::request_head stored_response_head(const stored_response_query& asked, const stored_response_target& at,
                                         std::string_view accept) {
  const std::array<proxy::header_field, 2> fields{{{"content-type", "application/json"}, {"accept", accept}}};
  const auto forwarded = forwarded_headers(asked.request, *at.provider);
  proxy::request_head head =
      proxy::provider_head(*at.provider, at.key.key, path_of(asked, at), fields, forwarded);
  head.method = method_of(asked.action);
  return head;
}

answer_identity stored_response_identity(const worker_context& worker, const stored_response_query& asked,
                                         const stored_response_target& at) {
  answer_identity shown;
  shown.model = at.target.sent_model();
  shown.spoken = proxy::wire_format::openai_responses;
  shown.shown_id = [ids = ids_of(worker, *asked.settings), owner = caller_digest(asked.who, asked.keys),
                    target = at.target](std::string_view id) {
    return ids.sealed({target, std::string(id)}, owner);
  };
  return shown;
}

api_error explain_stored_response(worker_context& worker, const stored_response_query& asked,
                                  const stored_response_target& at, proxy::failure why) {
  worker.attempts.redactors.of(asked.settings)->redact(why);
  proxy::redact(why, std::span(&at.key.key, 1));
  const attempt_failure failed{at.target.text(), std::move(why), at.key.source == key_source::own};
  return explain_defeat(std::span(&failed, 1), racing::defeat::all_failed);
}

}  // namespace photofinish::gateway
