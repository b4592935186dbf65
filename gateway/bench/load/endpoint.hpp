// Who is measured: the URL and the key, with what is known of providers there. [pure]
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

// What no error may repeat: the key, and the values of added headers.
std::vector<proxy::secret> secrets_of(const endpoint& to);

// The URL with or without /v1, or the whole path of chat completions, is meant; a known provider's URL brings its
// name for the key's variable and its ways with parameters. Else what is wrong, for a person.
// The key is `api_key`, else the known provider's variable, else, on loopback only, OPENAI_API_KEY: no stranger is
// sent a key that was not meant for it.
std::variant<endpoint, std::string> find_endpoint(const std::string& url, const std::string& api_key,
                                                  const environment& machine);

}  // namespace photofinish::gateway::bench
