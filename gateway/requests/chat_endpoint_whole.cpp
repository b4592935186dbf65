// The answers of clients that do not stream: gathered, then written at once.
#include "gateway/requests/chat_endpoint.hpp"

#include "gateway/api/chat/answer_collector.hpp"
#include "gateway/api/error_response.hpp"
#include "gateway/records/request_log.hpp"
#include "gateway/requests/winner_reader.hpp"

#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;
using metrics::request_outcome;

namespace {

proxy::failure no_room() { return proxy::no_memory_for("a whole answer of this size; a stream needs less"); }

}  // namespace

asio::awaitable<after_response> chat_endpoint::answer_whole(racing::race_run& run) {
  winner_reader winner(run.winner(), run.held_failure(), worker_.alarms, limits_,
                       record_.received_at + limits_.total_timeout, {});
  proxy::memory_share held = memory_.another();
  auto whole = co_await collect(run, winner, held);
  run.winner().close();
  if (client_.has_left()) {
    record_.status = client_left_status;
    record_.outcome = request_outcome::client_cancelled;
    co_return after_response::close;
  }
  const race_facts facts = facts_of(run.report());
  if (!whole) {
    record_.broken = whole.error();
    const api_error error = explain_broken_winner(facts.winner, whole.error());
    record_.outcome = error.type == "server_error" ? request_outcome::gateway_error : request_outcome::truncated;
    record_.status = error.status;
    record_.code = error.code;
    co_return co_await send(error_response(error, fields_with(facts), style_));
  }
  const bool is_sent = co_await send_whole(facts, std::move(*whole), std::move(held));
  record_.outcome = is_sent ? request_outcome::ok : left_outcome();
  co_return is_sent ? style_.then : after_response::close;
}

// A short answer is one write; a long one is not copied behind its head.
asio::awaitable<bool> chat_endpoint::send_whole(const race_facts& facts, proxy::long_text answer,
                                                  proxy::memory_share held) {
  std::string head = whole_head(200, "application/json", answer.size(), fields_with(facts), style_);
  if (answer.size() <= proxy::memory_share::step) {
    head += answer.text();
    answer = {};
  }
  const std::string_view piece = head;
  client_.start_write(std::span(&piece, 1));
  if (!answer.empty()) client_.start_write_of(std::move(answer), std::move(held));
  record_.status = client_.has_left() ? client_left_status : 200;
  co_return co_await client_.finish_write();
}

asio::awaitable<proxy::result<proxy::long_text>> chat_endpoint::collect(racing::race_run& run, winner_reader& winner,
                                                                   proxy::memory_share& held) {
  answer_collector collector;
  for (proxy::kept_event& early : run.held_events()) {
    const proxy::stream_event event = early.view();
    if (event.json.empty()) continue;
    if (auto added = collector.add(event.json); !added) co_return std::move(added).error();
  }
  tokens_.add(run.held_events());
  bool is_over = run.held_events().back().kind() == proxy::event_kind::end;
  while (!is_over) {
    auto event = winner.poll();
    if (!event) {
      auto next = co_await winner.next();
      event = std::move(next);
    }
    if (!*event) co_return std::move(*event).error();
    const proxy::stream_event& said = **event;
    is_over = said.kind == proxy::event_kind::end;
    tokens_.add(said.deltas, said.read_at);
    if (said.json.empty()) continue;
    if (auto added = collector.add(said.json); !added) co_return std::move(added).error();
    if (!held.grow_to(collector.held_bytes(), proxy::memory_use::running)) co_return no_room();
  }
  proxy::long_text whole = std::move(collector).finish();
  held.shrink_to(whole.size());
  co_return whole;
}

}  // namespace photofinish::gateway
