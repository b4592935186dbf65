// Google's credential files, and the assertion that a service account signs by OpenSSL.
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
  proxy::secret private_key;  // PEM
  webhook_url token;
  std::string token_text;  // the URL as the file has it: whom the assertion is for
};

struct authorized_user {
  std::string client_id;
  proxy::secret client_secret;
  proxy::secret refresh_token;
  webhook_url token;
};

// Workload identity federation: another one's token, from a file or a URL, becomes one of Google's.
struct external_account {
  std::string audience;
  std::string subject_token_type;
  webhook_url token;
  std::string file;  // of the subject token; else:
  std::optional<webhook_url> url;
  std::map<std::string, std::string> headers;
  std::string json_field;  // where the token stands, of JSON; empty: it is all of the text
  std::optional<webhook_url> impersonation;
};

using google_credentials = std::variant<service_account, authorized_user, external_account>;

// What such a file says, or why it is of no use.
std::variant<google_credentials, std::string> read_google_file(std::string_view text);

// The JSON Web Token by which a service account asks for an access token, signed with RS256. None: its key is no RSA
// key in PEM without a password.
std::optional<std::string> signed_assertion(const service_account& by, std::string_view scope,
                                            std::chrono::sys_seconds now);

// The token that a federation's file or URL holds. Empty: none.
std::string subject_token(const external_account& of, std::string_view text);

// Secrets of such a file: what is shown goes without them.
std::vector<proxy::secret> secrets_in(const google_credentials& credentials);

}  // namespace photofinish::gateway
