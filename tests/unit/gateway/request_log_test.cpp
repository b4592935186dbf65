// The one line per request: what a provider or a client made up goes in as one harmless word, or not at all.
#include "gateway/request_log.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

class RequestLine : public testing::Test {
 protected:
  // Of a request that `groq/m` won, whose stream gave that finish_reason.
  std::string line_of(const std::string& finish) {
    request_record record;
    record.id = "req_1";
    race_runner runner;
    runner.target = {"groq", "m"};
    record.runners.push_back(runner);
    racing::attempt_report attempt;
    attempt.end = racing::attempt_end::won;
    attempt.summary.foreign_finish = finish;
    record.race.attempts.push_back(attempt);
    record.race.winner = 0;
    const metrics::attempt_observation seen{.target = shard_.target("groq", "m"), .outcome = metrics::attempt_outcome::won};
    return request_line(record, std::span(&seen, 1));
  }

 private:
  metrics::series_budget budget_;
  metrics::shard shard_{budget_};
};

TEST_F(RequestLine, KeepsTheRawValueOfAForeignFinish) {
  EXPECT_NE(line_of("eos_token").find("groq/m won finish=eos_token"), std::string::npos) << line_of("eos_token");
}

TEST_F(RequestLine, HasNoFinishWhereTheProviderUsedOneOfOpenAis) {
  EXPECT_EQ(line_of("").find("finish"), std::string::npos);
}

TEST_F(RequestLine, KeepsNothingOfAFinishThatMayBeMoreThanAWord) {
  for (const std::string& odd : {std::string("two words"), std::string("line\nbreak"), std::string("\"quote"), std::string(41, 'x')}) {
    const std::string line = line_of(odd);
    EXPECT_EQ(line.find(odd), std::string::npos) << line;
    EXPECT_NE(line.find("finish=unprintable"), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace photofinish::gateway
