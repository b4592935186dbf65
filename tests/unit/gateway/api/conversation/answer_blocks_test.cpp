// Tests how the memory of an answer's content blocks is counted. The count must include all data whose size a provider can choose.
#include "gateway/api/conversation/answer_blocks.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::gateway::testing {
namespace {

class silent_listener final : public block_listener {
 public:
  void on_open(const answer_block&) override {}
  void on_text(const answer_block&, std::string_view) override {}
  void on_citation(const answer_block&, std::string_view) override {}
  void on_close(const answer_block&) override {}
};

class answer_blocks_test : public ::testing::Test {
 protected:
  void say(const delta& each) { blocks_.add(each, to_); }

  silent_listener to_;
  answer_blocks blocks_{block_texts::passed, "a1"};
};

// Records one word for each call of a listener function.
class noting_listener final : public block_listener {
 public:
  void on_open(const answer_block&) override { said += "open "; }
  void on_text(const answer_block&, std::string_view text) override { said.append(text).append(" "); }
  void on_citation(const answer_block&, std::string_view) override {}
  void on_close(const answer_block& block) override { said.append("close:").append(block.signature).append(" "); }
  std::string said;
};

TEST(AnswerBlocks, SignedReasoningIsWholeAndMoreIsAnother) {
  noting_listener to;
  answer_blocks blocks(block_texts::passed, "a1");
  for (const char* name : {"1", "2"}) {
    blocks.add({.kind = delta_kind::reasoning, .text = std::string_view(name)}, to);
    blocks.add({.kind = delta_kind::signature, .text = "S", .id = "anthropic_messages"}, to);
    blocks.add({.kind = delta_kind::signature, .text = std::string_view(name), .id = "anthropic_messages"}, to);
  }
  blocks.finish(false, to);
  EXPECT_EQ(to.said, "open 1 close:S1 open 2 close:S2 ");
}

TEST(AnswerBlocks, ACallWithoutArgumentsHasNoneInJson) {
  noting_listener whole, cut;
  answer_blocks ended(block_texts::passed, "a1"), broken(block_texts::passed, "a1");
  ended.add(called(0, "f", "call_1"), whole);
  ended.finish(false, whole);
  EXPECT_EQ(whole.said, "open {} close: ");
  broken.add(called(0, "f", "call_1"), cut);
  broken.finish(true, cut);
  EXPECT_EQ(cut.said, "open close: ");
}

TEST_F(answer_blocks_test, IdsOfCallsAreHeldToTheEnd) {
  constexpr std::size_t calls = 1000, id_bytes = 1000;
  for (std::size_t at = 0; at < calls; ++at) {
    const std::string id = std::to_string(at) + std::string(id_bytes, 'i');
    say(called(static_cast<std::int64_t>(at), "f", id));
    say(arguments(static_cast<std::int64_t>(at), "{}"));
  }
  EXPECT_GE(blocks_.held_bytes(), calls * id_bytes);
  EXPECT_LT(blocks_.waiting_bytes(), 3 * id_bytes) << "of the last call alone";
  blocks_.finish(false, to_);
  EXPECT_GE(blocks_.held_bytes(), calls * id_bytes);
  EXPECT_EQ(blocks_.waiting_bytes(), 0u);
}

TEST_F(answer_blocks_test, SoAreTheNumbersOfCallsWithoutIds) {
  for (std::int64_t at = 0; at < 1000; ++at) {
    say(called(at, "f", ""));
    say(arguments(at, "{}"));
  }
  EXPECT_GE(blocks_.held_bytes(), 1000 * (sizeof(std::int64_t) + std::string_view("call_a1_0").size()));
}

TEST_F(answer_blocks_test, NamesAndWhoSignedAreHeldWhileTheyWait) {
  const std::string name(5000, 'n'), reader(5000, 'r');
  say({.kind = delta_kind::signature, .text = "S", .id = reader});
  EXPECT_GE(blocks_.held_bytes(), reader.size());
  say(called(0, name, "call_1"));
  EXPECT_GE(blocks_.held_bytes(), name.size());
  EXPECT_LT(blocks_.held_bytes(), name.size() + reader.size()) << "the reasoning has closed";
  blocks_.finish(false, to_);
  EXPECT_EQ(blocks_.waiting_bytes(), 0u);
}

// If a provider repeats the id of a tool call, the gateway assigns a new id. Only the memory of the new id is counted.
TEST_F(answer_blocks_test, AnIdThatIsReplacedIsLetGo) {
  const std::string id(5000, 'i');
  for (std::int64_t at = 0; at < 3; ++at) {
    say(called(at, "f", id));
    say(arguments(at, "{}"));
  }
  blocks_.finish(false, to_);
  EXPECT_EQ(blocks_.waiting_bytes(), 0u);
  EXPECT_LT(blocks_.held_bytes(), 2 * id.size());
}

}  // namespace
}  // namespace photofinish::gateway::testing
