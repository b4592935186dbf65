// Sends the client its answer, or an error instead, and the headers about the race.
#pragma once

#include "gateway/requests/observers/answer_recorder.hpp"
#include "gateway/requests/stages/request_context.hpp"

#include <boost/asio/awaitable.hpp>

#include <exception>
#include <memory>
#include <string_view>

namespace photofinish::gateway {

class client_reply {
 public:
  using ended = boost::asio::awaitable<after_response>;

  explicit client_reply(request_context& context) : context_(context) {}

  // Sets time limits for writing the answer, and returns the answer to which the other stages write.
  client_answer open();
  // Returns the writer of the answer; null until a target has won.
  std::unique_ptr<answer_writer>& writer() { return writer_; }

  // Sends the head of an answer. If the head was already sent, sends a comment instead.
  void begin(const racing::race_report& report, std::string_view media_type, client_answer& to) const;
  // Shows the client that a stream still waits. Sends its head, which names no winner yet, and later keepalive
  // comments.
  void show_life(client_answer& to) const;
  // Relays the answer from its source as it arrives, through the observers that read it. `recorder` is one of these
  // observers, or null.
  boost::asio::awaitable<relayed> relay(answer_source& from, client_answer& to, answer_recorder* recorder);
  // Records how much of the answer was sent.
  void note_end(const relayed& result, const client_answer& to);

  // Sends an error instead of an answer.
  ended refuse(const api_error& error);
  // Sends an error when the head of an answer may have been sent. A stream whose head was sent ends with the error.
  ended fail(const api_error& error, client_answer& to, const racing::race_report& report);
  // Ends the answer after no attempt has won.
  ended fail_defeated(const racing::race_report& report, client_answer& to);
  // Ends the answer after the target that spoke last broke off.
  ended fail_broken(const racing::race_report& report, client_answer& to);
  // Ends the answer after drain_timeout has passed.
  ended fail_drained(const racing::race_report& report, client_answer& to);
  // Ends a request that has no race, or whose race has not started, after the client left or the gateway cut the
  // request.
  ended end_departed();
  // Sends an error if the client has not received any byte of an answer. A stream that has begun ends as broken.
  ended end_by_bug(std::exception_ptr bug);

  // Records that the client left, or that the gateway cut the request, before the answer.
  void note_departure();
  metrics::request_outcome departure() const;

 private:
  boost::asio::awaitable<relayed> relay_observed(answer_source& from, client_answer& to, answer_recorder* recorder);
  ended send(std::string response);
  void note_error(const api_error& error);
  header_fields fields_with(const race_facts& facts) const;
  race_facts facts_of(const racing::race_report& report) const;
  void note_left_out(race_facts& facts) const;
  api_error explain(const racing::race_report& report) const;

  request_context& context_;
  std::unique_ptr<answer_writer> writer_;
};

// Returns the race whose text the client received last: the request's own race, or the last continuation that has a
// winner.
race_account& last_speaker(request_record& record);

// Returns the outcome that is counted for a request that ends with this error before its answer.
metrics::request_outcome outcome_of(const api_error& error);

}  // namespace photofinish::gateway
