// Tests the body stage: which parts of a body are read, and when another thread reads the body.
#include "gateway/requests/stages/body_stage.hpp"

#include "tests/unit/gateway/requests/stages/stage_fixture.hpp"

namespace photofinish::gateway {
namespace {

using body_stage_test = stage_fixture;

TEST_F(body_stage_test, PutsTheQuestionIntoThePlanAndItsSizeIntoTheRecord) {
  use();
  const auto asked = request(question());
  body_stage stage(asked->context, *asked->plan);
  EXPECT_FALSE(stage.is_long());
  ASSERT_TRUE(is_next(stage.read()));
  EXPECT_EQ(asked->plan->asked.model, "fast");
  EXPECT_EQ(asked->account.record.model, "fast");
  EXPECT_EQ(asked->account.record.form, answer_form::stream);
  EXPECT_GT(asked->account.record.prompt.bytes, 0u);
  EXPECT_FALSE(asked->context.shows_cost);
}

TEST_F(body_stage_test, ReadsABodyAfterAByteOrderMark) {
  use();
  const auto asked = request("\xEF\xBB\xBF" + question());
  EXPECT_TRUE(is_next(body_stage(asked->context, *asked->plan).read()));
}

TEST_F(body_stage_test, RefusesWhatIsNoJson) {
  use();
  const auto asked = request("{\"model\":");
  EXPECT_EQ(status_of(body_stage(asked->context, *asked->plan).read()), 400);
}

TEST_F(body_stage_test, ReadsALongBodyBesideTheLoop) {
  use();
  const auto asked = request(question(R"(,"user":")" + std::string(3u << 20, 'x') + '"'));
  body_stage stage(asked->context, *asked->plan);
  ASSERT_TRUE(stage.is_long());
  const auto read = start(stage.read_aside());
  ASSERT_TRUE(read->is_done());
  EXPECT_TRUE(is_next(*read->value));
  EXPECT_EQ(jobs_aside, 1);
}

TEST_F(body_stage_test, AMaskedBodyTakesThePlaceOfTheClients) {
  use();
  const auto asked = request(question());
  body_stage stage(asked->context, *asked->plan);
  ASSERT_TRUE(is_next(stage.read()));
  const auto read = start(stage.read_masked(R"({"model":"fast","messages":[{"role":"user","content":"***"}]})", {}));
  ASSERT_TRUE(read->is_done());
  EXPECT_TRUE(is_next(*read->value));
  EXPECT_NE(asked->plan->asked.body->json().find("***"), std::string::npos);
}

TEST_F(body_stage_test, AMaskThatCannotBeReadRefusesWithItsOwnError) {
  use();
  const auto asked = request(question());
  body_stage stage(asked->context, *asked->plan);
  ASSERT_TRUE(is_next(stage.read()));
  api_error unread;
  unread.status = 422;
  const auto read = start(stage.read_masked("[]", unread));
  ASSERT_TRUE(read->is_done());
  EXPECT_EQ(status_of(*read->value), 422);
  EXPECT_NE(asked->plan->asked.body->json().find("Hello"), std::string::npos) << "the plan keeps its question";
}

}  // namespace
}  // namespace photofinish::gateway
