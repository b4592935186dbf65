// The places where photofinish looks for credentials that expire, in the order of its search. [pure] Plain data.
// Settings and variables name the places. gateway/credentials fetches the credentials; see docs/decisions/0040.
#pragma once

#include "proxy/failures/secret.hpp"
#include "proxy/providers/base_url.hpp"
#include "proxy/providers/forward_proxy.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::proxy {

enum class credential_place {
  google_file,       // the JSON file of a service account, a user or a federation
  google_metadata,   // the metadata server at the URL `url`
  entra_secret,      // the authority's `url`, the `tenant`, the client's `name`, and its secret in `own`
  entra_token_file,  // workload identity: like entra_secret, but a token in `file` replaces the secret
  entra_imds,        // a managed identity, from the metadata server at `url`; `name` is the client, or empty
  aws_profile,       // the profile `name` in `file` (credentials) or in `second_file` (config)
  aws_container,     // ECS or EKS pod identity, at `url`, with the token in `file` or in `own`
  aws_instance,      // the role of the instance, by IMDSv2 at `url`
};

struct credential_step {
  credential_place place = credential_place::google_file;
  base_url url = {};
  std::string file = {};
  std::string second_file = {};
  std::string tenant = {};
  std::string name = {};
  secret own = {};
  std::string named_by = {};  // the setting or variable that names this place; empty for the default place

  bool operator==(const credential_step&) const = default;
};

struct credential_source {
  std::string scope;                   // the scope in requests for tokens of Google and Entra
  std::vector<credential_step> steps;  // the places, of which the first that exists is used; there is at least one
  std::optional<forward_proxy> via;    // the proxy to token endpoints; it is never used for metadata servers

  bool operator==(const credential_source&) const = default;
};

// Describes a place without its secrets: "the file /etc/key.json (GOOGLE_APPLICATION_CREDENTIALS)".
std::string describe(const credential_step& step);

}  // namespace photofinish::proxy
