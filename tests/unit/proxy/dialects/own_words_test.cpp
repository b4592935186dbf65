// Tests that the gateway removes keys from a provider's own words, such as error texts. The race must store only the words without keys.
#include "proxy/dialects/own_words.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

const word_cleaner hides_secrets = [](std::string_view text) {
  std::string clean(text);
  if (const std::size_t at = clean.find("SECRET"); at != std::string::npos) clean.replace(at, 6, "***");
  return clean;
};

delta blocked(std::string_view text) {
  return {.kind = delta_kind::finish, .reason = finish_reason::content_filter, .is_foreign = true, .text = text};
}

// The gateway buffers the complete answer before it removes keys. After that, only the answer without keys may stay in memory.
TEST(OwnWords, OfAKeptAnswerAreHeldClean) {
  const std::string json = R"({"choices":[{"finish_reason":"content_filter"}],"warning":"blocked for SECRET"})";
  const std::string_view piece = json;
  const delta end = blocked("because of SECRET");
  kept_event kept({.spoken = wire_format::openai_chat, .json = {&piece, 1}, .deltas = {&end, 1}});
  stream_event event = kept.view();
  ASSERT_NE(event.keeper, nullptr);
  ASSERT_TRUE(own_words::may_be_in(event));
  own_words words;
  kept_event held(words.clean(event, hides_secrets));
  EXPECT_EQ(held.view().deltas[0].text, "because of ***");
  EXPECT_EQ(held.take_json(), R"({"choices":[{"finish_reason":"content_filter"}],"warning":"blocked for ***"})");
}

TEST(OwnWords, OfAWholeRerankAnswerAreLookedAt) {
  const std::string json = R"({"results":[],"meta":{"warnings":["SECRET"]}})";
  const std::string_view piece = json;
  kept_event kept({.spoken = wire_format::openai_rerank, .json = {&piece, 1}});
  ASSERT_TRUE(own_words::may_be_in(kept.view()));
  own_words words;
  EXPECT_EQ(kept_event(words.clean(kept.view(), hides_secrets)).take_json(), R"({"results":[],"meta":{"warnings":["***"]}})");
}

TEST(OwnWords, AreCleanedAtAnyDepthButNotInNames) {
  const std::string open(500, '['), close(500, ']');
  const auto cleaned = with_clean_words(R"({"error":{"SECRET":"a SECRET" , "b":)" + open + R"("SECRET")" + close + "}}", hides_secrets);
  ASSERT_TRUE(cleaned);
  EXPECT_EQ(*cleaned, R"({"error":{"SECRET":"a ***" , "b":)" + open + R"("***")" + close + "}}");
  EXPECT_FALSE(with_clean_words(R"({"choices":[{"text":"SECRET"}],"error":{"a":1,"SECRET":null}})", hides_secrets));
}

}  // namespace
}  // namespace photofinish::proxy
