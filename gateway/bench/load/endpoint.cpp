#include "gateway/bench/load/endpoint.hpp"

#include "proxy/failures/redactor.hpp"
#include "proxy/providers/presets.hpp"
#include "proxy/providers/url.hpp"

#include <string_view>

namespace photofinish::gateway::bench {
namespace {

constexpr std::string_view chat_path = "/chat/completions";

bool cut_end(std::string& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.resize(text.size() - end.size());
  return true;
}

// Reads the URL of an endpoint. Accepts localhost:8000 as a short form of http://localhost:8000.
proxy::base_url_result read_url(std::string text) {
  if (text.find("://") == std::string::npos) {
    const std::string host = text.substr(0, text.find_first_of(":/"));
    text.insert(0, proxy::is_loopback(host) ? "http://" : "https://");
  }
  while (cut_end(text, "/")) {
  }
  cut_end(text, chat_path);
  return proxy::parse_base_url(text);
}

// Returns the preset for the provider's OpenAI-compatible chat API, because the bench measures this API.
const proxy::preset* preset_at(const proxy::base_url& url) {
  for (const auto& [name, known] : proxy::presets()) {
    const bool is_remote = known.needs.empty() && !proxy::is_loopback(known.defaults.url.host);
    if (is_remote && known.defaults.url.host == url.host && known.defaults.url.port == url.port)
      return known.compatible.empty() ? &known : &known.compatible.front();
  }
  return nullptr;
}

void find_key(endpoint& found, const proxy::preset* known, const std::string& given, const environment& machine) {
  const auto take = [&](std::string value, std::string origin) {
    found.key = proxy::secret(std::move(value));
    found.key_origin = std::move(origin);
  };
  if (!given.empty()) return take(given, "--api-key");
  if (known) {
    for (const std::string& variable : known->key_variables)
      if (auto value = machine.variable(variable)) return take(std::move(*value), variable);
  } else if (proxy::is_loopback(found.provider.url.host)) {
    if (auto value = machine.variable("OPENAI_API_KEY")) take(std::move(*value), "OPENAI_API_KEY");
  }
}

}  // namespace

std::vector<proxy::secret> secrets_of(const endpoint& to) {
  std::vector<proxy::secret> secrets{to.key};
  for (const auto& [name, value] : to.provider.headers) proxy::add_header_secrets(value, secrets);
  return secrets;
}

std::variant<endpoint, std::string> find_endpoint(const std::string& url, const std::string& api_key,
                                                  const environment& machine) {
  const auto read = read_url(url);
  if (!read.url) return "the URL " + read.problem;
  const proxy::preset* known = preset_at(*read.url);
  endpoint found;
  if (known) found.provider = known->defaults;
  found.provider.url = *read.url;
  if (found.provider.url.path.empty()) found.provider.url.path = known ? known->defaults.url.path : "/v1";
  if (!known) found.provider.name = read.url->host;
  if (known && !known->key_variables.empty()) found.provider.key.variable = known->key_variables.front();
  // Uses a high connection limit, so that no request waits for a free connection. The bench opens no spare connections;
  // it opens a connection only if a request needs one.
  found.provider.limits.max_connections = 65'536;
  found.provider.limits.max_spares = 0;
  find_key(found, known, api_key, machine);
  return found;
}

}  // namespace photofinish::gateway::bench
