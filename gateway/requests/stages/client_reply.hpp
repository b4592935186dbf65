// Sends the answer to the client, or an error instead. Writes the headers about the race.
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

  // Sets the time limits for writing the answer, and returns the object to which the other stages write the answer.
  client_answer open();
  // Returns the writer of the answer; null until a target has won.
  std::unique_ptr<answer_writer>& writer() { return writer_; }

  // Sends the head of an answer. If the head was already sent, sends the facts about the race as a comment in the
  // stream.
  void begin(const racing::race_report& report, std::string_view media_type, client_answer& to) const;
  // Shows the client that its request still runs, if the answer is a stream. Sends the head of the stream, which names
  // no winner yet, and later keepalive comments.
  void show_life(client_answer& to) const;
  // Relays the answer to the client as it arrives from its source. Each event also goes to the observers that read
  // answers. `recorder` is one of these observers, or null.
  boost::asio::awaitable<relayed> relay(answer_source& from, client_answer& to, answer_recorder* recorder);
  // Records how much of the answer was sent to the client.
  void note_end(const relayed& result, const client_answer& to);

  // Sends an error if no part of an answer was sent.
  ended refuse(const api_error& error);
  // Sends an error if the head of an answer may have been sent already. In that case the stream ends with the error.
  ended fail(const api_error& error, client_answer& to, const racing::race_report& report);
  // Sends the error of a race that has no winner.
  ended fail_defeated(const racing::race_report& report, client_answer& to);
  // Ends the answer with an error, because its target failed before the end of the answer.
  ended fail_broken(const racing::race_report& report, client_answer& to);
  // Ends the answer when the time limit drain_timeout has passed.
  ended fail_drained(const racing::race_report& report, client_answer& to);
  // Ends a request that has not started a race, either because its client has left or because the gateway is draining.
  ended end_departed();
  // Ends a request after an exception in its code. Sends an error if the client has not received any byte of an answer.
  // Otherwise aborts the connection.
  ended end_by_bug(std::exception_ptr bug);

  // Records that the request ended without an answer, because the client left or the gateway is shutting down.
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

// Returns the race whose text the client received last. This is the request's first race, or the last continuation that
// has a winner.
race_account& last_speaker(request_record& record);

// Returns the outcome that metrics record for a request that fails with this error before its answer begins.
metrics::request_outcome outcome_of(const api_error& error);

}  // namespace photofinish::gateway
