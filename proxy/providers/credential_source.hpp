// Where credentials that expire come from: places that are tried in order, as settings and variables name them. [pure]
// Plain data. gateway/credentials asks there; docs/decisions/0040.
#pragma once

#include "proxy/failures/secret.hpp"
#include "proxy/providers/base_url.hpp"
#include "proxy/providers/forward_proxy.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::proxy {

enum class credential_place {
  google_file,      // a service account's, a user's or a federation's JSON in `file`
  google_metadata,  // the metadata server at `url`
  entra_secret,     // `url` of the authority; `tenant`, `name` of the client, `own` is its secret
  entra_token_file, // the same, where a token in `file` stands in for the secret: workload identity
  entra_imds,       // a managed identity by the machine's metadata at `url`; `name` of the client, or empty
  aws_profile,      // the profile `name` in `file` (credentials) or `second_file` (config)
  aws_container,    // ECS, EKS pod identity: at `url`, with the token in `file`, or `own`
  aws_instance,     // an instance's role, by IMDSv2 at `url`
};

struct credential_step {
  credential_place place = credential_place::google_file;
  base_url url = {};
  std::string file = {};
  std::string second_file = {};
  std::string tenant = {};
  std::string name = {};
  secret own = {};
  std::string named_by = {};  // the setting or variable that names it; empty: it is where it usually is

  bool operator==(const credential_step&) const = default;
};

struct credential_source {
  std::string scope;  // that Google's and Entra's tokens are asked for
  std::vector<credential_step> steps;  // at least one; the first that is there counts
  std::optional<forward_proxy> via;    // how token endpoints are reached; metadata servers are always near

  bool operator==(const credential_source&) const = default;
};

// "the file /etc/key.json (GOOGLE_APPLICATION_CREDENTIALS)", without secrets.
std::string describe(const credential_step& step);

}  // namespace photofinish::proxy
