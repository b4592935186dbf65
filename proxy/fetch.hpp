// One small HTTP request and all of its answer: for what is asked beside the races, such as a webhook, a list of
// models, or a gateway's own pages.
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
  request_head head;  // but for its host, which is that of the URL
  std::string body;
  std::chrono::nanoseconds patience{};  // for all of it
  std::size_t max_body = 0;             // of the answer: what goes on behind that is not read
};

struct fetched {
  response_head head;
  std::string body;
  maybe_failure broken;  // why the body is not all there, although it is below its bound
};

class fetch {
 public:
  // Both outlive it. Over HTTP/1.1.
  fetch(outbound& over, const provider& from);

  // Called once. A failure where no head came: dns, connect, tls, bad_stream, `timeout` once patience is over, and
  // `cancelled`. An answer that was read to its end leaves its connection to the next request.
  boost::asio::awaitable<result<fetched>> run(fetch_request request);

  // Makes run() end in a later turn of the loop. Legal in every state; idempotent.
  void cancel() noexcept { exchange_.cancel(); }

 private:
  boost::asio::awaitable<void> read_body(fetched& into, std::size_t most);
  failure explained(failure why) const;

  outbound& over_;
  const provider& from_;
  http1_exchange exchange_;
  bool is_late_ = false;
};

// The same on a loop of its own: for commands, as it blocks until the answer is there.
result<fetched> fetch_alone(const base_url& from, fetch_request request);

}  // namespace photofinish::proxy
