// An upstream that plays scripted events. Delays in the script follow the time of the test's alarms.
#pragma once

#include "proxy/loop/alarms.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/upstream.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <deque>
#include <string>
#include <utility>
#include <variant>

namespace photofinish::tests {

// One step of a script: after `delay`, an event arrives or the attempt fails. The upstream is silent after the last step.
struct scripted_step {
  std::chrono::nanoseconds delay{0};
  std::variant<proxy::event_kind, proxy::failure> what;
  std::string json = "{}";
  bool is_same_read = false;  // true if this event arrives in the same read as the previous event
};

struct upstream_script {
  std::chrono::nanoseconds open_delay{0};
  std::optional<proxy::failure> open_failure;
  bool never_opens = false;
  bool keeps_unread = false;
  std::deque<scripted_step> steps;
};

// The actions of a scripted upstream, recorded for the test. The record outlives the upstream.
struct upstream_record {
  bool was_opened = false;
  bool was_closed = false;
  bool is_destroyed = false;
  int calls_running = 0;
  std::size_t steps_taken = 0;
};

class scripted_upstream final : public proxy::upstream {
 public:
  scripted_upstream(upstream_script script, proxy::alarms& alarms, boost::asio::any_io_executor executor,
                    upstream_record& record)
      : script_(std::move(script)), alarms_(alarms), executor_(std::move(executor)), record_(record),
        alarm_(alarms, [this] { signal_.wake(); }) {}
  ~scripted_upstream() override {
    assert(record_.calls_running == 0);
    record_.is_destroyed = true;
  }

  boost::asio::awaitable<proxy::result<void>> open() override {
    record_.was_opened = true;
    const bool is_cut = !co_await pass(script_.open_delay, script_.never_opens);
    if (is_cut) co_return cancelled();
    if (script_.open_failure) co_return *script_.open_failure;
    co_return proxy::result<void>{};
  }

  boost::asio::awaitable<void> readable() override {
    const bool is_silent = script_.steps.empty();
    const auto delay = is_silent ? std::chrono::nanoseconds{0} : script_.steps[0].delay;
    co_await pass(delay, is_silent);
  }
  std::optional<proxy::result<proxy::stream_event>> read() override {
    if (record_.was_closed) return cancelled();
    has_read_ = true;
    return take_step();
  }

  std::optional<proxy::result<proxy::stream_event>> poll() override {
    if (!may_have_event()) return std::nullopt;
    return take_step();
  }
  bool keep_unread() override { return script_.keeps_unread; }
  // True if the next step arrives in the same read as the previous step, so that its event is already available.
  bool may_have_event() const override {
    return !record_.was_closed && has_read_ && !script_.steps.empty() && script_.steps[0].is_same_read;
  }

  void close() noexcept override {
    if (record_.was_closed) return;
    record_.was_closed = true;
    alarm_.disarm();
    if (signal_.has_waiter()) boost::asio::post(executor_, [this] { signal_.wake(); });
  }

  const proxy::stream_summary& summary() const override { return summary_; }

 private:
  // Waits for the delay. Returns false if the upstream was closed meanwhile.
  boost::asio::awaitable<bool> pass(std::chrono::nanoseconds delay, bool for_ever) {
    ++record_.calls_running;
    const proxy::instant until = alarms_.now() + delay;
    while (!record_.was_closed && (for_ever || alarms_.now() < until)) {
      if (!for_ever) alarm_.arm(until);
      co_await signal_.wait();
    }
    --record_.calls_running;
    co_return !record_.was_closed;
  }

  proxy::result<proxy::stream_event> take_step() {
    const scripted_step step = script_.steps.front();
    script_.steps.pop_front();
    ++record_.steps_taken;
    if (const auto* failure = std::get_if<proxy::failure>(&step.what)) return *failure;
    json_ = step.json;
    piece_ = json_;
    proxy::stream_event event;
    event.kind = std::get<proxy::event_kind>(step.what);
    event.spoken = proxy::wire_format::openai_chat;
    if (!piece_.empty()) event.json = {&piece_, 1};
    event.read_at = alarms_.now();
    if (event.kind == proxy::event_kind::token && !summary_.first_token_at) summary_.first_token_at = event.read_at;
    return event;
  }

  static proxy::failure cancelled() {
    proxy::failure why;
    why.kind = proxy::failure_kind::cancelled;
    return why;
  }

  upstream_script script_;
  proxy::alarms& alarms_;
  boost::asio::any_io_executor executor_;
  upstream_record& record_;
  proxy::stream_summary summary_;
  std::string json_;
  std::string_view piece_;
  bool has_read_ = false;
  proxy::signal signal_;
  proxy::alarm alarm_;
};

}  // namespace photofinish::tests
