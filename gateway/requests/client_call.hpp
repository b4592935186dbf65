// Holds the data of one request while its session answers it: its id, its caller's address, and its headers. Also
// refuses, counts and logs a request that runs no race.
#pragma once

#include "gateway/api/api.hpp"
#include "gateway/api/routes.hpp"
#include "gateway/http/client_connection.hpp"
#include "gateway/http/response.hpp"
#include "gateway/records/request_log.hpp"
#include "gateway/requests/worker/worker_context.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <string>

namespace photofinish::gateway {

// The memory that a request needs in addition to its body and its answer: for coroutines, headers, and attempts with
// their connections.
inline constexpr std::size_t memory_of_request = 32u << 10;

// Describes the listener that accepted a session's connection.
struct listener_traits {
  listen_address address;
  listener_role role = listener_role::everything;
};

// Returns the account that limits the memory of a caller without a key. Such a caller is identified by its address. A
// whole IPv6 network counts as one caller.
proxy::memory_budget::account account_of_peer(const boost::asio::ip::tcp::endpoint& peer,
                                              const proxy::memory_budget& memory);

// The data of a connection's running request. A session uses one object for all its requests, and begin() clears the
// data of the previous request.
class client_call {
 public:
  client_call(worker_context& worker, client_connection& client, const listener_traits& listener,
              const boost::asio::ip::tcp::endpoint& peer);

  void begin(const client_request& request);

  // Counts and logs an error, and sends it to the client.
  boost::asio::awaitable<after_response> refuse(const client_request& request, const api_error& error,
                                                const caller& who = {});
  boost::asio::awaitable<after_response> refuse_for_memory(const client_request& request, const caller& who);
  boost::asio::awaitable<after_response> send_error(const api_error& error);
  boost::asio::awaitable<after_response> send(std::string response);

  void note_answer(const client_request& request, const caller& who);
  void note_refusal(const client_request& request, const api_error& error, const caller& who);
  // Counts and logs a request whose client left before the end of its answer.
  void note_departure(const client_request& request, const caller& who);
  // Counts and logs a request whose stream ended early.
  void note_broken(const client_request& request, const caller& who);
  // Writes to the audit log that the gateway has refused a caller.
  void audit_refusal(const client_request& request, const api_error& error, const caller& who);

  // Returns the account that limits the memory of all requests with the caller's key, or from the caller's address.
  proxy::memory_budget::account account_of(const caller& who) const;

  worker_context& worker;
  client_connection& client;
  const listener_traits& listener;
  const boost::asio::ip::tcp::endpoint peer;          // the address of the other end of the connection
  const proxy::memory_budget::account peer_account;
  std::shared_ptr<const config> settings;      // the settings of the running request
  std::shared_ptr<const limit_table> limits;   // the limits from the configuration `settings`
  std::string id;
  std::string asked_model;              // the model that the request names; empty if the body was not read
  // The address of the caller: `peer`, or the address that a trusted proxy reports.
  boost::asio::ip::tcp::endpoint caller_address;
  proxy::memory_budget::account caller_account;
  bool is_https = false;  // true if the client used TLS, either to this gateway or to a trusted proxy
  header_fields fields;
  response_style style;
  const api* error_api = nullptr;  // the API whose format an error must have; null for OpenAI's format

 private:
  void note_caller(const client_request& request);
  void note(plain_request seen, const client_request& request, const caller& who);
};

}  // namespace photofinish::gateway
