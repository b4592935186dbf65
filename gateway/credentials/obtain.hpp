// Tries the places of a credential source one after the other, with the protocols of Google, Entra and AWS.
// All input and output goes through credential_io, which tests replace.
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
  std::string ca_file = {};  // certificates that are trusted in addition; empty: none
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
  // Ends the running request or read. No later one begins.
  virtual void cancel() noexcept = 0;
};

// The result of all places that were tried.
struct obtained_credential {
  std::optional<obtained_key> got;
  std::string from;   // the place that gave the key
  std::string tried;  // "1. the file /key.json: there is no such file; 2. …": cleaned, and without secrets
};

// Both arguments must live until the coroutine ends.
boost::asio::awaitable<obtained_credential> obtain(const proxy::credential_source& source, credential_io& io);

// Each function tries one place. All arguments must live until the coroutine ends.
boost::asio::awaitable<obtaining> obtain_google(const proxy::credential_step& step, const proxy::credential_source& of,
                                                credential_io& io);
boost::asio::awaitable<obtaining> obtain_entra(const proxy::credential_step& step, const proxy::credential_source& of,
                                               credential_io& io);
boost::asio::awaitable<obtaining> obtain_aws(const proxy::credential_step& step, credential_io& io);

// A url-encoded OAuth form.
class token_form {
 public:
  token_form& add(std::string_view name, std::string_view value);
  credential_request request(const proxy::base_url& at, std::string path, const proxy::credential_source& of) const;

 private:
  std::string text_;
};

// A GET request to a metadata server, which answers either quickly or never.
credential_request metadata_request(const proxy::base_url& at, std::string path);

// Sends `request` and reads the token from the answer. `means`: the result if no answer comes.
enum class unanswered { refused, absent };
boost::asio::awaitable<obtaining> ask_for_token(credential_request request, unanswered means, credential_io& io);

// Removes the secrets that were sent from the reason of a refusal, because the reason may quote them.
void hide_secrets(std::span<const proxy::secret> sent, obtaining& got);

}  // namespace photofinish::gateway
