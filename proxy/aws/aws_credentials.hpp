// AWS's static credentials as one key: ACCESS_KEY_ID:SECRET, or ACCESS_KEY_ID:SECRET:SESSION_TOKEN if the credentials
// expire. None of the parts contains a colon. The credentials are a single string, so configurations, request headers
// and races handle them like any other key. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct aws_credentials {
  std::string access_key_id;  // the id is not a secret, because AWS itself displays it
  secret secret_key;
  secret session_token;  // the token is empty if the credentials do not expire
};

// Returns nullopt if the key does not have the form of AWS credentials.
std::optional<aws_credentials> read_aws_credentials(const secret& key);

secret one_key_of(const aws_credentials& credentials);

// Returns the whole key, and also the secret parts of AWS credentials, because an error text may contain just one part.
std::vector<secret> secrets_in(const secret& key);

// Returns the region in the name of an AWS host such as "bedrock-runtime.eu-west-1.amazonaws.com", or an empty view.
std::string_view aws_region_of(std::string_view host);

// Returns the name of the AWS service to use in signatures of requests to the given host.
std::string_view aws_service_of(std::string_view host);

}  // namespace photofinish::proxy
