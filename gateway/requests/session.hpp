// Serves one client's connection from accept to close: reads requests, sends each request to the code of its endpoint,
// and keeps their order.
#pragma once

#include "gateway/http/body_decoder.hpp"
#include "gateway/http/request_reader.hpp"
#include "gateway/requests/request_flow.hpp"
#include "gateway/requests/view.hpp"

#include <boost/asio/awaitable.hpp>

#include <exception>

namespace photofinish::gateway {

class session {
 public:
  // `tls` is the TLS connection after its handshake. `from` is the client's address if a load balancer has reported it.
  session(boost::asio::ip::tcp::socket socket, worker_context& worker, const listener_traits& listener,
          std::unique_ptr<client_tls> tls = {}, std::optional<boost::asio::ip::tcp::endpoint> from = {});

  // Runs the connection to its end. Destroy the session only after run() has returned.
  boost::asio::awaitable<void> run();

  // Closes the connection after the running request. If there is no running request, closes it unless a request arrives
  // within a short time.
  void drain();
  // Ends the running request with an error, and closes the connection soon after. A second call closes it immediately.
  void cut();

 private:
  boost::asio::awaitable<void> serve();
  boost::asio::awaitable<after_response> refuse_head(const refusal& refused);
  boost::asio::awaitable<after_response> answer(client_request& request);
  boost::asio::awaitable<after_response> answer_endpoint(client_request& request, const routed_request& wanted,
                                                         presented_keys keys, caller who);
  boost::asio::awaitable<after_response> answer_view(const client_request& request, routed_request wanted, caller who);
  boost::asio::awaitable<after_response> answer_by(routed_request wanted, client_request& request, presented_keys keys,
                                                   caller who);
  boost::asio::awaitable<std::optional<after_response>> decode_or_refuse(client_request& request, content_coding coding,
                                                                         caller who);
  boost::asio::awaitable<bool> read_body(client_request& request, caller who);
  boost::asio::awaitable<after_response> refuse_coding(const client_request& request, const caller& who);
  boost::asio::awaitable<std::optional<api_error>> decode_body(client_request& request, content_coding coding);
  boost::asio::awaitable<after_response> answer_preflight(const client_request& request);
  boost::asio::awaitable<after_response> answer_bug(std::exception_ptr bug);
  const view* view_of(endpoint path) const;  // returns the page of this path, or null if the path has no page
  callers allowed_callers(endpoint path) const;
  void reader_ended(const std::exception_ptr& bug);
  void begin_answer(const client_request& request);
  after_response keeps_alive(const client_request& request) const;
  void end_grace();

  worker_context& worker_;
  bool is_serving_ = false;
  bool is_draining_ = false;
  bool has_reader_ = false;    // true while the coroutine read_ahead() runs
  bool is_body_read_ = false;  // true if the running request's body was read
  client_call call_;           // the data of the running request
  client_connection client_;
  request_reader reader_;
  proxy::signal reader_ended_;
  std::unique_ptr<proxy::alarm> grace_;  // limits the wait for a request while the connection drains
  std::unique_ptr<proxy::alarm> last_write_;  // limits the time in which the client may still read after cut()
  std::unique_ptr<request_flow> racing_;  // the flow of the running request; null until its body has arrived
};

}  // namespace photofinish::gateway
