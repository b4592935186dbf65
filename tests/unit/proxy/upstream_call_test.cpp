// What a call holds while its answer streams: not the request, which may be long, and is sent.
#include "proxy/upstream_call.hpp"
#include "proxy/find_dialect.hpp"
#include "tests/support/allocations.hpp"
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
namespace {

namespace asio = boost::asio;

// Answers with what it was given, and looks at the request's body while it sends it.
class scripted_exchange final : public exchange {
 public:
  scripted_exchange(result<response_head> answer, std::vector<std::string> body, std::string& sent,
                    std::vector<bool>& reads_little, std::function<void()> while_sending)
      : answer_(std::move(answer)),
        body_(std::move(body)),
        sent_(sent),
        reads_little_(reads_little),
        while_sending_(std::move(while_sending)) {}

  asio::awaitable<result<response_head>> start(const request_head&, std::span<const std::string_view> body) override {
    for (const std::string_view piece : body) sent_ += piece;
    while_sending_();
    co_return answer_;
  }
  asio::awaitable<void> readable() override { co_return; }
  std::optional<result<std::string_view>> read() override {
    if (next_ == body_.size()) return std::string_view{};
    body_[next_].reserve(body_[next_].size() + 64);  // bytes that may be read
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
  std::vector<std::string> body_;  // one read each
  std::size_t next_ = 0;
  std::string& sent_;
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
    const auto look = [this] { used_while_sending_ = memory_.used(), has_body_while_sending_ = !body_.expired(); };
    call_.emplace(target_, key_, std::move(request), find_dialect("openai")->open_stream({}),
                  std::make_unique<scripted_exchange>(std::move(answer), std::move(answer_body), sent_, reads_little_, look),
                  clock_, finish_, std::make_shared<const redactor>(std::span(&other, 1)), memory_share(memory_, 1, clock_));
    std::optional<result<void>> opened;
    const auto keep = [&]() -> asio::awaitable<void> { opened.emplace(co_await call_->open()); };
    asio::co_spawn(loop_, keep(), [](std::exception_ptr bug) { EXPECT_FALSE(bug); });
    loop_.restart();
    loop_.run();
    return opened.value();
  }

  // All that the call says, to its end or failure.
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
  std::vector<bool> reads_little_;  // what the call asked for behind each read
  std::size_t used_while_sending_ = 0;
  bool has_body_while_sending_ = false;
  std::weak_ptr<const client_body> body_;
  std::optional<upstream_call> call_;
};

TEST_F(upstream_call_test, LetsGoOfTheRequestOnceItIsSent) {
  const auto opened = open(response_head{200, {{"content-type", "text/event-stream"}}});
  EXPECT_TRUE(opened);
  EXPECT_NE(sent_.find(R"("messages":[])"), std::string::npos);
  EXPECT_TRUE(has_body_while_sending_);
  EXPECT_TRUE(body_.expired());
}

TEST_F(upstream_call_test, LetsGoOfTheRequestThatCouldNotBeSent) {
  failure why;
  why.kind = failure_kind::connect;
  const auto opened = open(why);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, failure_kind::connect);
  EXPECT_TRUE(has_body_while_sending_);
  EXPECT_TRUE(body_.expired());
}

TEST_F(upstream_call_test, CountsABodyOfItsOwnUntilItIsSent) {
  prepared_request request;
  request.body = request_body(std::string(100'000, 'x'));
  ASSERT_TRUE(open_with(std::move(request), response_head{200, {{"content-type", "text/event-stream"}}}));
  EXPECT_EQ(sent_, std::string(100'000, 'x'));
  EXPECT_GE(used_while_sending_, 100'000u);
  EXPECT_EQ(memory_.used(), 0u);
}

TEST_F(upstream_call_test, DoesNotSendABodyOfItsOwnThatThereIsNoRoomFor) {
  memory_.set_limit(64u << 10);
  prepared_request request;
  request.body = request_body(std::string(100'000, 'x'));
  const auto opened = open_with(std::move(request), response_head{200, {{"content-type", "text/event-stream"}}});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "gateway_overloaded");
  EXPECT_EQ(sent_, "");
}

const response_head json_head{200, {{"content-type", "application/json; charset=utf-8"}}};
const response_head stream_head{200, {{"content-type", "text/event-stream"}}};

TEST_F(upstream_call_test, ReadsAWholeAnswerInPiecesAsAStream) {
  ASSERT_TRUE(open(json_head, {R"({"id":"i","created":5,"choices":[{"message":{"con)", R"(tent":"hi"},"finish_reason":"stop"}]})"}));
  const std::string said = read_all();
  EXPECT_NE(said.find(R"("delta":{"role":"assistant","content":"hi"})"), std::string::npos) << said;
  EXPECT_NE(said.find(R"("finish_reason":"stop")"), std::string::npos) << said;
  EXPECT_TRUE(said.ends_with("end")) << said;
  EXPECT_EQ(call_->summary().token_events, 1u);
}

// What brings the answer no further is read a little at a time; tokens, and long events that are not whole yet, are not.
TEST_F(upstream_call_test, ReadsLittleOfAFlood) {
  const std::string token = R"(data: {"id":"i","choices":[{"delta":{"content":"a"}}]})" "\n\n";
  const std::string long_event = "data: " + std::string(100'000, ' ');
  ASSERT_TRUE(open(stream_head, {": c\n\n", token, "\n\n", long_event, "{}\n\n" + token, ": c\n", "data: [DONE]\n\n"}));
  EXPECT_TRUE(read_all().ends_with("end"));
  EXPECT_EQ(reads_little_, (std::vector<bool>{true, false, true, false, false, true}));
}

TEST_F(upstream_call_test, TakesAnErrorInAJsonAnswerForAnError) {
  ASSERT_TRUE(open(json_head, {R"({"error":{"message":"no tokens for sk-of-this-call","code":429}})"}));
  EXPECT_EQ(read_all(), "failed: no tokens for [redacted]");
}

TEST_F(upstream_call_test, TakesNoWholeAnswerBeyondTheLimit) {
  target_.limits.max_event_bytes = 50;
  ASSERT_TRUE(open(json_head, {std::string(30, ' '), std::string(21, ' ')}));
  EXPECT_EQ(read_all(), "failed: an answer in one piece is larger than 50 bytes");
}

// Less than is counted, but for what it would be as a stream.
std::string answer_of_many_choices() {
  std::string choices = R"({"text":"a"})";
  for (int count = 1; count < 1000; ++count) choices += R"(,{"text":"a"})";
  return R"({"id":"i","choices":[)" + choices + "]}";
}

TEST_F(upstream_call_test, HoldsNoMoreOfAWholeAnswerThanItsNextEvent) {
  ASSERT_TRUE(open(json_head, {answer_of_many_choices()}));
  EXPECT_FALSE(call_->read());
  std::size_t events = 0;
  for (auto event = call_->read(); event; event = call_->poll()) {
    ASSERT_TRUE(*event);
    EXPECT_EQ(memory_.used(), 0u);
    EXPECT_EQ(call_->may_have_event(), (*event)->kind != event_kind::end);
    ++events;
  }
  EXPECT_EQ(events, 1000u + 1 + 1);  // the choices, what finishes them all, and the end
}

const std::string long_answer = R"({"id":"i","choices":[{"text":")" + std::string(30'000, 'a') + "\"}]}";

TEST_F(upstream_call_test, CountsAWholeAnswerAndWhatIsWrittenOfIt) {
  ASSERT_TRUE(open(json_head, {long_answer}));
  EXPECT_FALSE(call_->read());
  EXPECT_GT(memory_.used(), 30'000u);
  EXPECT_LT(memory_.used(), 60'000u);
  ASSERT_TRUE(call_->read());
  EXPECT_GT(memory_.used(), 60'000u);
  call_.reset();
  EXPECT_EQ(memory_.used(), 0u);
}

TEST_F(upstream_call_test, CountsWhatOneReadBroughtWhileItIsKept) {
  std::string events;
  while (events.size() < 40'000) events += "data: {\"id\":\"i\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
  ASSERT_TRUE(open(response_head{200, {{"content-type", "text/event-stream"}}}, {events, "data: [DONE]\n\n"}));
  ASSERT_TRUE(call_->read());
  EXPECT_EQ(memory_.used(), 0u);
  EXPECT_TRUE(call_->keep_unread());
  EXPECT_GT(memory_.used(), 39'000u);
  while (call_->poll()) {}
  EXPECT_EQ(memory_.used(), 0u);
}

TEST_F(upstream_call_test, FailsAWholeAnswerThatThereIsNoRoomFor) {
  memory_.set_limit(64u << 10);
  ASSERT_TRUE(open(json_head, {long_answer}));
  EXPECT_EQ(read_all(), "failed: max_memory left no room for an answer of this size");
  EXPECT_EQ(memory_.refusals(), 1u);
  EXPECT_FALSE(call_->poll());
}

TEST_F(upstream_call_test, KeepsSecretsOutOfAForeignFinish) {
  ASSERT_TRUE(open(stream_head, {"data: {\"id\":\"i\",\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":"
                                 "\"sk-of-this-call sk-of-another\"}]}\n\ndata: [DONE]\n\n"}));
  EXPECT_TRUE(read_all().ends_with("end"));
  EXPECT_EQ(call_->summary().foreign_finish, "[redacted] [redacted]");
}

// What is clean stays as it is, however many events follow: this key stands in what takes its place.
TEST_F(upstream_call_test, CleansAForeignFinishOnce) {
  key_ = secret("redacted");
  ASSERT_TRUE(open(stream_head, {"data: {\"id\":\"i\",\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":"
                                 "\"redacted\"}]}\n\ndata:\n\ndata: : ping\n\ndata: [DONE]\n\n"}));
  EXPECT_TRUE(read_all().ends_with("end"));
  EXPECT_EQ(call_->summary().foreign_finish, "[redacted]");
}

// As many choices, each of which ends so.
std::string finishes(int count, const std::string& reason) {
  std::string events;
  for (int index = 0; index < count; ++index)
    events += R"(data: {"id":"i","choices":[{"index":)" + std::to_string(index) +
              R"(,"delta":{"content":"a"},"finish_reason":")" + reason + "\"}]}\n\n";
  return events + "data: [DONE]\n\n";
}

// Making a redactor takes ten allocations, and asking it one or two.
TEST_F(upstream_call_test, MakesOneRedactorForAllForeignFinishes) {
  ASSERT_TRUE(open(stream_head, {finishes(500, "stop")}));
  std::size_t before = tests::allocations();
  EXPECT_TRUE(read_all().ends_with("end"));
  const std::size_t plain = tests::allocations() - before;
  sent_.clear();
  ASSERT_TRUE(open(stream_head, {finishes(500, "sk-of-this-call")}));
  before = tests::allocations();
  EXPECT_TRUE(read_all().ends_with("end"));
  EXPECT_LT(tests::allocations() - before, plain + 500 * 4);
  EXPECT_EQ(call_->summary().foreign_finish, "[redacted]");
}

}  // namespace
}  // namespace photofinish::proxy
