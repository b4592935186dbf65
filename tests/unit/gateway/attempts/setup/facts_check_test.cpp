// Tests which targets are skipped because a request exceeds their limits, or because they do not satisfy the requirements of the route.
#include "gateway/attempts/setup/facts_check.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace photofinish::gateway {
namespace {

struct checked {
  std::shared_ptr<const proxy::client_body> body;
  proxy::provider provider;
  parsed_request asked;

  explicit checked(const std::string& text) : body(std::make_shared<const proxy::client_body>(text)) {
    asked.body = body;
    asked.format = proxy::wire_format::openai_chat;
    asked.prompt = body->value_of("messages");
    provider.facts["m"] = {.context = 1'000, .max_output = 300};
  }
  race_candidate at(const std::string& model) const { return {&provider, {"lab", model}, {}, {}}; }
};

std::string with_text(std::size_t bytes, const std::string& members = "") {
  return R"({"messages":[{"role":"user","content":")" + std::string(bytes, 'x') + "\"}]" + members + "}";
}

TEST(FactsCheck, APromptThatLeavesItsAnswerNoRoomIsTooLong) {
  const checked fits(with_text(2'600, R"(,"max_tokens":300)")), exceeds(with_text(3'000, R"(,"max_tokens":300)"));
  EXPECT_EQ(facts_check(fits.asked, nullptr).too_long(fits.at("m")), "");
  EXPECT_EQ(facts_check(exceeds.asked, nullptr).too_long(exceeds.at("m")), "context");
  EXPECT_EQ(facts_check(exceeds.asked, nullptr).too_long(exceeds.at("other")), "") << "nothing is known of it";
  const checked wants_more(with_text(10, R"(,"max_completion_tokens":301)"));
  EXPECT_EQ(facts_check(wants_more.asked, nullptr).too_long(wants_more.at("m")), "max_output");
}

TEST(FactsCheck, APictureCountsAsOneAndNotByItsBytes) {
  const std::string picture = R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":")"
                              "data:image/png;base64," + std::string(40'000, 'A') + R"("}}]}]})";
  checked big(picture);
  big.provider.facts["m"] = {.context = 2'000};
  EXPECT_EQ(facts_check(big.asked, nullptr).too_long(big.at("m")), "");
  big.provider.facts["m"] = {.context = 500};
  EXPECT_EQ(facts_check(big.asked, nullptr).too_long(big.at("m")), "context");
}

TEST(FactsCheck, PartsOfABatchAreNotOnePrompt) {
  checked batch(with_text(30'000));
  batch.asked.format = proxy::wire_format::openai_embeddings;
  EXPECT_EQ(facts_check(batch.asked, nullptr).too_long(batch.at("m")), "");
}

TEST(FactsCheck, WhatIsNotRequiredSpeaksAgainstNothing) {
  const checked any(with_text(1));
  const proxy::required_facts nothing, big{.min_context = 128'000}, small{.min_context = 1'000};
  EXPECT_EQ(facts_check(any.asked, nullptr).unmet(any.at("m")), "");
  EXPECT_EQ(facts_check(any.asked, &nothing).unmet(any.at("m")), "");
  EXPECT_EQ(facts_check(any.asked, &small).unmet(any.at("m")), "");
  EXPECT_EQ(facts_check(any.asked, &big).unmet(any.at("m")), "context");
  EXPECT_EQ(facts_check(any.asked, &small).unmet(any.at("other")), "context");
}

}  // namespace
}  // namespace photofinish::gateway
