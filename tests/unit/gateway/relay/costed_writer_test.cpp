// Tests answers that report their own cost, in the format of each API.
#include "gateway/relay/costed_writer.hpp"

#include "gateway/api/chat/chat_api.hpp"
#include "gateway/api/messages/messages_api.hpp"
#include "gateway/api/responses/responses_api.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"

#include <memory>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

using namespace testing;

constexpr proxy::token_usage used{.input_tokens = 7, .output_tokens = 2};

// Converts a provider's answer for a client of this API, which differs from the provider's API.
class costed_answer {
 public:
  costed_answer(const api& by, answer_form form, std::string cost,
                costed_writer::usage_cost in_usage = costed_writer::usage_cost::shown)
      : writer_(inner(by, form), [cost] { return cost; }, in_usage, on_end(form)), driver_(writer_) {
    driver_.say({said("Hello")}).say({finished()}, &used).end();
  }

  const answer_driver& got() const { return driver_; }
  const std::string& at_end() const { return at_end_; }  // the cost that was reported at the end; "none" if no cost was reported

 private:
  static std::unique_ptr<answer_writer> inner(const api& by, answer_form form) {
    parsed_request asked{.format = proxy::wire_format::openai_chat, .form = form, .usage = proxy::usage_chunk::wanted};
    asked.body = std::make_shared<const proxy::client_body>("{}");
    return by.writer(asked, {.id = "1", .model = "m", .spoken = proxy::wire_format::gemini});
  }
  std::function<void(std::string_view)> on_end(answer_form form) {
    if (form != answer_form::whole) return {};
    return [this](std::string_view cost) { at_end_ = cost; };
  }

  std::string at_end_ = "none";
  costed_writer writer_;
  answer_driver driver_;
};

TEST(CostedWriter, AWholeAnswersUsageHasTheCost) {
  const chat_api chat;
  const messages_api messages;
  const responses_api responses;
  for (const api* each : {static_cast<const api*>(&chat), static_cast<const api*>(&messages),
                          static_cast<const api*>(&responses)}) {
    const costed_answer answer(*each, answer_form::whole, "0.00125");
    EXPECT_EQ(answer.got().whole().at("usage").at("cost"), 0.00125) << answer.got().bytes();
    EXPECT_EQ(answer.at_end(), "0.00125");
  }
}

TEST(CostedWriter, AStreamsLastUsageHasTheCost) {
  const costed_answer message(messages_api(), answer_form::stream, "0.00125");
  EXPECT_EQ(message.got().last_of("message_delta").at("usage").at("cost"), 0.00125) << message.got().bytes();
  EXPECT_FALSE(message.got().last_of("message_start").at("message").at("usage").contains("cost"));
  const costed_answer response(responses_api(), answer_form::stream, "0.00125");
  EXPECT_EQ(response.got().last_of("response.completed").at("response").at("usage").at("cost"), 0.00125);
  const costed_answer chat(chat_api(), answer_form::stream, "0.00125");
  EXPECT_NE(chat.got().bytes().find(R"("usage":{"cost":0.00125,"prompt_tokens":7)"), std::string::npos)
      << chat.got().bytes();
  EXPECT_TRUE(chat.got().bytes().ends_with("data: [DONE]\n\n"));
}

TEST(CostedWriter, AnUnknownCostIsLeftOut) {
  const costed_answer whole(chat_api(), answer_form::whole, "");
  EXPECT_FALSE(whole.got().whole().at("usage").contains("cost"));
  EXPECT_EQ(whole.at_end(), "");
  EXPECT_EQ(costed_answer(chat_api(), answer_form::stream, "").got().bytes().find("cost"), std::string::npos);
}

TEST(CostedWriter, AClientThatDidNotAskFindsNoCostInTheUsage) {
  const costed_answer whole(chat_api(), answer_form::whole, "0.5", costed_writer::usage_cost::hidden);
  EXPECT_FALSE(whole.got().whole().at("usage").contains("cost"));
  EXPECT_EQ(whole.at_end(), "0.5");
}

TEST(CostedWriter, APassedChunkKeepsItsOtherMembers) {
  EXPECT_EQ(with_cost(R"({"choices":[],"usage":{"prompt_tokens":7,"cost":9.5},"x":1})", "0.5"),
            R"({"choices":[],"usage":{"prompt_tokens":7,"cost":0.5},"x":1})");
  EXPECT_EQ(with_cost(R"({"type":"response.completed","response":{"usage":{"input_tokens":7}}})", "0.5"),
            R"({"type":"response.completed","response":{"usage":{"cost":0.5,"input_tokens":7}}})");
  EXPECT_EQ(with_cost(R"({"choices":[],"usage":null})", "0.5"), R"({"choices":[],"usage":null})");
}

}  // namespace
}  // namespace photofinish::gateway
