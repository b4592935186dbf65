// Sends the client of a request its answer, or an error in place of it, and the headers that tell of the race.
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

  // Bounds the writes of the answer in time, and returns the answer that the others write to.
  client_answer open();
  // The writer of the answer; null while no target has won.
  std::unique_ptr<answer_writer>& writer() { return writer_; }

  // Sends the head of an answer; if that has left, a comment.
  void begin(const racing::race_report& report, std::string_view media_type, client_answer& to) const;
  // Shows that a stream waits: by its head, which has no winner yet, and then by a sign of life.
  void show_life(client_answer& to) const;
  // Sends the answer as it comes from its source, past the observers that read it. `recorder` is one of them, or null.
  boost::asio::awaitable<relayed> relay(answer_source& from, client_answer& to, answer_recorder* recorder);
  // Records how far the answer came.
  void note_end(const relayed& result, const client_answer& to);

  // Sends an error in place of an answer.
  ended refuse(const api_error& error);
  // The same, if the head of an answer may have left: such a stream ends with the error.
  ended fail(const api_error& error, client_answer& to, const racing::race_report& report);
  // No attempt has won.
  ended fail_defeated(const racing::race_report& report, client_answer& to);
  // The target that spoke last broke off.
  ended fail_broken(const racing::race_report& report, client_answer& to);
  // drain_timeout has passed.
  ended fail_drained(const racing::race_report& report, client_answer& to);
  // The client has left, or the gateway has cut the request, before its race or without one.
  ended end_departed();
  // A client that has no byte of an answer gets an error. A stream that has begun ends as broken.
  ended end_by_bug(std::exception_ptr bug);

  // Records a client that left, or a request that was cut, before the answer.
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

// The race whose words the client had last: the request's own, or the last continuation with a winner.
race_account& last_speaker(request_record& record);

// How a request counts that an error ends before its answer.
metrics::request_outcome outcome_of(const api_error& error);

}  // namespace photofinish::gateway
