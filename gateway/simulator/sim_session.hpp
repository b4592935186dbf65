// Serves one client connection of a simulated provider. For each request, the session makes a schedule and sends the
// answer by this schedule. The class simulator owns the session and waits for its end.
#pragma once

#include "gateway/simulator/answer_text.hpp"
#include "gateway/simulator/bedrock_text.hpp"
#include "gateway/simulator/client_link.hpp"
#include "gateway/simulator/gemini_text.hpp"
#include "gateway/simulator/ledger.hpp"
#include "gateway/simulator/message_text.hpp"
#include "gateway/simulator/plan/schedule.hpp"
#include "gateway/simulator/prompts/prompt_visit.hpp"
#include "gateway/simulator/response_text.hpp"
#include "gateway/simulator/sim_options.hpp"
#include "gateway/simulator/sim_request.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <optional>
#include <string>

namespace photofinish::gateway::simulator {

class sim_session {
 public:
  // `shared` must outlive the session.
  sim_session(boost::asio::ip::tcp::socket socket, sim_shared& shared);

  // Serves requests until the connection has ended and no handler uses the session.
  boost::asio::awaitable<void> serve();

  void stop() noexcept;

 private:
  using parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  struct planned_answer {
    sim_request request;
    sim_model model;
    sim_schedule schedule;
  };

  boost::asio::awaitable<void> serve_requests();
  boost::asio::awaitable<bool> read_request();  // reads a request; returns false if the connection must be closed
  boost::asio::awaitable<void> confirm_expectation();
  boost::asio::awaitable<void> answer();
  boost::asio::awaitable<sim_end> answer_by_path();
  boost::asio::awaitable<sim_end> answer_asked();
  boost::asio::awaitable<sim_end> stream(const sim_schedule& schedule, sim_answer& text);
  boost::asio::awaitable<sim_end> complete(const sim_schedule& schedule, sim_answer& text);
  boost::asio::awaitable<sim_end> end_by(const sim_step& last);
  // Writes the bytes in `out_`. Returns `ended` if the client is still connected. Otherwise returns the reason why the
  // connection has ended.
  boost::asio::awaitable<sim_end> send_out(sim_end ended);

  proxy::result<planned_answer> plan();
  void look_up_prompt(sim_request& request, const sim_model& model, std::uint64_t seed);
  std::uint64_t root_of_prompt(const sim_model& model, const cache_chances& chances) const;
  void keep_prompt_with(const sim_step& step);
  std::unique_ptr<sim_answer> text_of(const planned_answer& planned) const;
  void apply_limit(sim_behaviour& behaviour);
  void prepare_refusal(const proxy::failure& why);
  bool has_required_key() const;
  std::size_t batch_due(const sim_schedule& schedule, sim_answer& text, std::size_t next);
  void open_record();
  void close_record(sim_end ended);
  sim_end gone() const { return is_stopped_ ? sim_end::stopped : sim_end::client_closed; }
  client_link::instant due(const sim_step& step) const { return record_.received_at + step.at; }

  sim_shared& shared_;
  client_link link_;
  std::optional<parser> parser_;
  sim_record record_;       // the record of the current request, for the ledger
  std::uint64_t number_ = 0;  // the number of the current request, counted over all connections of the simulator
  after_answer after_ = after_answer::keep_alive;
  sim_target asked_;  // the API and the model of the request; the chat API if the path is unknown
  // The request's use of the prompt cache; empty if the simulator has no prompt cache.
  std::optional<prompt_visit> visit_;
  std::string out_;  // the bytes that will be written next
  bool is_stopped_ = false;
};

}  // namespace photofinish::gateway::simulator
