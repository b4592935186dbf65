// Sends one small HTTP request and reads its whole answer. This is for requests outside races, such as a webhook, a
// list of models, or a gateway's own pages.
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
  request_head head;  // the request's head without a host, which comes from the URL
  std::string body;
  std::chrono::nanoseconds patience{};  // time limit of the whole exchange
  std::size_t max_body = 0;             // limit of the answer's body in bytes; the rest is not read
};

struct fetched {
  response_head head;
  std::string body;
  maybe_failure broken;  // the reason why a body below the limit is incomplete
};

class fetch {
 public:
  // `over` and `from` must outlive the fetch. It uses HTTP/1.1.
  fetch(outbound& over, const provider& from);

  // Sends the request and returns its answer. Call it once. Fails if no head arrived: dns, connect, tls,
  // bad_stream, `timeout` after `patience`, and `cancelled`. If the answer was read completely, its connection can
  // serve the next request.
  boost::asio::awaitable<result<fetched>> run(fetch_request request);

  // Makes run() end in a later turn of the loop. Allowed in every state and idempotent.
  void cancel() noexcept { exchange_.cancel(); }

 private:
  boost::asio::awaitable<void> read_body(fetched& into, std::size_t most);
  failure explained(failure why) const;

  outbound& over_;
  const provider& from_;
  http1_exchange exchange_;
  bool is_late_ = false;
};

// Fetches on a loop of its own. It blocks until the answer has arrived, so only commands may use it.
result<fetched> fetch_alone(const base_url& from, fetch_request request);

}  // namespace photofinish::proxy
