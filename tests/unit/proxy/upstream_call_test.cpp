// Tests the memory of a call while its answer is streamed. The call must not keep the request, which may be long and has already been sent.
#include "tests/support/allocations.hpp"
#include "tests/unit/proxy/upstream_call_fixture.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>

namespace photofinish::proxy {
namespace {

TEST_F(upstream_call_test, LetsGoOfTheRequestOnceItIsSent) {
  const auto opened = open(response_head{200, {{"content-type", "text/event-stream"}}});
  EXPECT_TRUE(opened);
  EXPECT_NE(sent_.find(R"("messages":[])"), std::string::npos);
  EXPECT_TRUE(has_body_while_sending_);
  EXPECT_TRUE(body_.expired());
}

// A losing attempt has a cost as soon as its request was sent, even if no answer has arrived. The gateway counts this cost only if the
// attempt has a connection. Therefore the call must report its connection before the head of the answer arrives.
TEST_F(upstream_call_test, KnowsItsConnectionBeforeTheHeadHasCome) {
  EXPECT_TRUE(open(json_head));
  EXPECT_EQ(connection_while_sending_, connection_used::fresh);
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

TEST_F(upstream_call_test, ReadsAWholeAnswerInPiecesAsAStream) {
  ASSERT_TRUE(open(json_head, {R"({"id":"i","created":5,"choices":[{"message":{"con)", R"(tent":"hi"},"finish_reason":"stop"}]})"}));
  const std::string said = read_all();
  EXPECT_NE(said.find(R"("delta":{"role":"assistant","content":"hi"})"), std::string::npos) << said;
  EXPECT_NE(said.find(R"("finish_reason":"stop")"), std::string::npos) << said;
  EXPECT_TRUE(said.ends_with("end")) << said;
  EXPECT_EQ(call_->summary().token_events, 1u);
}

// If received bytes do not advance the answer, the next read is small. After tokens or parts of a long event, the next read is large.
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

// Returns a small answer with many choices. The memory limit does not count the answer, but it counts the much larger stream that the
// gateway makes from the answer.
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
  EXPECT_EQ(events, 1000u + 1 + 1);  // one event for each choice, the chunk that finishes all choices, and the end of the stream
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

// A provider's finish reason may contain a key, which the gateway removes. The gateway must search the finish reason only once, however
// many events follow. In this test the key is "redacted", which also occurs in the replacement text.
TEST_F(upstream_call_test, CleansAForeignFinishOnce) {
  key_ = secret("redacted");
  ASSERT_TRUE(open(stream_head, {"data: {\"id\":\"i\",\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":"
                                 "\"redacted\"}]}\n\ndata:\n\ndata: : ping\n\ndata: [DONE]\n\n"}));
  EXPECT_TRUE(read_all().ends_with("end"));
  EXPECT_EQ(call_->summary().foreign_finish, "[redacted]");
}

std::string chunk_of(const std::string& choice) { return "data: {\"id\":\"i\",\"choices\":[" + choice + "]}\n\n"; }

TEST_F(upstream_call_test, KeepsSecretsOutOfTheProvidersOwnWords) {
  ASSERT_TRUE(open(stream_head, {chunk_of(R"({"delta":{"content":"a"},"finish_reason":"content_filter",)"
                                          R"("native_finish_reason":"sk-of-another","content_filter_results":{"error":{"message":"s\u006b-of-this-call \" ok"}}})"),
                                 "data: [DONE]\n\n"}));
  const std::string said = read_all();
  EXPECT_NE(said.find(R"("native_finish_reason":"[redacted]")"), std::string::npos) << said;
  EXPECT_NE(said.find(R"({"message":"[redacted] \" ok"})"), std::string::npos) << said;
}

// A model's text stays unchanged, even if it looks like a key.
TEST_F(upstream_call_test, LeavesTheModelsWordsAlone) {
  ASSERT_TRUE(open(stream_head, {chunk_of(R"({"delta":{"content":"sk-of-this-call","refusal":"sk-of-another"},"finish_reason":"stop"})"),
                                 "data: [DONE]\n\n"}));
  const std::string said = read_all();
  EXPECT_NE(said.find("sk-of-this-call"), std::string::npos) << said;
  EXPECT_NE(said.find("sk-of-another"), std::string::npos) << said;
}

// Returns the events of a stream with `count` choices. Each choice ends with the finish reason `reason`.
std::string finishes(int count, const std::string& reason) {
  std::string events;
  for (int index = 0; index < count; ++index)
    events += R"(data: {"id":"i","choices":[{"index":)" + std::to_string(index) +
              R"(,"delta":{"content":"a"},"finish_reason":")" + reason + "\"}]}\n\n";
  return events + "data: [DONE]\n\n";
}

// Creating a redactor, which removes keys from texts, takes ten memory allocations. Each use of the redactor takes one or two.
TEST_F(upstream_call_test, MakesOneRedactorForAllForeignFinishes) {
  ASSERT_TRUE(open(stream_head, {finishes(500, "stop")}));
  std::size_t before = tests::allocations();
  EXPECT_TRUE(read_all().ends_with("end"));
  const std::size_t plain = tests::allocations() - before;
  sent_.clear();
  ASSERT_TRUE(open(stream_head, {finishes(500, "sk-of-this-call")}));
  before = tests::allocations();
  EXPECT_TRUE(read_all().ends_with("end"));
  EXPECT_LT(tests::allocations() - before, plain + 500 * 4 + 100);
  EXPECT_EQ(call_->summary().foreign_finish, "[redacted]");
}

}  // namespace
}  // namespace photofinish::proxy
