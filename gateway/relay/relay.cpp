#include "gateway/relay/relay.hpp"

#include <utility>

namespace photofinish::gateway {

namespace {

// Writes the events that one read from the provider returned.
class relay_step {
 public:
  relay_step(answer_source& from, answer_writer& writer, client_answer& to, answer_tokens& tokens)
      : from_(from), writer_(writer), to_(to), tokens_(tokens) {}

  void take(const proxy::stream_event& event) {
    if (event.kind != proxy::event_kind::end && !from_.may_have_event()) take_alone(event);
    else take_burst(event);
  }
  void fail(proxy::failure why) { broken_ = std::move(why); }

  bool is_over() const { return is_over_ || broken_; }
  // True if all events of the answer were read. The caller must then call make_ready(), which is slow, and after that
  // finish().
  bool is_waiting() const { return is_waiting_; }
  void make_ready() {
    if (auto ready = writer_.make_ready(); !ready) broken_ = std::move(ready).error();
  }
  void finish() {
    is_waiting_ = false;
    if (broken_) return;
    writer_.end(to_.out());
    to_.start(is_over_);
  }
  proxy::maybe_failure& broken() { return broken_; }

 private:
  void take_alone(const proxy::stream_event& event) {
    const bool may_be_taken = event.keeper != nullptr && (event.is_whole || is_giant(event));
    if (may_be_taken) tokens_.add(event.deltas, event.read_at);
    to_.out().begin_lone();
    if (!lay_down(event)) return;
    to_.start(false);
    // Counts tokens after the text was written, and before the event loop serves other requests.
    if (!may_be_taken) tokens_.add(event.deltas, event.read_at);
  }

  // Adds all other events of the last read to the batch. All of them must be added, because they are in the worker's
  // shared read buffer. The next write may suspend, and another connection may then overwrite that buffer.
  void take_burst(const proxy::stream_event& first) {
    to_.out().begin_batch();
    take_next(first);
    while (!is_over()) {
      auto next = from_.poll();
      if (!next) break;
      if (*next) take_next(**next);
      else broken_ = std::move(*next).error();
    }
    if (!is_over_) to_.start(false);
    else end();
    tokens_.add_held();
  }

  void end() {
    is_waiting_ = writer_.is_long();
    if (is_waiting_) return;
    make_ready();
    finish();
  }

  void take_next(const proxy::stream_event& event) {
    if (to_.is_streamed()) tokens_.hold(event.deltas, event.read_at);
    else tokens_.add(event.deltas, event.read_at);
    if (lay_down(event)) is_over_ = event.kind == proxy::event_kind::end;
  }

  bool lay_down(const proxy::stream_event& event) {
    if (auto added = writer_.add(event, to_.out()); !added) broken_ = std::move(added).error();
    else if (!has_room())
      broken_ = proxy::no_memory_for(to_.is_streamed() ? "the buffered part of an answer of this size"
                                                       : "a whole answer of this size; a streamed answer needs less");
    return !broken_;
  }

  // Reserves memory for the answer. If memory is short, the writer drops data that is stored only for later requests.
  bool has_room() {
    if (to_.hold(writer_.held_bytes())) return true;
    writer_.keep_less();
    return to_.hold(writer_.held_bytes());
  }

  answer_source& from_;
  answer_writer& writer_;
  client_answer& to_;
  answer_tokens& tokens_;
  bool is_over_ = false;
  bool is_waiting_ = false;
  proxy::maybe_failure broken_;
};

boost::asio::awaitable<void> finish_beside(relay_step& step, const run_beside* beside) {
  std::function<void()> work = [&step] { step.make_ready(); };
  if (beside == nullptr) work();
  else co_await (*beside)(std::move(work));
  step.finish();
}

}  // namespace

boost::asio::awaitable<relayed> relay(answer_source& from, answer_writer& writer, client_answer& to,
                                      answer_tokens& tokens, const proxy::alarms& clock, const run_beside* beside) {
  relayed result;
  relay_step step(from, writer, to, tokens);
  bool is_sent = true;
  while (is_sent && !step.is_over()) {
    auto came = from.poll();
    while (!came) {  // next() is not called here, because it would create a coroutine for each token
      co_await from.readable();
      came = from.read();
    }
    if (*came) step.take(**came);
    else step.fail(std::move(*came).error());
    if (step.is_waiting()) co_await finish_beside(step, beside);
    if (!to.is_written()) is_sent = co_await to.finish();
    if (to.has_begun() && !result.first_written_at) result.first_written_at = clock.now();
  }
  if (!is_sent) {
    result.end = answer_end::client_left;
  } else if (step.broken()) {
    result.end = answer_end::truncated;
    result.why = std::move(step.broken());
  }
  co_return result;
}

}  // namespace photofinish::gateway
