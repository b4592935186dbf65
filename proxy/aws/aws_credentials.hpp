// AWS's static credentials as one key: ACCESS_KEY_ID:SECRET, or ACCESS_KEY_ID:SECRET:SESSION_TOKEN if they expire.
// [pure] One key can be passed wherever keys are passed: in a configuration, in a caller's headers, through a race.
// None of the parts contains a colon.
#pragma once

#include "proxy/failures/secret.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct aws_credentials {
  std::string access_key_id;  // not a secret, because AWS shows the id
  secret secret_key;
  secret session_token;  // empty if the credentials do not expire
};

// Returns nullopt if the key does not consist of AWS credentials.
std::optional<aws_credentials> read_aws_credentials(const secret& key);

secret one_key_of(const aws_credentials& credentials);

// Returns the whole key and the secret parts of AWS credentials, because an error text may repeat one of these parts.
std::vector<secret> secrets_in(const secret& key);

// Returns the region in the name of an AWS host such as "bedrock-runtime.eu-west-1.amazonaws.com", or an empty view.
std::string_view aws_region_of(std::string_view host);

// Returns the name of the service for which requests to the given AWS host are signed.
std::string_view aws_service_of(std::string_view host);

}  // namespace photofinish::proxy
