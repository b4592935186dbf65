// Tests the observer that records which reasoning an answer_writer has written, and when.
#include "gateway/api/conversation/opaque_recorder.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway::testing {
namespace {

using when = opaque_recorder::given;

class refusing_writer final : public answer_writer {
 public:
  explicit refusing_writer(bool& refuses) : refuses_(refuses) {}
  proxy::result<void> add(const proxy::stream_event&, outgoing&) override {
    if (refuses_) return proxy::failure{};
    return {};
  }
  void end(outgoing& to) override { to.put("end"); }
  void fail(const api_error&, outgoing& to) override { to.put("failed"); }

 private:
  bool& refuses_;
};

class opaque_recorder_test : public ::testing::Test {
 protected:
  opaque_recorder make(when given) {
    return {std::make_unique<refusing_writer>(refuses_),
            {.id_of = [this](std::string_view text) { return texts_.emplace_back(text), texts_.size() - 1; },
             .note = [this](std::uint64_t id) { noted_.push_back(texts_.at(id)); }},
            given};
  }
  bool refuses_ = false;
  std::vector<std::string> texts_, noted_;
};

delta claude_signs(std::string_view text) { return {.kind = delta_kind::signature, .text = text, .id = "anthropic_messages"}; }
delta openai_hides(std::string_view text) { return {.kind = delta_kind::opaque, .text = text, .id = "openai_responses"}; }

TEST_F(opaque_recorder_test, OfAStreamItIsNotedAsItPasses) {
  opaque_recorder recorder = make(when::by_event);
  answer_driver driver(recorder);
  driver.say_each({thought("hm"), claude_signs("S"), openai_hides("H"), said("a"), called(0, "f", "c1"), arguments(0, "{}")});
  EXPECT_EQ(noted_, (std::vector<std::string>{"S", "H"}));
  driver.say_each({openai_hides("I"), finished()}).end();
  EXPECT_EQ(noted_, (std::vector<std::string>{"S", "H", "I"})) << "each once";
  EXPECT_EQ(driver.bytes(), "end") << "the writer's own";
}

TEST_F(opaque_recorder_test, OfAWholeAnswerItIsNotedAtTheEnd) {
  opaque_recorder recorder = make(when::at_end);
  answer_driver driver(recorder);
  driver.say({thought("hm"), claude_signs("S"), said("a"), openai_hides("H")});
  EXPECT_EQ(noted_, std::vector<std::string>());
  driver.end();
  EXPECT_EQ(noted_, (std::vector<std::string>{"S", "H"}));
}

TEST_F(opaque_recorder_test, NothingIsNotedOfAWholeAnswerThatFails) {
  opaque_recorder recorder = make(when::at_end);
  answer_driver driver(recorder);
  driver.say({claude_signs("S")}).fail({});
  EXPECT_EQ(driver.bytes(), "failed");
  EXPECT_EQ(noted_, std::vector<std::string>());
}

TEST_F(opaque_recorder_test, AnEventThatCannotBeWrittenIsNotNoted) {
  opaque_recorder recorder = make(when::by_event);
  answer_driver driver(recorder);
  refuses_ = true;
  driver.say({claude_signs("S")});
  EXPECT_FALSE(driver.is_good());
  EXPECT_EQ(noted_, std::vector<std::string>());
}

TEST_F(opaque_recorder_test, NoTextIsAskedForWhereNothingIsOpaque) {
  opaque_recorder recorder = make(when::by_event);
  answer_driver driver(recorder);
  driver.say_each({thought("hm"), said("a"), claude_signs(""), finished()}).end();
  EXPECT_EQ(texts_, std::vector<std::string>());
  EXPECT_EQ(recorder.held_bytes(), 0u);
}

TEST_F(opaque_recorder_test, AnEndlessAnswerIsNotedUpToABound) {
  opaque_recorder recorder = make(when::by_event);
  answer_driver driver(recorder);
  for (int count = 0; count < 3000; ++count) driver.say({openai_hides("H")});
  EXPECT_EQ(noted_.size(), 1000u);
}

}  // namespace
}  // namespace photofinish::gateway::testing
