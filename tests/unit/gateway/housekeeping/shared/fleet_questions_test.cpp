// Tests how one gateway asks another gateway for a receipt. The test passes the messages between the gateways directly, without a store.
#include "gateway/housekeeping/shared/fleet_questions.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

constexpr fleet_questions::wall_seconds question_time{1'000'000s};
constexpr fleet_questions::instant first_round{10s};

struct fleet_questions_test : ::testing::Test {
  fleet_commands commands{"pf"};
  fleet_questions asking{"run1"}, answering{"run2"};

  static fleet_question question(const std::string& caller = "alice") {
    return {.id = {}, .receipt = "race_1", .caller = caller, .sees_all = false, .at = {}};
  }
  fleet_questions::place open(fleet_questions::wall_seconds now = question_time) {
    return asking.open(question(), now, first_round + 2s, {{"run2", true}});
  }
  static store_reply text(const std::string& words) {
    store_reply reply;
    reply.kind = reply_kind::text;
    reply.text = words;
    return reply;
  }
  static std::string page_of(const fleet_question& asked) { return R"({"id":")" + asked.receipt + "\"}"; }
};

TEST_F(fleet_questions_test, AQuestionIsSentOnceAndThenItsAnswerIsRead) {
  const auto mine = open();
  EXPECT_EQ(asking.reads(commands), std::vector<store_command>{commands.ask(mine->question)});
  asking.take({}, std::vector<store_reply>(1));
  EXPECT_EQ(asking.reads(commands), std::vector<store_command>{commands.read_answer(mine->question.id)});
  EXPECT_FALSE(mine->is_over);
  asking.take({}, std::vector{text("page")});
  EXPECT_TRUE(mine->is_over);
  EXPECT_EQ(asking.close(mine).page, "page");
  EXPECT_TRUE(asking.writes(commands, question_time, "one", page_of).empty()) << "the answering gateway removes it";
}

TEST_F(fleet_questions_test, AnotherGatewayAnswersWithItsNameAndRemovesTheQuestion) {
  const fleet_question asked = open()->question;
  answering.take({asked}, {});
  const std::vector<store_command> expected{commands.answer(asked.id, named_page(page_of(asked), "two")),
                                            commands.remove_question(asked.id)};
  EXPECT_EQ(answering.writes(commands, question_time, "two", page_of), expected);
  asking.take({asked}, std::vector<store_reply>(1));
  EXPECT_TRUE(asking.writes(commands, question_time, "one", page_of).empty()) << "it is the gateway's own";
}

TEST_F(fleet_questions_test, AnOldQuestionIsRemovedWithoutAnAnswer) {
  const fleet_question asked = open()->question;
  answering.take({asked}, {});
  const auto late = question_time + fleet_commands::question_life + 1s;
  const std::vector<store_command> expected{commands.remove_question(asked.id)};
  EXPECT_EQ(answering.writes(commands, late, "two", page_of), expected);
}

TEST_F(fleet_questions_test, AQuestionWithoutAnAnswerEndsInTimeAndIsRemoved) {
  const auto mine = open();
  const std::string id = mine->question.id;
  asking.reads(commands);
  asking.take({}, std::vector<store_reply>(1));
  asking.end_round(true, first_round);
  EXPECT_FALSE(mine->is_over);
  asking.end_round(true, first_round + 2s);
  EXPECT_TRUE(mine->is_over);
  const fleet_receipt found = asking.close(mine);
  EXPECT_EQ(found.page, "");
  EXPECT_EQ(found.trouble, "a gateway has not answered in time");
  EXPECT_EQ(asking.writes(commands, question_time, "one", page_of),
            std::vector<store_command>{commands.remove_question(id)});
}

TEST_F(fleet_questions_test, ARoundThatFailsEndsAllQuestions) {
  const auto mine = open();
  asking.end_round(false, first_round);
  EXPECT_TRUE(mine->is_over);
}

TEST_F(fleet_questions_test, OneCallerHasAShareOfThePlaces) {
  for (std::size_t each = 0; each < fleet_questions::most_of_caller; ++each) {
    ASSERT_TRUE(asking.has_room_for(question()));
    open();
  }
  EXPECT_FALSE(asking.has_room_for(question()));
  EXPECT_TRUE(asking.has_room_for(question("bob")));
  EXPECT_FALSE(fleet_questions::is_short(question(std::string(fleet_commands::longest_text + 1, 'x'))));
}

TEST_F(fleet_questions_test, AQuestionEndsWhenEachGatewayHasNoReceiptOrHasStopped) {
  const auto mine = open();
  answering.take({mine->question}, {});
  answering.writes(commands, question_time, "two", [](const fleet_question&) { return std::string(); });
  EXPECT_TRUE(answering.heard().empty()) << "the store may not have the answers yet";
  answering.note_written();
  asking.reads(commands);
  asking.take({}, std::vector<store_reply>(1));
  asking.reads(commands);
  asking.note_answers({{"run2", true}}, {{.run = "run2", .name = "two", .book = {}, .heard = answering.heard()}});
  asking.take({}, std::vector<store_reply>(1));
  EXPECT_TRUE(mine->is_over);
  EXPECT_EQ(asking.close(mine).trouble, "") << "the receipt does not exist";
  const auto next = open();
  asking.note_answers({}, {});
  EXPECT_TRUE(next->missing.empty()) << "run2 has stopped";
}

}  // namespace
}  // namespace photofinish::gateway
