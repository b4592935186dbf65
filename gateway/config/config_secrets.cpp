#include "gateway/config/config_secrets.hpp"

#include "gateway/config/webhook_url.hpp"
#include "gateway/store/redis_url.hpp"
#include "proxy/aws/aws_credentials.hpp"
#include "proxy/providers/presets.hpp"
#include "proxy/words/contains.hpp"

#include <utility>

namespace photofinish::gateway {
namespace {

bool is_public(const proxy::provider& provider, const std::pair<std::string, std::string>& header) {
  const auto known = proxy::presets().find(provider.preset);
  if (known == proxy::presets().end()) return false;
  const auto& headers = known->second.defaults.headers;
  return proxy::contains(headers, header);
}

// Adds two secrets: the webhook's whole URL, and its path alone, because webhook services put their secrets into the
// path.
void add_webhook(const proxy::secret& webhook, std::vector<proxy::secret>& to) {
  to.push_back(webhook);
  const webhook_url_result read = parse_webhook_url(webhook.reveal());
  if (read.url && read.url->path != "/") to.emplace_back(read.url->path);
}

// Adds two secrets: the store's whole URL, and the password in the URL.
void add_store(const proxy::secret& url, std::vector<proxy::secret>& to) {
  to.push_back(url);
  if (auto read = parse_redis_url(url.reveal()); read.place && !read.place->password.empty())
    to.push_back(std::move(read.place->password));
}

// Adds two secrets: a proxy's credentials in the form in which a header contains them, and the password alone.
void add_credentials(const proxy::secret& credentials, std::vector<proxy::secret>& to) {
  if (!credentials.empty()) proxy::add_header_secrets("Basic " + credentials.reveal(), to);
}

}  // namespace

std::vector<proxy::secret> secrets_of(const config& settings) {
  std::vector<proxy::secret> secrets;
  for (const auto& [name, provider] : settings.providers) {
    for (proxy::secret& each : proxy::secrets_in(provider.key.value)) secrets.push_back(std::move(each));
    if (provider.key.credentials)
      for (const proxy::credential_step& step : provider.key.credentials->steps) secrets.push_back(step.own);
    if (provider.via) add_credentials(provider.via->credentials, secrets);
    for (const auto& header : provider.headers)
      if (!is_public(provider, header)) proxy::add_header_secrets(header.second, secrets);
  }
  for (const access_key& each : settings.access.keys) secrets.push_back(each.key);
  for (const proxy::secret& each : settings.access.sealed_keys.secrets) secrets.push_back(each);
  if (!settings.access.id_secret.empty()) secrets.push_back(settings.access.id_secret);
  for (const auto& [name, value] : settings.tracing.headers) proxy::add_header_secrets(value.reveal(), secrets);
  for (const guardrail_settings& each : settings.guardrails) {
    if (each.service.via) add_credentials(each.service.via->credentials, secrets);
    for (const auto& [name, value] : each.headers) proxy::add_header_secrets(value.reveal(), secrets);
  }
  if (!settings.alerts.webhook.empty()) add_webhook(settings.alerts.webhook, secrets);
  if (!settings.store.url.empty()) add_store(settings.store.url, secrets);
  if (settings.store.sentinel && !settings.store.sentinel->password.empty())
    secrets.push_back(settings.store.sentinel->password);
  return secrets;
}

std::shared_ptr<const proxy::redactor> redactor_book::of(const std::shared_ptr<const config>& settings) {
  if (settings_ != settings) {
    settings_ = settings;
    made_ = std::make_shared<const proxy::redactor>(secrets_of(*settings));
  }
  return made_;
}

}  // namespace photofinish::gateway
