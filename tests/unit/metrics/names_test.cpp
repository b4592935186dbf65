#include "metrics/names.hpp"

#include "metrics/outcomes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace photofinish::metrics {
namespace {

bool is_ours(const metric& which) { return which.name.starts_with("photofinish_"); }

TEST(Names, AreUnique) {
  std::set<std::string_view> seen;
  for (const metric* which : names::all) EXPECT_TRUE(seen.insert(which->name).second) << which->name;
}

TEST(Names, HoldLowerCaseLettersAndUnderscoresOnly) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  for (const metric* which : names::all) {
    EXPECT_TRUE(std::ranges::all_of(which->name, is_plain)) << which->name;
    for (const std::string_view label : which->labels)
      EXPECT_TRUE(std::ranges::all_of(label, is_plain) && !label.starts_with("_"))
          << which->name << ": " << label;
  }
}

TEST(Names, CountersAndNothingElseEndInTotal) {
  for (const metric* which : names::all)
    EXPECT_EQ(which->name.ends_with("_total"), which->kind == metric_kind::counter) << which->name;
}

TEST(Names, EndInTheirUnitWhereItIsABaseUnit) {
  for (const metric* which : names::all) {
    std::string_view name = which->name;
    if (name.ends_with("_total")) name.remove_suffix(std::string_view("_total").size());
    EXPECT_EQ(name.ends_with("_seconds"), which->unit == "seconds") << which->name;
    EXPECT_EQ(name.ends_with("_bytes"), which->unit == "bytes") << which->name;
  }
}

TEST(Names, TokensAreNamedWhereTheyAreCounted) {
  for (const metric* which : names::all) {
    if (!is_ours(*which) || !which->unit.starts_with("tokens")) continue;
    EXPECT_NE(which->name.find("_tokens_"), std::string_view::npos) << which->name;
  }
}

TEST(Names, HistogramsAndNothingElseHaveBuckets) {
  for (const metric* which : names::all)
    EXPECT_EQ(which->buckets.empty(), which->kind != metric_kind::histogram) << which->name;
}

TEST(Names, HelpIsOnePlainLine) {
  for (const metric* which : names::all) {
    EXPECT_FALSE(which->help.empty()) << which->name;
    EXPECT_EQ(which->help.find_first_of("\n\\"), std::string_view::npos) << which->name;
  }
}

TEST(Names, NoLabelCouldHoldWhatAClientMakesUp) {
  const std::set<std::string_view> bounded{"route",
                                           "endpoint",
                                           "client",
                                           "team",
                                           "project",  // a label whose values come from the configuration
                                           "direction",
                                           "scope",
                                           "result",
                                           "name",
                                           "verdict",
                                           "outcome",
                                           "provider",
                                           "model",
                                           "reason",
                                           "sample",
                                           "stage",
                                           "source",
                                           "billing",
                                           "kind",
                                           "currency",
                                           "why",
                                           "end",
                                           "cause",
                                           "expected",
                                           "found",
                                           "quantile",
                                           "result",
                                           "issuer",  // a label whose values come from the configuration
                                           "region",  // a label whose values come from the configuration
                                           "hash",    // a label whose values come from the configuration
                                           "version",
                                           "commit",
                                           "compiler",
                                           "error_type",
                                           "gen_ai_operation_name",
                                           "gen_ai_provider_name",
                                           "gen_ai_request_model",
                                           "gen_ai_token_type"};
  for (const metric* which : names::all)
    for (const std::string_view label : which->labels)
      EXPECT_TRUE(bounded.contains(label)) << which->name << ": " << label;
}

TEST(GenAiProviderName, IsOpenTelemetrysWhereItHasOne) {
  EXPECT_EQ(gen_ai_provider_name("mistral"), "mistral_ai");
  EXPECT_EQ(gen_ai_provider_name("gemini"), "gcp.gemini");
  EXPECT_EQ(gen_ai_provider_name("groq"), "groq");
  EXPECT_EQ(gen_ai_provider_name("my-own"), "my-own");
}

template <class Enum>
std::string words() {
  std::string text;
  for (const std::string_view word : words_of<Enum>) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

TEST(Words, AreThoseOfTheContract) {
  EXPECT_EQ(words<request_outcome>(),
            "ok client_error upstream_error truncated client_cancelled gateway_error drained");
  EXPECT_EQ(words<attempt_outcome>(), "won lost failed broken cancelled skipped continued");
  EXPECT_EQ(words<attempt_reason>(),
            "none dns connect tls timeout rate_limited quota auth bad_request server_error bad_stream stall "
            "no_key unsupported cooldown busy crawl required too_long unpriced");
  EXPECT_EQ(words<crawl_end>(), "reported cut replaced");
  EXPECT_EQ(words<runner_up_end>(), "unused answered failed");
  EXPECT_EQ(words<deadline_end>(), "met missed unlikely");
  EXPECT_EQ(words<hold_why>(), "overtaken stayed_ahead turned complete full alone failed race_over");
  EXPECT_EQ(words<ttft_sample>(), "won observed");
  EXPECT_EQ(words<token_source>(), "usage tokenizer");
  EXPECT_EQ(words<billing>(), "stops full unknown");
  EXPECT_EQ(words<unmeasurable_reason>(), "too_few_tokens too_short one_burst not_counted client_slow broken not_streamed");
  EXPECT_EQ(words<connection_kind>(), "new reused");
  EXPECT_EQ(words<token_type>(), "input output");
  EXPECT_EQ(words<start_cause>(), "first hedge trial failure rescue twin");
  EXPECT_EQ(words<prompt_part>(), "read written uncached");
  EXPECT_EQ(words<expected_prefix>(), "warm cold");
  EXPECT_EQ(words<found_prefix>(), "warm cold unknown");
  EXPECT_EQ(words<move_reason>(), "slower failing limited expired trial");
  EXPECT_EQ(words<endpoint>(), "chat_completions responses messages completions embeddings rerank moderations images "
                               "image_edits image_variations audio_speech audio_transcriptions audio_translations count_tokens "
                               "models _other");
}

// The tables are indexed by the position of a value in its enum. If a value were moved or inserted, all later values would get wrong names.
TEST(Words, BelongToTheirValues) {
  EXPECT_EQ(to_string(request_outcome::ok), "ok");
  EXPECT_EQ(to_string(request_outcome::truncated), "truncated");
  EXPECT_EQ(to_string(request_outcome::gateway_error), "gateway_error");
  EXPECT_EQ(to_string(attempt_outcome::won), "won");
  EXPECT_EQ(to_string(attempt_outcome::broken), "broken");
  EXPECT_EQ(to_string(attempt_outcome::skipped), "skipped");
  EXPECT_EQ(to_string(attempt_reason::none), "none");
  EXPECT_EQ(to_string(attempt_reason::rate_limited), "rate_limited");
  EXPECT_EQ(to_string(attempt_reason::bad_stream), "bad_stream");
  EXPECT_EQ(to_string(attempt_reason::cooldown), "cooldown");
  EXPECT_EQ(to_string(unmeasurable_reason::one_burst), "one_burst");
  EXPECT_EQ(to_string(unmeasurable_reason::broken), "broken");
  EXPECT_EQ(to_string(billing::unknown), "unknown");
  EXPECT_EQ(to_string(connection_kind::fresh), "new");
  EXPECT_EQ(to_string(ttft_sample::observed), "observed");
  EXPECT_EQ(to_string(token_source::tokenizer), "tokenizer");
  EXPECT_EQ(to_string(token_type::output), "output");
  EXPECT_EQ(to_string(endpoint::other), "_other");
}

}  // namespace
}  // namespace photofinish::metrics
