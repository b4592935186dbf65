// A fixture with an upstream_call, which uses a scripted exchange that returns a given answer.
#pragma once

#include "proxy/find_dialect.hpp"
#include "proxy/upstream_call.hpp"
#include "tests/support/manual_alarms.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

namespace asio = boost::asio;

inline const response_head json_head{200, {{"content-type", "application/json; charset=utf-8"}}};
inline const response_head stream_head{200, {{"content-type", "text/event-stream"}}};

// An exchange that returns the given answer. While it sends the request, it checks the request's body.
class scripted_exchange final : public exchange {
 public:
  scripted_exchange(result<response_head> answer, std::vector<std::string> body, std::string& sent, request_head& head,
                    std::vector<bool>& reads_little, std::function<void()> while_sending)
      : answer_(std::move(answer)),
        body_(std::move(body)),
        sent_(sent),
        head_(head),
        reads_little_(reads_little),
        while_sending_(std::move(while_sending)) {}

  asio::awaitable<result<response_head>> start(const request_head& head, std::span<const std::string_view> body) override {
    head_ = head;
    for (const std::string_view piece : body) sent_ += piece;
    while_sending_();
    co_return answer_;
  }
  asio::awaitable<void> readable() override { co_return; }
  std::optional<result<std::string_view>> read() override {
    if (next_ == body_.size()) return std::string_view{};
    body_[next_].reserve(body_[next_].size() + 64);  // 64 readable bytes must follow the returned bytes
    return std::string_view(body_[next_++]);
  }
  std::string_view poll() override { return {}; }
  bool has_body_here() const override { return false; }
  std::size_t keep_unread() override { return 0; }
  bool is_taken() const override { return true; }
  connection_used connection() const override { return connection_used::fresh; }
  std::optional<instant> first_byte_at() const override { return std::nullopt; }
  void read_little(bool is_little) noexcept override { reads_little_.push_back(is_little); }
  void cancel() noexcept override {}

 private:
  result<response_head> answer_;
  std::vector<std::string> body_;  // pieces of the answer's body; each read returns one piece
  std::size_t next_ = 0;
  std::string& sent_;
  request_head& head_;
  std::vector<bool>& reads_little_;
  std::function<void()> while_sending_;
};

class upstream_call_test : public testing::Test {
 protected:
  result<void> open(result<response_head> answer, std::vector<std::string> answer_body = {}) {
    auto body = std::make_shared<const client_body>(R"({"model":"m","messages":[]})");
    body_ = body;
    const secret key;
    prepared_request request =
        find_dialect("openai")->prepare({std::move(body), wire_format::openai_chat, target_, "m", key, {}});
    return open_with(std::move(request), std::move(answer), std::move(answer_body));
  }

  result<void> open_with(prepared_request request, result<response_head> answer, std::vector<std::string> answer_body = {}) {
    const secret other("sk-of-another");
    const auto look = [this] {
      used_while_sending_ = memory_.used(), has_body_while_sending_ = !body_.expired();
      connection_while_sending_ = call_->summary().connection;
    };
    call_.emplace(target_, key_, std::move(request), stream_ ? std::move(stream_) : find_dialect("openai")->open_stream({}),
                  std::make_unique<scripted_exchange>(std::move(answer), std::move(answer_body), sent_, head_, reads_little_, look),
                  clock_, finish_, std::make_shared<const redactor>(std::span(&other, 1)), memory_share(memory_, 1, clock_));
    std::optional<result<void>> opened;
    const auto keep = [&]() -> asio::awaitable<void> { opened.emplace(co_await call_->open()); };
    asio::co_spawn(loop_, keep(), [](std::exception_ptr bug) { EXPECT_FALSE(bug); });
    loop_.restart();
    turns_ = loop_.run();
    return opened.value();
  }

  // Returns everything that the call reads until the call ends or fails.
  std::string read_all() {
    std::string text;
    while (true) {
      auto event = call_->read();
      for (; event; event = call_->poll()) {
        if (!*event) return text + "failed: " + event->error().detail;
        for (const std::string_view piece : (*event)->json) text += piece;
        text += "\n";
        if ((*event)->kind == event_kind::end) return text + "end";
      }
    }
  }

  asio::io_context loop_{1};
  tests::manual_alarms clock_;
  finisher finish_{clock_, loop_.get_executor()};
  memory_budget memory_{64u << 20};
  provider target_;
  secret key_{"sk-of-this-call"};
  std::string sent_;
  request_head head_;
  std::size_t turns_ = 0;  // number of turns of the event loop until the call was open
  std::unique_ptr<dialect_stream> stream_;  // a stream of another dialect; null means OpenAI's dialect
  std::vector<bool> reads_little_;  // one entry for each read: true if the call limits the next read to a small size
  std::size_t used_while_sending_ = 0;
  bool has_body_while_sending_ = false;
  connection_used connection_while_sending_ = connection_used::none;
  std::weak_ptr<const client_body> body_;
  std::optional<upstream_call> call_;
};

}  // namespace photofinish::proxy
