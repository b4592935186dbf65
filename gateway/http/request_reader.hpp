// Reads HTTP requests from a client's connection, one after another: first the checked head, then the body if the
// gateway still needs it.
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

// Returns the 413 for a body of more than `limit` bytes. `what` is the name of the body in the message. If `limit` is
// not max_body, the message names max_memory as the reason for the limit.
refusal too_large(std::string_view what, std::size_t limit, std::size_t max_body);

class request_reader {
 public:
  request_reader(client_connection& client, proxy::alarms& alarms, const request_limits& limits)
      : client_(client), alarms_(alarms), limits_(limits) {}

  struct no_more {};  // the client left or was idle too long, so no answer is needed
  // The head of a request, or a refusal. After a refusal the state of the connection is unknown: the caller must send
  // the refusal and close the connection.
  using arrived_head = std::variant<client_request, refusal, no_more>;
  boost::asio::awaitable<arrived_head> read_head();

  // Reads the body into request.body if all of its bytes have already arrived. Reserves the memory in request.memory.
  bool take_body(client_request& request);
  // Reads the body, and waits for its bytes. After a refusal, the connection must be closed. A refusal with the status
  // 503 means that there is no memory for the body.
  boost::asio::awaitable<std::optional<refusal>> read_body(client_request& request);

  // True if the body's length is known and the whole body has arrived. If the gateway answers before that, it must
  // close the connection. Otherwise HAProxy 2.6 would reuse the connection without sending the rest of the body, and
  // the gateway would mistake the next request for a part of the body.
  bool has_whole_body(const client_request& request) const;
  // Discards a body that is not needed. Call this only if the whole body has arrived.
  void skip_body(const client_request& request);

 private:
  std::optional<refusal> check_length(client_request& request, std::size_t max_body) const;
  boost::asio::awaitable<std::optional<refusal>> receive_body(client_request& request, std::size_t max_body);
  // Waits for more bytes of a body. The wait for the body began at `begun`, and `received` of its bytes have arrived.
  // `held` is the memory of the request.
  boost::asio::awaitable<client_connection::arrival> more(proxy::instant begun, std::size_t received,
                                                          const proxy::memory_share& held);

  client_connection& client_;
  proxy::alarms& alarms_;
  const request_limits& limits_;
};

}  // namespace photofinish::gateway
