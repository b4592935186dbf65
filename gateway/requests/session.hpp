// One client's connection from accept to close: reads requests, sends each to its endpoint, keeps the order.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/access/keys.hpp"
#include "gateway/api/routes.hpp"
#include "gateway/http/body_decoder.hpp"
#include "gateway/http/client_connection.hpp"
#include "gateway/http/request_reader.hpp"
#include "gateway/http/response.hpp"
#include "gateway/records/request_log.hpp"
#include "gateway/requests/kept_target.hpp"
#include "gateway/requests/services.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace photofinish::gateway {

// What a request takes beside its body and its answer: coroutines, attempts and their connections, headers.
inline constexpr std::size_t memory_of_request = 32u << 10;

// Where a session's connection came in.
struct listener_traits {
  listen_address address;
  listener_role role = listener_role::everything;
};

class race_endpoint;

class session {
 public:
  // `tls`: hands are shaken. `from` is who calls, where a balancer has said so.
  session(boost::asio::ip::tcp::socket socket, services& worker, const listener_traits& listener,
          std::unique_ptr<client_tls> tls = {}, std::optional<boost::asio::ip::tcp::endpoint> from = {});
  session(const session&) = delete;
  ~session();

  // The whole life of the connection. The session is destroyed only after it has returned.
  boost::asio::awaitable<void> run();

  // Ends behind the running request; without one, when none has come within a short grace.
  void drain();
  // Ends what is being served with an error, and the connection soon after, or immediately if it is called again.
  void cut();

 private:
  boost::asio::awaitable<void> serve();
  boost::asio::awaitable<after_response> refuse_head(const refusal& refused);
  boost::asio::awaitable<after_response> answer(client_request& request);
  boost::asio::awaitable<after_response> answer_endpoint(client_request& request, const routed_request& wanted,
                                                         presented_keys keys, caller who);
  boost::asio::awaitable<after_response> answer_by(routed_request wanted, client_request& request, presented_keys keys,
                                                   caller who);
  boost::asio::awaitable<after_response> answer_count(client_request& request, caller who);
  boost::asio::awaitable<after_response> answer_models(const client_request& request, const routed_request& wanted,
                                                       caller who);
  boost::asio::awaitable<after_response> refuse_for_memory(const client_request& request, caller who);
  boost::asio::awaitable<std::optional<after_response>> decode_or_refuse(client_request& request, content_coding coding,
                                                                         caller who);
  boost::asio::awaitable<bool> read_body(client_request& request, caller who);
  boost::asio::awaitable<after_response> refuse_coding(const client_request& request, caller who);
  boost::asio::awaitable<std::optional<api_error>> decode_body(client_request& request, content_coding coding);
  boost::asio::awaitable<after_response> answer_kept(client_request& request, routed_request wanted,
                                                     presented_keys keys, caller who);
  boost::asio::awaitable<after_response> stream_answer(client_request& request, kept_question question);
  boost::asio::awaitable<after_response> answer_metrics(const client_request& request);
  boost::asio::awaitable<after_response> answer_stats(const client_request& request, caller who);
  boost::asio::awaitable<after_response> answer_usage(const client_request& request, caller who);
  boost::asio::awaitable<after_response> answer_advice(const client_request& request, caller who);
  boost::asio::awaitable<after_response> answer_race(const client_request& request, std::string id, caller who);
  boost::asio::awaitable<after_response> answer_races(const client_request& request, caller who);
  boost::asio::awaitable<after_response> answer_feed(const client_request& request, caller who);
  boost::asio::awaitable<after_response> answer_root(const client_request& request);
  boost::asio::awaitable<after_response> answer_probe(const client_request& request, const routed_request& wanted);
  boost::asio::awaitable<after_response> answer_preflight(const client_request& request);
  boost::asio::awaitable<after_response> refuse(const client_request& request, const api_error& error, caller who = {});
  boost::asio::awaitable<after_response> send(std::string response);
  boost::asio::awaitable<after_response> answer_bug(std::exception_ptr bug);

  struct admitted { presented_keys keys; caller who; };
  std::optional<std::variant<caller, refusal>> identify_by_token(presented_keys& presented) const;
  std::variant<admitted, api_error> admit(std::span<const proxy::header_field> fields,
                                          const routed_request& wanted) const;
  bool asks_for_key(endpoint to) const;
  std::optional<racing::caller_id> races_shown_to(caller who) const;  // none: all callers'
  void reader_ended(const std::exception_ptr& bug);
  void begin_answer(const client_request& request);
  after_response keeps_alive(const client_request& request) const;
  void end_grace();
  proxy::memory_budget::account account_of(caller who) const;
  static proxy::memory_budget::account account_of_peer(const boost::asio::ip::tcp::endpoint& from,
                                                       const proxy::memory_budget& memory);
  void note_caller(const client_request& request);
  std::string worded(const api_error& error) const;
  void note_answer(const client_request& request, caller who);
  void note_refusal(const client_request& request, const api_error& error, caller who);
  void audit_refusal(const client_request& request, const api_error& error, caller who);
  void note_departure(const client_request& request, caller who);
  void note(plain_request seen, const client_request& request, caller who);

  services& worker_;
  const listener_traits& listener_;
  const boost::asio::ip::tcp::endpoint peer_;  // asked for at once: of one that has left it cannot be
  bool is_serving_ = false;
  bool is_draining_ = false;
  bool has_reader_ = false;    // read_ahead() runs
  bool is_body_read_ = false;  // of the running request
  const proxy::memory_budget::account peer_account_;  // of memory, for callers without a key
  std::shared_ptr<const config> settings_;  // of the running request
  std::shared_ptr<const limit_table> limits_;  // of those settings
  client_connection client_;
  request_reader reader_;
  proxy::signal reader_ended_;
  std::unique_ptr<proxy::alarm> grace_;  // while draining
  std::unique_ptr<proxy::alarm> last_write_;  // once it is cut: how long the client may still read

  // Of the running request.
  std::string request_id_;
  std::string asked_model_;  // empty: not known
  boost::asio::ip::tcp::endpoint from_;  // who calls: `peer_`, or for whom a trusted proxy calls
  proxy::memory_budget::account from_account_;
  bool is_https_ = false;  // by our TLS, or by that of a trusted proxy
  header_fields fields_;
  response_style style_;
  const api* called_ = nullptr;  // whose words an error has; null: OpenAI's
  std::unique_ptr<race_endpoint> racing_;  // its race, once its body has come
};

}  // namespace photofinish::gateway
