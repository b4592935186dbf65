#include "gateway/commands/doctor/findings.hpp"

#include "gateway/attempts/retryable_rejection.hpp"
#include "proxy/providers/presets.hpp"

#include <chrono>

namespace photofinish::gateway {
namespace {

using proxy::failure;
using proxy::failure_kind;
using proxy::provider;

std::string in_quotes(const std::string& text) { return "'" + text + "'"; }

std::string address_of(const provider& at) {
  const auto& url = at.url;
  return std::string(url.is_tls ? "https://" : "http://") + url.host + ":" + std::to_string(url.port) + url.path;
}

// Returns the cause with the provider's answer, such as "the key is refused (401): Incorrect API key provided".
std::string with_answer(std::string what, const failure& why) {
  if (why.status != 0) what += " (" + std::to_string(why.status) + ")";
  return why.detail.empty() ? what : what + ": " + why.detail;
}

diagnosis of_auth(const failure& why, const race_candidate& tried) {
  const std::string whose = key_label(tried);
  if (why.status == 403)
    return {with_answer("the key is not allowed to use this model", why),
            "allow the model for the account, project or region of " + whose + " at the provider"};
  return {with_answer("the key is refused", why),
          "compare " + whose + " with the provider's console: is the key complete, still valid, and from this "
                               "provider?"};
}

diagnosis of_rate_limit(const failure& why, const race_candidate& tried) {
  std::string advice = "the key works, but its rate limit is used up";
  if (why.retry_after) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*why.retry_after).count();
    advice += ": try again in " + std::to_string(seconds) + " s";
  }
  advice += ", or ask the provider for a higher limit";
  return {with_answer("too many requests or tokens", why),
          tried.key.key.empty() ? advice : advice + " of " + key_label(tried)};
}

diagnosis of_bad_request(const failure& why, const race_candidate& tried) {
  const provider& at = *tried.provider;
  if (why.status == 404 || why.status == 405)
    return {with_answer("there is no such model or path", why),
            "compare the model's name " + in_quotes(std::string(tried.target.sent_model())) +
                " with the provider's list, and base_url " + address_of(at) + " with the provider's documentation"};
  if (refuses_stream(why))
    return {with_answer("the target refuses to stream", why), "set stream: auto or stream: never for provider " +
                                                          in_quotes(at.name) + ": answers then come in one piece"};
  std::string advice = "if the model does not accept " + (why.param.empty() ? "a parameter" : in_quotes(why.param)) +
                       ", name it in drop_params or rename_params of provider " + in_quotes(at.name);
  return {with_answer("the request is refused", why), std::move(advice)};
}

diagnosis of_bad_stream(const failure& why, const race_candidate& tried) {
  const provider& at = *tried.provider;
  return {with_answer("the answer is incomplete in dialect " + at.dialect, why),
          "if this continues, check dialect and base_url of provider " + in_quotes(at.name) + ": is " + address_of(at) +
              " the API itself, with its /v1, and not a web page or another API?"};
}

diagnosis of_network(const failure& why, const race_candidate& tried) {
  const provider& at = *tried.provider;
  const std::string where = at.via ? " through the proxy " + at.via->host : "";
  switch (why.kind) {
    case failure_kind::dns:
      return {with_answer("the host name has no address", why),
              "look for a mistake in base_url of provider " + in_quotes(at.name) + ", then check this machine's DNS"};
    case failure_kind::connect:
      return {with_answer("no connection to " + at.url.host + ":" + std::to_string(at.url.port) + where, why),
              "check that the provider runs there and that no firewall blocks the connection; if a proxy is required, "
              "configure it with `proxy`"};
    default:
      return {with_answer("no TLS connection to " + at.url.host, why),
              "if the provider's certificate is from your own certificate authority, set ca_file for "
              "provider " + in_quotes(at.name) +
                  "; if the provider uses plain http, base_url must begin with http://"};
  }
}

}  // namespace

diagnosis explain(const failure& why, const race_candidate& tried) {
  if (why.origin == proxy::failure_origin::gateway && why.kind != failure_kind::tls) return {why.detail, ""};
  switch (why.kind) {
    case failure_kind::dns:
    case failure_kind::connect:
    case failure_kind::tls: return of_network(why, tried);
    case failure_kind::timeout:
    case failure_kind::stall:
      return {with_answer("the target sends nothing", why),
              "try again; if the target is still loading the model, raise --timeout"};
    case failure_kind::rate_limited: return of_rate_limit(why, tried);
    case failure_kind::quota:
      return {with_answer("credit or quota is used up", why),
              "add credit, or raise the spending limit, of the account of " + key_label(tried)};
    case failure_kind::auth: return of_auth(why, tried);
    case failure_kind::bad_request: return of_bad_request(why, tried);
    case failure_kind::server_error:
      return {with_answer("the provider has failed", why), "try again; then look at the provider's status page"};
    case failure_kind::bad_stream: return of_bad_stream(why, tried);
    // The gateway cancels a slow (crawling) answer only during a race, and the doctor runs no races.
    case failure_kind::crawl:
    case failure_kind::busy:
    case failure_kind::cancelled: return {why.detail, ""};
  }
  return {why.detail, ""};
}

diagnosis explain_no_key(const provider& at) {
  std::string advice = "set api_key for provider " + in_quotes(at.name);
  const auto known = proxy::presets().find(at.preset);
  if (known != proxy::presets().end() && !known->second.key_variables.empty())
    advice = "set " + known->second.key_variables.front() + ", or " + advice;
  return {"there is no key for this provider", std::move(advice)};
}

std::string key_label(const race_candidate& tried) {
  const provider& at = *tried.provider;
  if (tried.key.source == key_source::none) return "no key";
  if (tried.key.source == key_source::not_needed) return "none needed";
  if (tried.key.key.empty()) return "temporary credentials";
  if (!at.key.origin.empty()) return at.key.origin;
  if (!at.key.variable.empty()) return at.key.variable;
  return "api_key";
}

}  // namespace photofinish::gateway
