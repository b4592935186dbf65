// Describes the measured endpoint: its URL, its key, and the properties of its provider. [pure]
#pragma once

#include "gateway/process/environment.hpp"
#include "proxy/providers/provider.hpp"

#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {

struct endpoint {
  proxy::provider provider;
  proxy::secret key;       // the API key; if it is empty, the bench sends no credentials
  std::string key_origin;  // the source of the key, for example "--api-key" or "GROQ_API_KEY"; empty without a key
};

// Returns the secrets that no error message may repeat: the key, and the values of added headers.
std::vector<proxy::secret> secrets_of(const endpoint& to);

// Finds the endpoint for a URL. The URL may be given with or without /v1, or with the whole path of chat completions.
// If the URL belongs to a known provider, the provider's parameter rules apply. The key is the first of these that is
// set: `api_key`, the key variable of the known provider, OPENAI_API_KEY. The bench uses OPENAI_API_KEY only for a
// loopback URL, so that no foreign server gets the key. Returns an error text if the URL is not valid.
std::variant<endpoint, std::string> find_endpoint(const std::string& url, const std::string& api_key,
                                                  const environment& machine);

}  // namespace photofinish::gateway::bench
