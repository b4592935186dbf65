// Asks the places of a credential source, one after the other: the protocols of Google, Entra and AWS.
// What they ask and read is behind credential_io, which tests play.
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
  std::string ca_file = {};  // trusted in addition; empty: none
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
  // What is awaited ends, and nothing is begun any more.
  virtual void cancel() noexcept = 0;
};

// What came of all places that were tried.
struct obtained_credential {
  std::optional<obtained_key> got;
  std::string from;   // the place that gave it
  std::string tried;  // "1. the file /key.json: there is no such file; 2. …": cleaned, and without secrets
};

// Both live until it is done.
boost::asio::awaitable<obtained_credential> obtain(const proxy::credential_source& source, credential_io& io);

// One place. Both live until it is done.
boost::asio::awaitable<obtaining> obtain_google(const proxy::credential_step& step, const proxy::credential_source& of,
                                                credential_io& io);
boost::asio::awaitable<obtaining> obtain_entra(const proxy::credential_step& step, const proxy::credential_source& of,
                                               credential_io& io);
boost::asio::awaitable<obtaining> obtain_aws(const proxy::credential_step& step, credential_io& io);

// A form of OAuth's, url-encoded.
class token_form {
 public:
  token_form& add(std::string_view name, std::string_view value);
  credential_request request(const proxy::base_url& at, std::string path, const proxy::credential_source& of) const;

 private:
  std::string text_;
};

// A GET of a metadata server, where an answer comes at once or never.
credential_request metadata_request(const proxy::base_url& at, std::string path);

// The token that `request` asks for. `means`: what it says of the place where no answer comes.
enum class unanswered { refused, absent };
boost::asio::awaitable<obtaining> ask_for_token(credential_request request, unanswered means, credential_io& io);

// Removes what was sent from the reason of a refusal, which may quote it.
void hide_secrets(std::span<const proxy::secret> sent, obtaining& got);

}  // namespace photofinish::gateway
