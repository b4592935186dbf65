// Tests how answers that arrive too slowly are detected. The rule measures the speed over a window of time, and ignores time in which no
// text is due. Time is virtual.
#include "racing/crawl_rule.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace photofinish::racing {
namespace {

using namespace std::chrono_literals;

// Simulates an answer with this speed. The rule checks the answer once per second.
void flow(crawl_rule& rule, std::uint64_t tokens_a_second, int seconds) {
  for (int second = 0; second < seconds; ++second) rule.passed(1s, tokens_a_second);
}

TEST(CrawlRule, AnAnswerIsJudgedOverAWholeWindowAndNotBefore) {
  crawl_rule rule(10, 10s);
  flow(rule, 9, 9);
  EXPECT_FALSE(rule.is_crawling());
  flow(rule, 9, 1);
  EXPECT_TRUE(rule.is_crawling());
  EXPECT_DOUBLE_EQ(rule.tokens_per_second(), 9);
}

TEST(CrawlRule, OneAtTheLimitDoesNotCrawl) {
  crawl_rule rule(10, 10s);
  flow(rule, 10, 60);
  EXPECT_FALSE(rule.is_crawling());
}

TEST(CrawlRule, AFastBeginningDoesNotHideACrawlBehindIt) {
  crawl_rule rule(10, 10s);
  flow(rule, 500, 3);
  int seconds = 0;
  while (!rule.is_crawling() && seconds < 100) flow(rule, 2, 1), ++seconds;
  EXPECT_EQ(seconds, 10);
}

TEST(CrawlRule, ASilenceOfHalfAWindowIsNoneWhereTheRestIsFastEnough) {
  crawl_rule rule(10, 10s);
  flow(rule, 40, 10);
  rule.passed(5s, 0);
  EXPECT_FALSE(rule.is_crawling());
  flow(rule, 40, 10);
  EXPECT_FALSE(rule.is_crawling());
}

TEST(CrawlRule, ASilenceOfAWindowIsOne) {
  crawl_rule rule(10, 10s);
  flow(rule, 40, 30);
  for (int look = 0; look < 10; ++look) rule.passed(1s, 0);
  EXPECT_TRUE(rule.is_crawling());
  EXPECT_DOUBLE_EQ(rule.tokens_per_second(), 0);
}

TEST(CrawlRule, TimeInWhichNoTextWasDueIsLeftOut) {
  crawl_rule rule(10, 10s);
  for (int look = 0; look < 1000; ++look) rule.passed(0s, 0);
  EXPECT_FALSE(rule.is_crawling());
  EXPECT_EQ(rule.watched(), 0s);
}

// The rule must give the same result as a simple list of all recent checks.
TEST(CrawlRule, TheWindowIsWhatAllLooksSay) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    crawl_rule rule(20, 10s);
    std::vector<std::pair<std::chrono::nanoseconds, std::uint64_t>> looks;
    for (int look = 0; look < 60; ++look) {
      const std::chrono::milliseconds due(std::uniform_int_distribution<int>(1000, 1200)(random));
      const auto tokens = std::uniform_int_distribution<std::uint64_t>(0, 45)(random);
      rule.passed(due, tokens);
      looks.emplace_back(due, tokens);
      std::chrono::nanoseconds sum{0};
      std::uint64_t came = 0;
      for (auto each = looks.rbegin(); each != looks.rend() && sum < 10s; ++each)
        sum += each->first, came += each->second;
      const double wanted = 20 * std::chrono::duration<double>(sum).count();
      const bool is_crawling = sum >= 10s && static_cast<double>(came) < wanted;
      ASSERT_EQ(rule.is_crawling(), is_crawling) << "seed " << seed << ", look " << look;
      ASSERT_LT(rule.watched(), 12s) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace photofinish::racing
