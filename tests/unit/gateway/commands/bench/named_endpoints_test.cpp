#include "gateway/commands/bench/named_endpoints.hpp"

#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway {
namespace {

const tests::table_environment machine{
    .variables = {{"GROQ_API_KEY", "gsk"}, {"OPENAI_API_KEY", "sk-own"}, {"ONE", "key-one"}, {"TWO", "key-two"}}};

std::vector<named_target> found(const bench_flags& flags) {
  auto result = find_targets(flags, machine.machine());
  if (const auto* problem = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *problem;
    return {};
  }
  return std::get<std::vector<named_target>>(std::move(result));
}

std::string problem(const bench_flags& flags) {
  auto result = find_targets(flags, machine.machine());
  const auto* text = std::get_if<std::string>(&result);
  return text ? *text : "";
}

bench_flags urls(std::vector<std::string> all) {
  bench_flags flags;
  flags.urls = std::move(all);
  return flags;
}

TEST(NamedEndpoints, EachUrlHasItsModelAndItsKey) {
  bench_flags flags = urls({"https://api.groq.com/openai/v1#gpt-oss", "https://llm.example.com", "127.0.0.1:7777"});
  flags.options.model = "other";
  const auto targets = found(flags);
  ASSERT_EQ(targets.size(), 3u);
  EXPECT_EQ(targets[0].model, "gpt-oss");
  EXPECT_EQ(targets[1].model, "other");
  EXPECT_EQ(targets[0].to.key.reveal(), "gsk");
  EXPECT_TRUE(targets[1].to.key.empty()) << "no variable is known for it";
  EXPECT_EQ(targets[2].to.key.reveal(), "sk-own");
}

TEST(NamedEndpoints, AVariableForEachUrlOrTheDefault) {
  bench_flags flags = urls({"https://llm.example.com", "https://api.groq.com/openai/v1"});
  flags.key_variables = {"ONE", "-"};
  const auto targets = found(flags);
  EXPECT_EQ(targets[0].to.key.reveal(), "key-one");
  EXPECT_EQ(targets[0].to.key_origin, "ONE");
  EXPECT_EQ(targets[1].to.key.reveal(), "gsk");
  flags.key_variables = {"ONE", "NONE"};
  EXPECT_EQ(problem(flags), "--api-key-env: the variable NONE is not set");
}

TEST(NamedEndpoints, WhatWasGivenForOneHostGoesToNoOther) {
  bench_flags one_variable = urls({"https://a.example.com", "https://b.example.com"});
  one_variable.key_variables = {"ONE"};
  EXPECT_EQ(problem(one_variable).find("--api-key-env: would send one key to several hosts"), 0u);
  bench_flags key = urls({"https://a.example.com", "http://a.example.com"});
  key.options.api_key = "sk-secret";
  EXPECT_EQ(problem(key).find("--api-key: would send one key to several hosts"), 0u) << "in the clear is another host";
  EXPECT_EQ(problem(key).find("sk-secret"), std::string::npos);
  bench_flags header = urls({"https://a.example.com", "https://a.example.com:8443"});
  header.options.headers = {"x-key: secret"};
  EXPECT_EQ(problem(header), "--header: would send the same header to several hosts");
}

TEST(NamedEndpoints, OneHostMayHaveOneKeyForAllItsModels) {
  bench_flags flags = urls({"https://a.example.com#m", "https://a.example.com/v1#n"});
  flags.key_variables = {"TWO"};
  flags.options.headers = {"x-key: secret"};
  const auto targets = found(flags);
  EXPECT_EQ(targets[0].to.key.reveal(), "key-two");
  EXPECT_EQ(targets[1].to.key.reveal(), "key-two");
}

}  // namespace
}  // namespace photofinish::gateway
