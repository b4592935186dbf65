#include "gateway/bench/workload/workload.hpp"

#include "gateway/bench/level_report.hpp"
#include "gateway/bench/load/request_text.hpp"
#include "gateway/bench/plan.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {
namespace {

using nlohmann::json;

workload good(const std::string& text) {
  workload_result read = read_workload(text);
  if (const auto* problems = std::get_if<std::vector<std::string>>(&read)) {
    for (const std::string& each : *problems) ADD_FAILURE() << each;
    return {};
  }
  return std::get<workload>(std::move(read));
}

std::vector<std::string> problems(const std::string& text) {
  workload_result read = read_workload(text);
  const auto* found = std::get_if<std::vector<std::string>>(&read);
  return found ? *found : std::vector<std::string>{};
}

TEST(Workload, TakesTheLinesOfSeveralTools) {
  const workload read = good(R"({"messages":[{"role":"system","content":"a"},{"role":"user","content":"b"}],"max_tokens":7,"temperature":0.5,"model":"x","stream":false}
{"prompt":"say \"hi\"","output_tokens":9}
{"text":"hello","output_length":11,"session_id":"s"}

{"input_length":500,"output_length":13,"hash_ids":[1,2]}
)");
  ASSERT_EQ(read.prompts.size(), 4u);
  EXPECT_EQ(json::parse(read.prompts[0].messages).size(), 2u);
  EXPECT_EQ(read.prompts[0].max_tokens, 7u);
  const std::vector<std::pair<std::string, std::string>> members{{"temperature", "0.5"}};
  EXPECT_EQ(read.prompts[0].members, members) << "model and stream are the bench's own";
  EXPECT_EQ(json::parse(read.prompts[1].messages)[0]["content"], "say \"hi\"");
  EXPECT_EQ(read.prompts[1].max_tokens, 9u);
  EXPECT_EQ(json::parse(read.prompts[2].messages)[0]["role"], "user");
  EXPECT_TRUE(read.prompts[3].messages.empty());
  EXPECT_EQ(read.prompts[3].input_tokens, 500u);
  EXPECT_FALSE(read.has_times());
}

TEST(Workload, EveryBadLineIsNamedByItsNumber) {
  const std::vector<std::string> found = problems("{\"prompt\":\"a\"}\nnot json\n{\"prompt\":3}\n{\"messages\":[]}\n"
                                                  "{\"messages\":[1]}\n{}\n{\"prompt\":\"a\",\"max_tokens\":0}\n"
                                                  "{\"messages\":[{}],\"n\":2}\n[]\n");
  const std::vector<std::string> expected{
      "line 2 is not a JSON object", "line 3 'prompt' is not a string", "line 4 'messages' is not a list of messages",
      "line 5 'messages' is not a list of messages",
      "line 6 has no 'messages', 'prompt', 'text' or 'input_length'",
      "line 7 'max_tokens' is not a number from 1 to 1000000", "line 8 'n' is not 1", "line 9 is not a JSON object"};
  EXPECT_EQ(found, expected);
}

TEST(Workload, ManyBadLinesAreCounted) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "secret prompt\n";
  const std::vector<std::string> found = problems(text);
  ASSERT_EQ(found.size(), 11u);
  EXPECT_EQ(found.back(), "and 490 further lines have errors");
  for (const std::string& each : found) EXPECT_EQ(each.find("secret"), std::string::npos);
}

TEST(Workload, AnEmptyFileAndALongLineAreRefused) {
  EXPECT_EQ(problems("\n \r\n"), std::vector<std::string>{"contains no prompt"});
  EXPECT_EQ(problems("{\"prompt\":\"" + std::string(max_workload_line, 'a') + "\"}"),
            std::vector<std::string>{"line 1 is longer than 16 MiB"});
}

TEST(Workload, TimesAreThereForAllLinesAndDoNotGoBack) {
  EXPECT_TRUE(good("{\"prompt\":\"a\",\"timestamp\":5}\n{\"prompt\":\"b\",\"timestamp\":5.5}").has_times());
  EXPECT_EQ(problems("{\"prompt\":\"a\",\"timestamp\":5}\n{\"prompt\":\"b\",\"timestamp\":4}"),
            std::vector<std::string>{"line 2 has an earlier 'timestamp' than the previous line"});
  EXPECT_EQ(problems("{\"prompt\":\"a\",\"timestamp\":5}\n{\"prompt\":\"b\"}"),
            std::vector<std::string>{"line 2 has no 'timestamp', but the first line has a 'timestamp'"});
  EXPECT_EQ(problems("{\"prompt\":\"a\"}\n{\"prompt\":\"b\",\"timestamp\":-1}"),
            std::vector<std::string>{"line 2 'timestamp' is not a number of milliseconds"});
  EXPECT_EQ(problems("{\"prompt\":\"a\",\"timestamp\":0}\n{\"prompt\":\"b\",\"timestamp\":1e300}"),
            std::vector<std::string>{"line 2 has a 'timestamp' more than a year later than the first line"});
}

TEST(PromptDeck, ASeedGivesOneOrderInWhichEachComesOnce) {
  const prompt_deck file(5, prompt_order::file, 1), deck(50, prompt_order::shuffled, 1), same(50, prompt_order::shuffled, 1);
  EXPECT_EQ(file.at(3), 3u);
  EXPECT_EQ(file.at(7), 2u);
  std::set<std::size_t> seen;
  bool is_moved = false;
  for (std::size_t i = 0; i < 50; ++i) {
    seen.insert(deck.at(i));
    is_moved |= deck.at(i) != i;
    EXPECT_EQ(deck.at(i), same.at(i));
  }
  EXPECT_EQ(seen.size(), 50u);
  EXPECT_TRUE(is_moved);
}

std::shared_ptr<const workload> shared(const std::string& text) { return std::make_shared<const workload>(good(text)); }
const char* const trace = "{\"prompt\":\"a\",\"timestamp\":100}\n{\"prompt\":\"b\",\"timestamp\":300}\n";

TEST(WorkloadPlan, SendsEachPromptOnceUnlessAskedOtherwise) {
  const auto prompts = shared("{\"prompt\":\"a\"}\n{\"prompt\":\"b\"}\n{\"prompt\":\"c\"}");
  const plan_result few = make_plan({.concurrency = {1, 5}, .prompts = prompts}, 1);
  ASSERT_EQ(few.plan.levels.size(), 2u);
  EXPECT_EQ(few.plan.levels[0].requests, 3u);
  EXPECT_EQ(few.plan.levels[1].requests, 5u) << "as many as it is to keep running";
  EXPECT_EQ(make_plan({.concurrency = {1}, .requests = 9, .prompts = prompts}, 1).plan.levels[0].requests, 9u);
}

TEST(WorkloadPlan, ATraceIsReplayed) {
  const plan_result planned = make_plan({.prompts = shared(trace), .replay_speed = 2}, 1);
  ASSERT_TRUE(planned.problems.empty()) << planned.problems.front();
  ASSERT_EQ(planned.plan.levels.size(), 1u);
  EXPECT_EQ(planned.plan.levels[0].name(), "replay at speed 2");
  EXPECT_TRUE(planned.plan.levels[0].is_open());
  EXPECT_EQ(planned.plan.levels[0].requests, 2u);
  EXPECT_EQ(make_plan({.rates = {5}, .prompts = shared(trace)}, 1).plan.levels[0].name(), "rate 5/s");
}

TEST(WorkloadPlan, WhatDoesNotFitATraceIsRefused) {
  const auto only = [](bench_options options) {
    const plan_result planned = make_plan(options, 1);
    return planned.problems.size() == 1 ? planned.problems.front() : std::to_string(planned.problems.size());
  };
  EXPECT_EQ(only({.replay_speed = 2}).find("--replay-speed: needs a --prompts file"), 0u);
  EXPECT_EQ(only({.prompts = shared(trace), .replay_speed = 0}).find("--replay-speed: must be above 0"), 0u);
  EXPECT_EQ(only({.prompts = shared(trace), .order = "shuffle"}).find("--prompt-order: "), 0u);
  EXPECT_EQ(only({.prompts = shared(trace), .order = "best"}).find("--prompt-order: must be file or shuffle"), 0u);
  EXPECT_EQ(only({.requests = 3, .prompts = shared(trace)}),
            "--requests: must be at most the number of requests in the --prompts file, which is 2");
  EXPECT_EQ(only({.concurrency = {1, 2}, .prompts = shared(trace)}).find("--prompts: a file with timestamps allows only one"), 0u);
}

TEST(WorkloadRequest, ItsOwnMembersAreSentAndTheCommandLinesGoFirst) {
  request_traits traits;
  traits.model = "m";
  traits.max_tokens = 64;
  traits.extra_members = {{"temperature", "0"}};
  traits.to.provider.url.host = "127.0.0.1";
  const workload read = good(R"({"messages":[{"role":"user","content":"b"}],"max_tokens":7,"temperature":0.5,"top_p":0.9})");
  const json body = json::parse(write_chat(traits, read.prompts[0]).body);
  EXPECT_EQ(body["max_tokens"], 7);
  EXPECT_EQ(body["temperature"], 0);
  EXPECT_EQ(body["top_p"], 0.9);
  EXPECT_EQ(body["messages"][0]["content"], "b");
  EXPECT_EQ(body["model"], "m");
}

TEST(Replay, LateStartsAreCounted) {
  const proxy::instant origin{std::chrono::hours(1)};
  std::vector<request_record> records(3);
  for (std::size_t i = 0; i < 3; ++i) {
    records[i].due_at = origin;
    records[i].started_at = origin + std::chrono::milliseconds(9 * static_cast<int>(i + 1));
    records[i].ended_at = origin + std::chrono::seconds(1);
  }
  const level_report level = report_of({.replay_speed = 1}, level_end::complete, records, {});
  ASSERT_TRUE(level.late);
  EXPECT_EQ(level.late->requests, 2u);
  EXPECT_DOUBLE_EQ(level.late->worst_ms, 27);
  EXPECT_FALSE(report_of({}, level_end::complete, records, {}).late);
}

}  // namespace
}  // namespace photofinish::gateway::bench
