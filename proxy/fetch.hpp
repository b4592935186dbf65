// Sends one small HTTP request and reads its whole answer. The class is for requests outside races, such as calls of a
// webhook, lists of models, or requests to another gateway's pages.
#pragma once

#include "proxy/failures/result.hpp"
#include "proxy/http/http1_exchange.hpp"
#include "proxy/http/http_message.hpp"
#include "proxy/outbound.hpp"
#include "proxy/providers/provider.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace photofinish::proxy {

struct fetch_request {
  request_head head;  // a head without a Host value, because the host comes from the URL
  std::string body;
  std::chrono::nanoseconds patience{};  // time limit of the whole exchange
  std::size_t max_body = 0;             // maximum number of bytes of the answer's body that are read
};

struct fetched {
  response_head head;
  std::string body;
  maybe_failure broken;  // set if reading the body failed before max_body bytes were read
};

class fetch {
 public:
  // `over` and `from` must outlive the fetch. The request uses HTTP/1.1.
  fetch(outbound& over, const provider& from);

  // Sends the request and returns its answer. Call this function once. If the answer's head did not arrive, returns a
  // failure: dns, connect, tls, bad_stream, `timeout` after `patience`, or `cancelled`. If the answer was read
  // completely, the connection can serve another request.
  boost::asio::awaitable<result<fetched>> run(fetch_request request);

  // Makes run() return in a later turn of the event loop. May be called at any time, and repeatedly.
  void cancel() noexcept { exchange_.cancel(); }

 private:
  boost::asio::awaitable<void> read_body(fetched& into, std::size_t most);
  failure explained(failure why) const;

  outbound& over_;
  const provider& from_;
  http1_exchange exchange_;
  bool is_late_ = false;
};

// Sends the request on an event loop of its own and blocks until the answer has arrived. Only commands may use this
// function, because it would block a worker.
result<fetched> fetch_alone(const base_url& from, fetch_request request);

}  // namespace photofinish::proxy
