#include "proxy/dialects/sse_parser.hpp"

#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using test::padded_bytes;

// Returns the text "type|data" for each event.
std::vector<std::string> parse(const std::vector<std::string_view>& feeds, std::size_t limit = 1u << 20) {
  sse_parser parser(limit);
  std::vector<std::string> events;
  std::unique_ptr<padded_bytes> fed;
  for (const std::string_view feed : feeds) {
    auto next_fed = std::make_unique<padded_bytes>(feed);
    parser.feed(next_fed->view());
    fed = std::move(next_fed);
    while (const auto event = parser.next())
      events.push_back(std::string(event->type) + "|" + std::string(event->data));
  }
  return events;
}

struct framing_case {
  const char* name;
  std::string bytes;
  std::vector<std::string> events;
};

std::vector<framing_case> framing_cases() {
  using namespace std::string_literals;
  return {
      {"LineFeeds", "data: a\n\ndata: b\n\n", {"|a", "|b"}},
      {"CarriageReturns", "data: a\r\rdata: b\r\r", {"|a", "|b"}},
      {"Both", "data: a\r\n\r\ndata: b\r\n\r\n", {"|a", "|b"}},
      {"MixedLineEnds", "data: a\n\r\ndata: b\r\ndata: c\r\n\ndata: d\r\r\n", {"|a", "|b\nc", "|d"}},
      {"ByteOrderMarkAtTheStart", "\xEF\xBB\xBF" "data: a\n\n", {"|a"}},
      {"ByteOrderMarkElsewhereIsPartOfTheName", "data: a\n\n\xEF\xBB\xBF" "data: b\n\n", {"|a"}},
      {"TwoByteOrderMarks", "\xEF\xBB\xBF\xEF\xBB\xBF" "data: a\n\ndata: b\n\n", {"|b"}},
      {"NoSpaceBehindTheColon", "data:a\n\n", {"|a"}},
      {"OnlyOneSpaceGoes", "data:  a \n\n", {"| a "}},
      {"SeveralDataLines", "data: {\ndata:\ndata: }\n\n", {"|{\n\n}"}},
      {"FieldWithoutColon", "data\n\ndata\ndata\n\n", {"|", "|\n"}},
      {"EmptyData", "data:\n\n", {"|"}},
      {"CommentsSayNothing", ": ping\n\n:\n\n: a: b\ndata: a\n:\n\n", {"|a"}},
      {"NamedEvent", "event: error\ndata: a\n\ndata: b\n\n", {"error|a", "|b"}},
      {"NameWithoutDataIsForgotten", "event: ping\n\ndata: b\n\n", {"|b"}},
      {"LastNameCounts", "event: x\nevent: y\ndata: a\n\n", {"y|a"}},
      {"IdAndRetryAreIgnored", "id: 7\nretry: 100\ndata: a\n\nid\n\nretry: x\n\n", {"|a"}},
      {"NamesAreCaseSensitive", "Data: a\nDATA: b\n data: c\ndata: d\n\n", {"|d"}},
      {"UnfinishedEventIsDiscarded", "data: a\n\ndata: b\n", {"|a"}},
      {"UnfinishedLineIsDiscarded", "data: a\n\ndata: b", {"|a"}},
      {"NullBytesStay", "data: a\0b\n\n"s, {"|a\0b"s}},
      {"LlamaCppErrorField", "error: {\"code\":500}\n\n", {"error|{\"code\":500}"}},
      {"Utf8", "data: \xC3\xA9\xE2\x82\xAC\xF0\x9F\x8F\x81\n\n", {"|\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8F\x81"}},
      {"BlankLinesOnly", "\n\n\r\n\r\r", {}},
      {"Nothing", "", {}},
  };
}

class SseFraming : public testing::TestWithParam<framing_case> {};

TEST_P(SseFraming, GivesTheEventsOfTheStandard) { EXPECT_EQ(parse({GetParam().bytes}), GetParam().events); }

TEST_P(SseFraming, GivesTheSameEventsForEveryCut) {
  const std::string_view bytes = GetParam().bytes;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
    EXPECT_EQ(parse({bytes.substr(0, cut), bytes.substr(cut)}), GetParam().events) << "cut at " << cut;
}

TEST_P(SseFraming, GivesTheSameEventsForEveryTwoCuts) {
  const std::string_view bytes = GetParam().bytes;
  for (std::size_t first = 0; first <= bytes.size(); ++first)
    for (std::size_t second = first; second <= bytes.size(); ++second)
      ASSERT_EQ(parse({bytes.substr(0, first), bytes.substr(first, second - first), bytes.substr(second)}),
                GetParam().events)
          << "cuts at " << first << ", " << second;
}

TEST_P(SseFraming, GivesTheSameEventsByteByByte) {
  std::vector<std::string_view> feeds;
  for (std::size_t at = 0; at < GetParam().bytes.size(); ++at)
    feeds.push_back(std::string_view(GetParam().bytes).substr(at, 1));
  EXPECT_EQ(parse(feeds), GetParam().events);
}

// Parses a stream in two pieces, the first of which ends at `cut`. Reads up to `kept` events after each piece. The parser then saves its
// unread bytes, and the test frees the memory of the piece.
std::vector<std::string> parse_kept(std::string_view bytes, std::size_t cut, std::size_t kept) {
  sse_parser parser;
  std::vector<std::string> events;
  const auto take = [&] {
    const auto event = parser.next();
    if (event) events.push_back(std::string(event->type) + "|" + std::string(event->data));
    return event.has_value();
  };
  for (const std::string_view part : {bytes.substr(0, cut), bytes.substr(cut)}) {
    auto fed = std::make_unique<padded_bytes>(part);
    parser.feed(fed->view());
    for (std::size_t taken = 0; taken < kept && take(); ++taken) {}
    parser.keep_unread();
    fed.reset();
    while (take()) {}
  }
  return events;
}

TEST_P(SseFraming, GivesTheSameEventsWhenWhatIsUnreadIsKept) {
  const std::string_view bytes = GetParam().bytes;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
    for (std::size_t kept = 0; kept <= GetParam().events.size(); ++kept)
      ASSERT_EQ(parse_kept(bytes, cut, kept), GetParam().events) << "cut at " << cut << ", kept behind event " << kept;
}

INSTANTIATE_TEST_SUITE_P(Cases, SseFraming, testing::ValuesIn(framing_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST(SseParser, AWholeEventIsNotCopied) {
  const padded_bytes fed("data: first\n\ndata: second\n\n");
  sse_parser parser;
  parser.feed(fed.view());
  EXPECT_EQ(parser.next()->data.data(), fed.view().data() + 6);
  EXPECT_EQ(parser.next()->data.data(), fed.view().data() + 19);
}

TEST(SseParser, AnEventComesOutWithItsLastByte) {
  for (const std::string_view bytes : {"data: a\n\n", "data: a\r\r", "data: a\r\n\r", "data: a\r\n\n"}) {
    sse_parser parser;
    const padded_bytes fed(bytes);
    parser.feed(fed.view());
    EXPECT_TRUE(parser.next().has_value()) << testing::PrintToString(bytes);
    EXPECT_FALSE(parser.next().has_value());
  }
}

TEST(SseParser, ALineFeedBehindACutCarriageReturnEndsNoSecondLine) {
  EXPECT_EQ(parse({"data: a\r", "\ndata: b\r", "\n\r", "\n"}), (std::vector<std::string>{"|a\nb"}));
}

TEST(SseParser, KeepsEventsAcrossEmptyFeeds) {
  EXPECT_EQ(parse({"data: a\n", "", "data", "", ": b\n", "", "\n"}), (std::vector<std::string>{"|a\nb"}));
}

TEST(SseParser, AnEventOfEightMegabytesComesOutWhole) {
  const std::string text(8u << 20, 'x');
  const std::string bytes = "data: " + text + "\n\n";
  std::vector<std::string_view> feeds;
  for (std::size_t at = 0; at < bytes.size(); at += 16384) feeds.push_back(std::string_view(bytes).substr(at, 16384));
  const auto events = parse(feeds, 16u << 20);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0] == "|" + text);
}

struct size_case {
  const char* name;
  std::vector<std::string_view> feeds;
  bool is_oversized;
};

class SseLimit : public testing::TestWithParam<size_case> {};

TEST_P(SseLimit, IsKeptForEveryShapeOfAnEvent) {
  sse_parser parser(16);
  std::vector<std::unique_ptr<padded_bytes>> fed;
  std::size_t events = 0;
  for (const std::string_view feed : GetParam().feeds) {
    fed.push_back(std::make_unique<padded_bytes>(feed));
    parser.feed(fed.back()->view());
    while (parser.next()) ++events;
  }
  EXPECT_EQ(parser.is_oversized(), GetParam().is_oversized);
  EXPECT_EQ(events, GetParam().is_oversized ? 1u : 2u) << "the event before it must come out, none after it";
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SseLimit,
    testing::Values(size_case{"OneLine", {"data: a\n\ndata: 0123456789abcdef\n\ndata: b\n\n"}, true},
                    size_case{"ManyLines", {"data: a\n\ndata: 01234567\ndata: 89abcdef\n\n"}, true},
                    size_case{"ALineThatNeverEnds", {"data: a\n\n", "data: 012345", "6789abc", "d", "ef"}, true},
                    size_case{"LinesInSeveralFeeds", {"data: a\n\ndata: 0123\n", "data: 4567\n", "data: 89ab\n"}, true},
                    size_case{"ACommentThatNeverEnds", {"data: a\n\n: 0123456789", "abcdefghijkl"}, true},
                    size_case{"JustFits", {"data: a\n\ndata: 0123456789\n\n"}, false},
                    size_case{"ManyCommentsAreNoEvent", {"data: a\n\n: 01234567\n: 01234567\n: 01234567\ndata: b\n\n"}, false}),
    [](const auto& tested) { return tested.param.name; });

TEST(SseLimit, CountsAByteOrderMarkHoweverItIsCut) {
  const std::string line = "\xEF\xBB\xBF" "data: 0123456\n\n";  // the line has 16 bytes, including the byte order mark
  for (const std::size_t limit : {16u, 15u})
    for (std::size_t cut = 0; cut <= line.size(); ++cut) {
      sse_parser parser(limit);
      const padded_bytes first(std::string_view(line).substr(0, cut)), second(std::string_view(line).substr(cut));
      parser.feed(first.view());
      bool has_come = parser.next().has_value();
      if (!parser.is_oversized()) parser.feed(second.view());
      has_come |= parser.next().has_value();
      EXPECT_EQ(has_come, limit == 16u) << "limit " << limit << ", cut at " << cut;
    }
}

TEST(SseParser, ShowsTheDataThatTheEndCutOff) {
  for (const std::vector<std::string_view>& feeds : std::vector<std::vector<std::string_view>>{
           {"data: [DONE]"}, {"data: [DONE]\n"}, {"data: [DO", "NE]"}, {"data: [DO", "NE]\r"}}) {
    sse_parser parser;
    std::vector<std::unique_ptr<padded_bytes>> fed;
    for (const std::string_view feed : feeds) {
      fed.push_back(std::make_unique<padded_bytes>(feed));
      parser.feed(fed.back()->view());
      EXPECT_FALSE(parser.next().has_value());
    }
    EXPECT_EQ(parser.unfinished_data(), "[DONE]");
  }
}

TEST(SseParser, AWholeEventLeavesNothingUnfinished) {
  sse_parser parser;
  const padded_bytes fed("data: a\n\n");
  parser.feed(fed.view());
  ASSERT_TRUE(parser.next().has_value());
  ASSERT_FALSE(parser.next().has_value());
  EXPECT_EQ(parser.unfinished_data(), "");
}

// Tries each position for the split, with and without a final line end.
TEST(SseParser, JsonOutsideOfTheEventsIsKept) {
  const std::string error = "[{\r\n  \"error\": {\"message\": \"data: no\"}\r\n}]";
  const std::string bytes = "data: {}\r\n\r\n: a comment\r\nunknown: 1\r\n" + error;
  for (const std::string& all : {bytes, bytes + "\r\n"}) {
    for (std::size_t cut = 0; cut <= all.size(); ++cut) {
      sse_parser parser;
      for (const std::string_view piece : {std::string_view(all).substr(0, cut), std::string_view(all).substr(cut)}) {
        const padded_bytes fed(piece);
        parser.feed(fed.view());
        while (parser.next()) continue;
      }
      EXPECT_EQ(parser.bare_json(), "[{  \"error\": {\"message\": \"data: no\"}}]") << cut;
    }
  }
}

TEST(SseParser, OfEndlessJsonOutsideOfTheEventsTheBeginningIsHeld) {
  sse_parser parser;
  const padded_bytes line("{\"a\": \"" + std::string(1000, 'x') + "\n");
  for (int at = 0; at < 1000; ++at) {
    parser.feed(line.view());
    EXPECT_FALSE(parser.next());
  }
  EXPECT_EQ(parser.bare_json().size(), 8u << 10);
  EXPECT_LE(parser.held_bytes(), 10u << 10);
}

}  // namespace
}  // namespace photofinish::proxy
