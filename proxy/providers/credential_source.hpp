// The places where photofinish looks for credentials that expire, in their order. [pure]
// Plain data. Settings and variables name the places. gateway/credentials fetches the credentials; docs/decisions/0040.
#pragma once

#include "proxy/failures/secret.hpp"
#include "proxy/providers/base_url.hpp"
#include "proxy/providers/forward_proxy.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::proxy {

enum class credential_place {
  google_file,      // the JSON of a service account, a user or a federation in `file`
  google_metadata,  // the metadata server at `url`
  entra_secret,     // `url` of the authority; `tenant`; the client's `name`; `own` is its secret
  entra_token_file, // the same, but a token in `file` replaces the secret: workload identity
  entra_imds,       // a managed identity, from the machine's metadata at `url`; the client's `name`, or empty
  aws_profile,      // the profile `name` in `file` (credentials) or `second_file` (config)
  aws_container,    // ECS or EKS pod identity: at `url`, with the token in `file` or `own`
  aws_instance,     // the role of an instance, by IMDSv2 at `url`
};

struct credential_step {
  credential_place place = credential_place::google_file;
  base_url url = {};
  std::string file = {};
  std::string second_file = {};
  std::string tenant = {};
  std::string name = {};
  secret own = {};
  std::string named_by = {};  // the setting or variable that names this place; empty: the default place

  bool operator==(const credential_step&) const = default;
};

struct credential_source {
  std::string scope;  // the scope that requests for Google's and Entra's tokens contain
  std::vector<credential_step> steps;  // at least one; the first place that exists is used
  std::optional<forward_proxy> via;    // the proxy to token endpoints; metadata servers are always reached directly

  bool operator==(const credential_source&) const = default;
};

// A description without secrets: "the file /etc/key.json (GOOGLE_APPLICATION_CREDENTIALS)".
std::string describe(const credential_step& step);

}  // namespace photofinish::proxy
