// Reads one HTTP request after another from a client's connection: first the guarded head, then the body if the
// caller still needs it.
#pragma once

#include "gateway/http/client_connection.hpp"
#include "gateway/http/client_limits.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/http/refusal.hpp"
#include "proxy/loop/alarms.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// Returns the 413 for a body of more than `limit` bytes. `what` names the body in the message. A limit other than
// max_body means that another setting applies.
refusal too_large(std::string_view what, std::size_t limit, std::size_t max_body);

class request_reader {
 public:
  request_reader(client_connection& client, proxy::alarms& alarms, const request_limits& limits)
      : client_(client), alarms_(alarms), limits_(limits) {}

  struct no_more {};  // the client left or was idle too long, so no answer is needed
  // A head, or a refusal, which leaves the connection in an unknown state: the caller must answer, then close it.
  using arrived_head = std::variant<client_request, refusal, no_more>;
  boost::asio::awaitable<arrived_head> read_head();

  // Reads the body into request.body if all of it has arrived. Its memory is counted in request.memory.
  bool take_body(client_request& request);
  // Reads the body while it arrives. After a refusal the connection must be closed. A refusal with 503 means that there
  // is no memory for the body.
  boost::asio::awaitable<std::optional<refusal>> read_body(client_request& request);

  // True if the body's length is known and all of it has arrived. An answer to a request without its whole body closes
  // the connection. HAProxy 2.6 would reuse such a connection without sending the rest. The gateway would then read the
  // next request, of another client, as the rest of the body.
  bool has_whole_body(const client_request& request) const;
  // Drops a body that is not needed. The whole body must have arrived.
  void skip_body(const client_request& request);

 private:
  std::optional<refusal> check_length(client_request& request, std::size_t max_body) const;
  boost::asio::awaitable<std::optional<refusal>> receive_body(client_request& request, std::size_t max_body);
  // Waits for more bytes of a body. `received` bytes have arrived since `begun`.
  boost::asio::awaitable<client_connection::arrival> more(proxy::instant begun, std::size_t received,
                                                          const proxy::memory_share& held);

  client_connection& client_;
  proxy::alarms& alarms_;
  const request_limits& limits_;
};

}  // namespace photofinish::gateway
