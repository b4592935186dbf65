// Tests the x-race-* headers of requests and answers.
#include "gateway/api/race_headers.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;

client_request asking(std::string_view name, std::string_view value) {
  client_request request;
  request.fields = {{name, value}};
  return request;
}

racing::plan_overrides overrides(std::string_view name, std::string_view value) {
  return std::get<racing::plan_overrides>(read_overrides(asking(name, value)));
}

TEST(RaceHeaders, ReadsWhatARequestMayAskOfItsRace) {
  EXPECT_EQ(overrides("x-race-policy", "hedge").policy, racing::race_policy::hedge);
  EXPECT_EQ(overrides("x-race-hedge-delay-ms", "250").hedge_delay, 250ms);
  EXPECT_EQ(overrides("x-race-max-parallel", "2").max_parallel, 2u);
  EXPECT_EQ(overrides("x-race-max-attempts", "1").max_attempts, 1u);
}

class ABadOverride : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(RaceHeaders, ABadOverride,
                         ::testing::Values(std::pair{"x-race-policy", "fastest"}, std::pair{"x-race-hedge-delay-ms", "-1"},
                                           std::pair{"x-race-hedge-delay-ms", "1.5"}, std::pair{"x-race-max-parallel", "0"},
                                           std::pair{"x-race-max-parallel", "99999999999"},
                                           std::pair{"x-race-max-attempts", "two"}));
TEST_P(ABadOverride, Is400AndNamesItsHeader) {
  const auto read = read_overrides(asking(GetParam().first, GetParam().second));
  ASSERT_TRUE(std::holds_alternative<api_error>(read));
  EXPECT_EQ(std::get<api_error>(read).param, GetParam().first);
}

TEST(RaceHeaders, OneThatIsThereTwiceIsRefused) {
  for (const std::string_view name : {"x-race-policy", "x-race-max-attempts", "x-race-project", "x-race-session"}) {
    client_request request;
    request.fields = {{name, "1"}, {"accept", "*/*"}, {"accept", "*/*"}, {name, "1"}};
    const auto read = read_overrides(request);
    ASSERT_TRUE(std::holds_alternative<api_error>(read)) << name;
    EXPECT_EQ(std::get<api_error>(read).status, 400);
    EXPECT_EQ(std::get<api_error>(read).param, name);
  }
}

std::string session_of(std::initializer_list<proxy::header_field> fields) {
  client_request request;
  request.fields = fields;
  return std::get<request_marks>(read_marks(request, {})).session;
}

TEST(RaceHeaders, ASessionIsWhatItsAgentSays) {
  EXPECT_EQ(session_of({{"accept", "*/*"}, {"x-claude-code-session-id", "0f9c-2a"}}), "0f9c-2a");
  EXPECT_EQ(session_of({{"session-id", "codex"}}), "codex");
  EXPECT_EQ(session_of({{"session_id", "older"}}), "older");
  EXPECT_EQ(session_of({{"session-id", "codex"}, {"x-race-session", "mine"}}), "mine") << "ours counts first";
  EXPECT_EQ(session_of({{"x-race-policy", "all"}}), "");
}

TEST(RaceHeaders, ASessionThatIsNoIdIsRefusedWhereItIsOursAndElsePassedOver) {
  for (const std::string& bad : {std::string(longest_session + 1, 'x'), std::string("two words"), std::string("caf\xC3\xA9"), std::string()}) {
    const auto read = read_marks(asking("x-race-session", bad), {});
    ASSERT_TRUE(std::holds_alternative<api_error>(read)) << bad;
    EXPECT_EQ(std::get<api_error>(read).param, "x-race-session");
    EXPECT_EQ(session_of({{"session-id", bad}}), "");
  }
  EXPECT_EQ(session_of({{"session-id", std::string(longest_session, 'x')}}).size(), longest_session);
}

std::string value_of(const header_fields& fields, std::string_view name) {
  const std::string text = "\r\n" + std::string(fields.text());
  const std::string wanted = "\r\n" + std::string(name) + ": ";
  const std::size_t found = text.find(wanted);
  if (found == std::string::npos) return "(missing)";
  const std::size_t from = found + wanted.size();
  return text.substr(from, text.find("\r\n", from) - from);
}

TEST(RaceHeaders, AnAnswerTellsItsRace) {
  race_facts facts{.winner = "groq/m", .attempts = 3, .ttft = 212.41ms, .own = 0.52ms};
  facts.skipped = {{"lab/m", "no_key"}};
  facts.dropped = {{"groq/m", "seed"}, {"lab/m", "user"}};
  header_fields fields;
  append_race_fields(fields, facts);
  EXPECT_EQ(value_of(fields, "x-race-winner"), "groq/m");
  EXPECT_EQ(value_of(fields, "x-race-attempts"), "3");
  EXPECT_EQ(value_of(fields, "x-race-ttft-ms"), "212.4");
  EXPECT_EQ(value_of(fields, "x-race-skipped"), "lab/m;reason=no_key");
  EXPECT_EQ(value_of(fields, "x-race-dropped"), "groq/m;param=seed, lab/m;param=user");
}

TEST(RaceHeaders, AnAnswerTellsThatItsRaceWasLowered) {
  header_fields fields, others;
  append_race_fields(fields, {.winner = "groq/m", .attempts = 1, .is_lowered_by_store = true});
  append_race_fields(others, {.winner = "groq/m", .attempts = 1});
  EXPECT_EQ(value_of(fields, "x-race-policy"), "fallback;reason=store");
  EXPECT_EQ(value_of(others, "x-race-policy"), "(missing)");
}

TEST(RaceHeaders, AModelsNameCannotMakeAHeaderOfItsOwn) {
  header_fields fields;
  append_race_fields(fields, {.winner = "groq/m\r\nset-cookie: x", .attempts = 1});
  EXPECT_EQ(value_of(fields, "x-race-winner"), "groq/m??set-cookie: x");
}

TEST(RaceHeaders, ValuesAreBoundedAndVisibleAscii) {
  race_facts facts{.winner = "groq/" + std::string(1'000'000, 'x'), .attempts = 1};
  for (int index = 0; index < 500; ++index) facts.skipped.emplace_back("\xe8\xaa\x9e/\xff", "no_key");
  facts.dropped = facts.skipped;
  header_fields fields;
  append_race_fields(fields, facts);
  EXPECT_LE(value_of(fields, "x-race-winner").size(), 256u);
  EXPECT_TRUE(value_of(fields, "x-race-winner").ends_with("x..."));
  EXPECT_TRUE(value_of(fields, "x-race-skipped").starts_with("???" "/?;reason=no_key, ???" "/?;reason=no_key"));
  EXPECT_TRUE(value_of(fields, "x-race-skipped").ends_with("reason=no_key, ...;more=403"))
      << value_of(fields, "x-race-skipped");
  EXPECT_LE(fields.text().size(), 5'000u);
  for (const char byte : fields.text()) EXPECT_TRUE((byte >= ' ' && byte <= '~') || byte == '\r' || byte == '\n');
  EXPECT_LE(race_comment(facts).size(), 400u);
}

}  // namespace
}  // namespace photofinish::gateway
