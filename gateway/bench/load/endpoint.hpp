// The measured endpoint: its URL and key, and what is known about its provider. [pure]
#pragma once

#include "gateway/process/environment.hpp"
#include "proxy/providers/provider.hpp"

#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {

struct endpoint {
  proxy::provider provider;
  proxy::secret key;       // empty: no credentials are sent
  std::string key_origin;  // "--api-key", "GROQ_API_KEY"; empty without a key
};

// The secrets that no error message may repeat: the key, and the values of added headers.
std::vector<proxy::secret> secrets_of(const endpoint& to);

// Accepts the URL with or without /v1, or the whole path of chat completions. The URL of a known provider selects its
// key variable and its parameter rules. Returns an error text for people if the URL is not valid.
// The key is `api_key`, otherwise the known provider's variable, otherwise OPENAI_API_KEY, but that one only for a
// loopback URL. So no foreign server gets a key that is not meant for it.
std::variant<endpoint, std::string> find_endpoint(const std::string& url, const std::string& api_key,
                                                  const environment& machine);

}  // namespace photofinish::gateway::bench
