// Checks an answer of the simulated provider after the gateway's reader for this API has parsed it. The answer must have three tokens of
// reasoning and five tokens of text.
#pragma once

#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace photofinish::tests {

inline void expect_thoughts_and_words(const test::played_stream& got, proxy::delta_kind signed_by, const std::string& end) {
  using proxy::delta_kind;
  ASSERT_FALSE(got.failed) << got.failed->detail;
  EXPECT_EQ(got.ends, 1u);
  for (const delta_kind each : {delta_kind::reasoning, signed_by, delta_kind::text})
    EXPECT_TRUE(got.said.contains(each) && !got.said.at(each).empty()) << static_cast<int>(each);
  EXPECT_EQ(got.said.at(delta_kind::finish), end);
  ASSERT_NE(got.summary.usage, std::nullopt);
  EXPECT_EQ(got.summary.usage->output_tokens, 8u);
}

inline void expect_call(const test::played_stream& got, const std::string& name, const std::string& end) {
  using proxy::delta_kind;
  ASSERT_FALSE(got.failed) << got.failed->detail;
  EXPECT_EQ(got.said.at(delta_kind::call), name);
  EXPECT_TRUE(nlohmann::json::accept(got.said.at(delta_kind::call_arguments)));
  EXPECT_EQ(got.said.at(delta_kind::finish), end);
}

}  // namespace photofinish::tests
