// Google's credential files, and the signed assertions of service accounts, which are made with OpenSSL.
#pragma once

#include "gateway/config/webhook_url.hpp"
#include "proxy/failures/secret.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway {

struct service_account {
  std::string email;
  std::string key_id;
  proxy::secret private_key;  // the private key in PEM format
  webhook_url token;
  std::string token_text;  // the URL exactly as the file contains it, which is the assertion's audience
};

struct authorized_user {
  std::string client_id;
  proxy::secret client_secret;
  proxy::secret refresh_token;
  webhook_url token;
};

// Workload identity federation: a token of another identity provider, read from a file or a URL, is exchanged for a
// Google token.
struct external_account {
  std::string audience;
  std::string subject_token_type;
  webhook_url token;
  std::string file;  // the file that contains the external token; if empty, the URL below is used
  std::optional<webhook_url> url;
  std::map<std::string, std::string> headers;
  std::string json_field;  // the JSON field that contains the token; if empty, the whole text is the token
  std::optional<webhook_url> impersonation;
};

using google_credentials = std::variant<service_account, authorized_user, external_account>;

// Returns the credentials in the file, or the reason why they cannot be used.
std::variant<google_credentials, std::string> read_google_file(std::string_view text);

// Returns the JSON Web Token with which a service account requests an access token. It is signed with RS256. Returns
// nothing if the key is not an RSA key in PEM format, or needs a password.
std::optional<std::string> signed_assertion(const service_account& by, std::string_view scope,
                                            std::chrono::sys_seconds now);

// Extracts the token from the contents of the file or the URL. Returns an empty text if there is no token.
std::string subject_token(const external_account& of, std::string_view text);

// Returns the secrets in a credential file, so that they can be removed from messages.
std::vector<proxy::secret> secrets_in(const google_credentials& credentials);

}  // namespace photofinish::gateway
