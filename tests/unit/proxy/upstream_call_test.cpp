// What a call holds while its answer streams: not the request, which may be long, and is sent.
#include "proxy/upstream_call.hpp"
#include "tests/support/manual_alarms.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace photofinish::proxy {
namespace {

namespace asio = boost::asio;

// Answers with what it was given, and looks at the request's body while it sends it.
class scripted_exchange final : public exchange {
 public:
  explicit scripted_exchange(result<response_head> answer, std::string& sent) : answer_(std::move(answer)), sent_(sent) {}

  asio::awaitable<result<response_head>> start(const request_head&, std::span<const std::string_view> body) override {
    for (const std::string_view piece : body) sent_ += piece;
    co_return answer_;
  }
  asio::awaitable<void> readable() override { co_return; }
  std::optional<result<std::string_view>> try_read_body() override { return std::string_view{}; }
  std::string_view poll_body() override { return {}; }
  bool has_body_here() const override { return false; }
  bool is_taken() const override { return true; }
  connection_used connection() const override { return connection_used::fresh; }
  std::optional<instant> first_byte_at() const override { return std::nullopt; }
  void cancel() noexcept override {}

 private:
  result<response_head> answer_;
  std::string& sent_;
};

class upstream_call_test : public testing::Test {
 protected:
  result<void> open(result<response_head> answer) {
    auto body = std::make_shared<const client_body>(R"({"model":"m","messages":[]})");
    body_ = body;
    prepared_request request = find_dialect("openai")->prepare({*body, target_, "m", secret(), {}});
    request.edited = std::move(body);
    call_.emplace(target_, secret(), std::move(request), stream_settings{},
                  std::make_unique<scripted_exchange>(std::move(answer), sent_), clock_, finish_);
    EXPECT_FALSE(body_.expired());
    std::optional<result<void>> opened;
    const auto keep = [&]() -> asio::awaitable<void> { opened.emplace(co_await call_->open()); };
    asio::co_spawn(loop_, keep(), [](std::exception_ptr bug) { EXPECT_FALSE(bug); });
    loop_.run();
    return opened.value();
  }

  asio::io_context loop_{1};
  tests::manual_alarms clock_;
  finisher finish_{clock_, loop_.get_executor()};
  provider target_;
  std::string sent_;
  std::weak_ptr<const client_body> body_;
  std::optional<upstream_call> call_;
};

TEST_F(upstream_call_test, LetsGoOfTheRequestOnceItIsSent) {
  const auto opened = open(response_head{200, {{"content-type", "text/event-stream"}}});
  EXPECT_TRUE(opened);
  EXPECT_NE(sent_.find(R"("messages":[])"), std::string::npos);
  EXPECT_TRUE(body_.expired());
}

TEST_F(upstream_call_test, LetsGoOfTheRequestThatCouldNotBeSent) {
  failure why;
  why.kind = failure_kind::connect;
  const auto opened = open(why);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, failure_kind::connect);
  EXPECT_TRUE(body_.expired());
}

}  // namespace
}  // namespace photofinish::proxy
