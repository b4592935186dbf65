// The places where photofinish searches for credentials that expire, in the order of the search. [pure] Settings and
// environment variables specify the places. The types in this file are plain data. gateway/credentials fetches the
// credentials (docs/decisions/0040).
#pragma once

#include "proxy/failures/secret.hpp"
#include "proxy/providers/base_url.hpp"
#include "proxy/providers/forward_proxy.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::proxy {

enum class credential_place {
  google_file,       // the JSON file of a service account, a user, or a workload identity federation
  google_metadata,   // the metadata server at `url`
  // OAuth client credentials: the URL of the authority in `url`, the `tenant`, the client's id in `name`, and the
  // client's secret in `own`.
  entra_secret,
  // workload identity: like entra_secret (client credentials), but with a token in `file` instead of the secret
  entra_token_file,
  // A managed identity, from the metadata server at `url`; `name` is the client's id and may be empty.
  entra_imds,
  aws_profile,       // the profile `name` in `file` (credentials) or in `second_file` (config)
  aws_container,     // ECS or EKS pod identity, at `url`, with a token in `file` or in `own`
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
  std::string named_by = {};  // the setting or variable that specifies this place; empty for the default place

  bool operator==(const credential_step&) const = default;
};

struct credential_source {
  std::string scope;                   // the OAuth scope of requests for Google and Entra tokens
  std::vector<credential_step> steps;  // all places, at least one; the first existing place is used
  std::optional<forward_proxy> via;    // the proxy for requests to token endpoints; never used for metadata servers

  bool operator==(const credential_source&) const = default;
};

// Describes a place without its secrets, for example "the file /etc/key.json (GOOGLE_APPLICATION_CREDENTIALS)".
std::string describe(const credential_step& step);

}  // namespace photofinish::proxy
