// Tests every client API with every provider dialect. A simple reader must find the client's content in the provider's request. Otherwise
// the answer must name each part that was left out.
#include "tests/unit/proxy/pairs/asked_providers.hpp"
#include "tests/unit/proxy/pairs/conversations.hpp"
#include "tests/unit/proxy/pairs/provider_readers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy::pairs {
namespace {

// Converts a conversation to comparable lines. Sorts the tool results of each turn, because some APIs require them in the order of the
// calls. Removes turns that contain only a full stop. The gateway adds such turns for models that require tool results in a separate turn.
std::vector<std::string> comparable(const dialogue& all) {
  std::vector<std::string> lines = lines_of(all);
  std::erase(lines, "assistant: .");
  const auto is_result = [](const std::string& line) { return line.starts_with("result of "); };
  for (auto begin = lines.begin(); begin != lines.end();) {
    begin = std::find_if(begin, lines.end(), is_result);
    const auto end = std::find_if_not(begin, lines.end(), is_result);
    std::sort(begin, end);
    begin = end;
  }
  return lines;
}

json properties_of(const json& schema) { return schema.is_null() ? json() : schema.at("properties"); }

bool names(const std::vector<std::string>& dropped, std::string_view what) {
  return std::any_of(dropped.begin(), dropped.end(),
                     [what](const std::string& each) { return each.find(what) != std::string::npos; });
}

class Pairs : public ::testing::TestWithParam<named_conversation> {};
INSTANTIATE_TEST_SUITE_P(Conversations, Pairs, ::testing::ValuesIn(all_conversations()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(Pairs, SayTheSame) {
  for (const client& from : clients)
    for (const asked_provider& to : providers) {
      SCOPED_TRACE(std::string(from.name) + " to " + to.name);
      dialogue said = GetParam().said;
      if (from.format == wire_format::openai_responses) said.stops.clear();
      const asked got = ask(from, to, from.request(said));
      const bool sits_out = std::find(to.sits_out.begin(), to.sits_out.end(), GetParam().name) != to.sits_out.end();
      ASSERT_EQ(!got.unsupported.empty(), sits_out) << got.unsupported;
      if (!got.unsupported.empty()) continue;
      SCOPED_TRACE(got.body.dump());
      if (GetParam().translated && from.format != to.format) said = *GetParam().translated;
      const dialogue found = read_as_provider(to.format, got.body);
      EXPECT_EQ(comparable(found), comparable(said));
      EXPECT_EQ(found.tools, said.tools);
      EXPECT_EQ(found.forced, said.forced);
      const bool is_named = found.stops.empty() && names(got.dropped, "stop");
      EXPECT_EQ(is_named ? said.stops : found.stops, said.stops);
      EXPECT_EQ(said.max_tokens > 0 ? found.max_tokens : 0, said.max_tokens);
      EXPECT_EQ(properties_of(found.schema), properties_of(said.schema));
    }
}

}  // namespace
}  // namespace photofinish::proxy::pairs
