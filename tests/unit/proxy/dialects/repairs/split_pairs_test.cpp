#include "proxy/dialects/repairs/split_pairs.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr const char* replaced = "\xEF\xBF\xBD";

struct said_text {
  delta_kind kind;
  std::string raw;  // the JSON string without decoding; in `decoded`, U+FFFD replaces each unpaired surrogate
  std::string decoded;
  std::int64_t choice = 0, part = 0;
};
said_text text(const std::string& raw, const std::string& decoded) { return {delta_kind::text, raw, decoded}; }

// Passes each delta to split_pairs as a separate event. Returns the resulting deltas as lines: "kind/choice/part:text".
std::vector<std::string> joined(const std::vector<said_text>& events) {
  split_pairs pairs;
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < events.size(); ++at) {
    const said_text& its = events[at];
    const delta said{.kind = its.kind, .choice = its.choice, .part = its.part, .text = its.decoded};
    edge_halves halves;
    halves.add(said.text, halves_of(its.raw));
    stream_event event{.deltas = {&said, 1}};
    pairs.join(event, halves, at + 1 == events.size());
    std::string& line = lines.emplace_back();
    for (const delta& each : event.deltas)
      line += std::to_string(static_cast<int>(each.kind)) + "/" + std::to_string(each.choice) + "/" + std::to_string(each.part) + ":" +
              std::string(each.text) + " ";
  }
  EXPECT_FALSE(pairs.is_keeping());
  return lines;
}
using lines = std::vector<std::string>;
const std::string r = replaced;

TEST(SplitPairs, JoinTwoHalves) {
  EXPECT_EQ(joined({text(R"(a\ud83d)", "a" + r), text(R"(\ude00b)", r + "b")}), (lines{"0/0/0:a ", "0/0/0:\U0001F600b "}));
  EXPECT_EQ(joined({text(R"(\ud83d)", r), text(R"(\ude00)", r)}), (lines{"", "0/0/0:\U0001F600 "}));
  EXPECT_EQ(joined({text(R"(\ud83d)", r), text(R"(\ude00\ud83d)", r + r), text(R"(\ude01)", r)}),
            (lines{"", "0/0/0:\U0001F600 ", "0/0/0:\U0001F601 "}));
  EXPECT_EQ(joined({text(R"(\ud83d)", r), text("", ""), text(R"(\ude00)", r)}), (lines{"", "0/0/0: ", "0/0/0:\U0001F600 "}));
}

TEST(SplitPairs, LeaveWholeTextsWhereTheyAre) {
  split_pairs pairs;
  const delta said{.text = "a\xEF\xBF\xBD"};
  stream_event event{.deltas = {&said, 1}};
  pairs.join(event, {}, true);
  EXPECT_EQ(event.deltas.data(), &said);
}

TEST(SplitPairs, ReplaceAHalfThatStaysAlone) {
  EXPECT_EQ(joined({text(R"(a\ud83d)", "a" + r)}), (lines{"0/0/0:a 0/0/0:" + r + " "})) << "the stream ends";
  EXPECT_EQ(joined({text(R"(a\ud83d)", "a" + r), text("b", "b")}), (lines{"0/0/0:a ", "0/0/0:" + r + "b "}));
  EXPECT_EQ(joined({text(R"(\ud83d)", r), text(R"(\ud83d)", r), text(R"(\ude00)", r)}),
            (lines{"", "0/0/0:" + r + " ", "0/0/0:\U0001F600 "}));
  EXPECT_EQ(joined({text(R"(\ude00b)", r + "b")}), (lines{"0/0/0:" + r + "b "})) << "a second half without a first";
  EXPECT_EQ(joined({{delta_kind::reasoning, R"(a\ud83d)", "a" + r}, text(R"(\ude00)", r)}),
            (lines{"2/0/0:a ", "2/0/0:" + r + " 0/0/0:" + r + " "})) << "another kind of text";
}

TEST(SplitPairs, TellChoicesAndCallsApart) {
  const auto arguments = [](const std::string& raw, const std::string& decoded, std::int64_t choice, std::int64_t part) {
    return said_text{delta_kind::call_arguments, raw, decoded, choice, part};
  };
  EXPECT_EQ(joined({arguments(R"(\ud83d)", r, 0, 0), arguments(R"(\ud83e)", r, 0, 1), arguments(R"(\udd80)", r, 1, 1),
                    arguments(R"(\ude00)", r, 0, 0), arguments(R"(\udd80)", r, 0, 1)}),
            (lines{"", "", "6/1/1:" + r + " ", "6/0/0:\U0001F600 ", "6/0/1:\U0001F980 "}));
}

TEST(SplitPairs, KeepABoundedNumberOfHalves) {
  std::vector<said_text> all;
  for (int part = 0; part < 1000; ++part) all.push_back({delta_kind::call_arguments, R"(\ud83d)", r, 0, part});
  std::size_t kept = 0;
  for (const std::string& line : joined(all)) kept += line.empty();
  EXPECT_EQ(kept, 64u);
}

}  // namespace
}  // namespace photofinish::proxy
