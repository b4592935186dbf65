// POST /v1/chat/completions: from a request's body to its last byte and its log line.
// It puts the parts together and decides nothing itself: which targets run is the planner's, who wins the
// race's, how an error reads api_error's.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/access/keys.hpp"
#include "gateway/api/chat/chat_request.hpp"
#include "gateway/api/race_headers.hpp"
#include "gateway/http/client_connection.hpp"
#include "gateway/http/request_reader.hpp"
#include "gateway/http/response.hpp"
#include "gateway/records/accounting.hpp"
#include "gateway/requests/answer_stream.hpp"
#include "gateway/requests/answer_tokens.hpp"
#include "gateway/requests/late_accounts.hpp"
#include "gateway/requests/race_setup.hpp"
#include "gateway/requests/services.hpp"
#include "proxy/memory/long_text.hpp"
#include "proxy/memory/memory_share.hpp"
#include "racing/race_run.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway {

class chat_endpoint {
 public:
  // All references outlive the call; `settings` are those that `keys` and `who` were read under; `fields` go on
  // every answer; `memory` is what the request holds beside its body.
  chat_endpoint(services& worker, std::shared_ptr<const config> settings, client_connection& client,
                client_request request, presented_keys keys, caller who, header_fields fields, response_style style,
                std::string request_id, const boost::asio::ip::tcp::endpoint& peer, proxy::memory_share memory);

  // Answers the request. Afterwards the connection may be used again, or must be closed.
  boost::asio::awaitable<after_response> serve();

 private:
  // What attempts are made of.
  struct wish {
    client_request request;
    presented_keys keys;
    chat_request chat;
    race_setup setup;
  };

  using read_request = std::variant<chat_request, api_error>;

  boost::asio::awaitable<after_response> read_and_answer();
  boost::asio::awaitable<after_response> read_beside();
  std::optional<api_error> prepare(read_request read);
  boost::asio::awaitable<after_response> race_or_refuse(read_request read);
  void close_account();
  boost::asio::awaitable<after_response> race();
  std::unique_ptr<proxy::upstream> make_upstream(std::size_t runner);
  boost::asio::awaitable<after_response> answer(racing::race_run& run, answer_stream& stream);
  void begin_stream(const racing::race_report& report, answer_stream& stream) const;
  boost::asio::awaitable<after_response> answer_streamed(racing::race_run& run, answer_stream& stream);
  boost::asio::awaitable<after_response> end_broken(racing::race_run& run, answer_stream& stream);
  boost::asio::awaitable<after_response> answer_whole(racing::race_run& run);
  boost::asio::awaitable<proxy::result<proxy::long_text>> collect(racing::race_run& run, winner_reader& winner,
                                                             proxy::memory_share& held);
  boost::asio::awaitable<bool> send_whole(const race_facts& facts, proxy::long_text answer,
                                            proxy::memory_share held);
  void see_losers_off(racing::race_run& run, after_response then);
  boost::asio::awaitable<after_response> answer_defeat(racing::race_run& run, answer_stream& stream);

  boost::asio::awaitable<after_response> refuse(const api_error& error, metrics::request_outcome outcome);
  boost::asio::awaitable<after_response> send(std::string response);
  metrics::request_outcome left_outcome() const;
  race_facts facts_of(const racing::race_report& report) const;
  api_error explain(const racing::race_report& report) const;
  std::vector<std::pair<std::string, std::string>> forwarded_to(const proxy::provider& provider) const;
  header_fields fields_with(const race_facts& facts) const;

  services& worker_;
  client_connection& client_;
  caller who_;
  header_fields fields_;
  response_style style_;
  std::shared_ptr<const config> settings_;  // kept: a reload does not touch a request that runs

  std::unique_ptr<wish> wish_;  // until the race is decided: an answer may take minutes
  racing::race_settings limits_;
  bool is_lowered_by_store_ = false;  // the race, to one attempt at a time
  std::vector<std::pair<std::string, std::string>> skipped_;  // target, reason
  std::vector<std::pair<std::string, std::string>> dropped_;  // target, parameter
  proxy::memory_share memory_;
  std::unique_ptr<open_account> account_;  // until the end of serve()
  answer_tokens& tokens_;
  request_record& record_;
};

}  // namespace photofinish::gateway
