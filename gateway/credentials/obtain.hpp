// Tries the places from which a credential may come, such as a file or a metadata server, one after the other. Uses the
// protocols of Google, Entra and AWS. All input and output uses credential_io, which tests replace.
#pragma once

#include "gateway/credentials/obtained.hpp"
#include "gateway/process/environment.hpp"
#include "proxy/failures/result.hpp"
#include "proxy/http/http_message.hpp"
#include "proxy/providers/credential_source.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct credential_request {
  proxy::base_url at;
  proxy::request_head head;
  std::string body = {};
  std::chrono::seconds patience{10};
  std::optional<proxy::forward_proxy> via = {};
  std::string ca_file = {};  // a file with additional trusted certificates; may be empty
};

struct credential_answer {
  int status = 0;
  std::string body;
};

class credential_io {
 public:
  virtual ~credential_io() = default;

  virtual boost::asio::awaitable<proxy::result<credential_answer>> ask(credential_request request) = 0;
  virtual boost::asio::awaitable<file_content> read(std::string path) = 0;
  virtual std::chrono::sys_seconds now() const = 0;
  // Cancels the running request or file read, and prevents new ones.
  virtual void cancel() noexcept = 0;
};

// The result of trying all places from which a credential may come.
struct obtained_credential {
  std::optional<obtained_key> got;
  std::string from;  // the place from which the key was obtained, such as a file or a metadata server
  // A list of failures, such as "1. the file /key.json: there is no such file; 2. …". Control characters and secrets
  // are removed.
  std::string tried;
};

// Tries to get a key for a source, from one place after the other, such as a file or a metadata server. Both arguments
// must stay valid until the coroutine ends.
boost::asio::awaitable<obtained_credential> obtain(const proxy::credential_source& source, credential_io& io);

// Each of the following functions tries to get a key from one place, such as a file or a metadata server. All arguments
// must stay valid until the coroutine ends.
boost::asio::awaitable<obtaining> obtain_google(const proxy::credential_step& step, const proxy::credential_source& of,
                                                credential_io& io);
boost::asio::awaitable<obtaining> obtain_entra(const proxy::credential_step& step, const proxy::credential_source& of,
                                               credential_io& io);
boost::asio::awaitable<obtaining> obtain_aws(const proxy::credential_step& step, credential_io& io);

// Builds the body of an OAuth request, in url-encoded form.
class token_form {
 public:
  token_form& add(std::string_view name, std::string_view value);
  credential_request request(const proxy::base_url& at, std::string path, const proxy::credential_source& of) const;

 private:
  std::string text_;
};

// Returns a GET request for a metadata server. A metadata server answers quickly or not at all.
credential_request metadata_request(const proxy::base_url& at, std::string path);

// Sends `request` and reads the token from the answer. `means` is the result if no answer arrives: "refused" or
// "absent".
enum class unanswered { refused, absent };
boost::asio::awaitable<obtaining> ask_for_token(credential_request request, unanswered means, credential_io& io);

// Removes the sent secrets from the reason for a refusal, because the reason may quote them.
void hide_secrets(std::span<const proxy::secret> sent, obtaining& got);

}  // namespace photofinish::gateway
