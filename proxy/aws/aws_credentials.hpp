// AWS's static credentials, which travel as one key: ACCESS_KEY_ID:SECRET, and :SESSION_TOKEN where they expire. [pure]
// So they go wherever keys go: in a configuration, in a caller's headers, through a race. None of the parts has a
// colon.
#pragma once

#include "proxy/failures/secret.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct aws_credentials {
  std::string access_key_id;  // not secret: AWS shows it
  secret secret_key;
  secret session_token;  // empty: they do not expire
};

// None: it is a key of another kind.
std::optional<aws_credentials> read_aws_credentials(const secret& key);

secret one_key_of(const aws_credentials& credentials);

// The key as it is, and what is secret of AWS's credentials: an error may repeat a part of them.
std::vector<secret> secrets_in(const secret& key);

// The region that a host of AWS's names: "bedrock-runtime.eu-west-1.amazonaws.com". Empty: it names none.
std::string_view aws_region_of(std::string_view host);

// What a signature for that host is made for.
std::string_view aws_service_of(std::string_view host);

}  // namespace photofinish::proxy
