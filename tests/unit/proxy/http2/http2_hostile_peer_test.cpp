// Tests how a session reacts to peers that violate or abuse the rules of HTTP/2.
#include "tests/unit/proxy/http2/http2_session_fixture.hpp"

#include <utility>

namespace photofinish::proxy {
namespace {

namespace h2 = testing::h2;
using enum http2_event_kind;

struct bad_head {
  const char* name;
  h2::fields fields;
};

class BadHeadTest : public Http2SessionTest, public ::testing::WithParamInterface<bad_head> {};

TEST_P(BadHeadTest, BreaksItsStreamAndNoOther) {
  asked();
  asked();
  auto events = hear(h2::greeting() + h2::head(1, GetParam().fields));
  sent();
  for (auto& each : session.take_events()) events.push_back(std::move(each));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, broken);
  EXPECT_EQ(events[0].stream, 1);
  EXPECT_EQ(kinds(hear(h2::ok_head(3, h2::end_stream))), (list{head, end}));
}

INSTANTIATE_TEST_SUITE_P(, BadHeadTest, ::testing::Values(
    bad_head{"LineFeedInValue", {{":status", "200"}, {"x", "a\nb"}}},
    bad_head{"CarriageReturnInValue", {{":status", "200"}, {"x", "a\rb"}}},
    bad_head{"NulInValue", {{":status", "200"}, {"x", std::string_view("a\0b", 3)}}},
    bad_head{"DeleteInValue", {{":status", "200"}, {"x", "a\x7F"}}},
    bad_head{"UpperCaseName", {{":status", "200"}, {"X-Upper", "1"}}},
    bad_head{"SpaceInName", {{":status", "200"}, {"x y", "1"}}},
    bad_head{"Connection", {{":status", "200"}, {"connection", "close"}}},
    bad_head{"TransferEncoding", {{":status", "200"}, {"transfer-encoding", "chunked"}}},
    bad_head{"TwoLengths", {{":status", "200"}, {"content-length", "1"}, {"content-length", "1"}}},
    bad_head{"BadLength", {{":status", "200"}, {"content-length", "+1"}}},
    bad_head{"NoStatus", {{"x", "1"}}},
    bad_head{"TwoStatuses", {{":status", "200"}, {":status", "200"}}},
    bad_head{"BadStatus", {{":status", "2x0"}}},
    bad_head{"SwitchingProtocols", {{":status", "101"}}},
    bad_head{"RequestsPseudoField", {{":status", "200"}, {":path", "/"}}}),
    [](const auto& row) { return row.param.name; });

TEST_F(Http2SessionTest, AHeadWithTooManyFieldsBreaksItsStream) {
  asked();
  std::string fields = h2::block({{":status", "200"}});
  for (int each = 0; each < 200; ++each) fields += h2::block({{"x", "y"}});
  const auto events = hear(h2::greeting() + h2::frame(h2::headers, h2::end_headers, 1, fields));
  ASSERT_EQ(kinds(events), (list{broken}));
}

// Feeds bytes from a hostile peer. Returns true if the session ends or must be closed.
bool ends(http2_session& session, std::string_view bytes) {
  const auto fed = session.receive(bytes);
  std::string out;
  session.collect(out);
  return !fed || session.is_over();
}

TEST_F(Http2SessionTest, FloodsEndTheConnection) {
  for (const std::string& drop : {h2::greeting(), h2::frame(h2::ping, 0, 0, "12345678"), h2::body(1, ""),
                                  h2::frame(h2::priority, 0, 1, std::string("\0\0\0\x03\x01", 5)),
                                  h2::frame(0x77, 0, 0, "unknown")}) {
    http2_session fresh;
    request_head asks;
    asks.host = "h";
    asks.path = "/";
    fresh.submit(asks, "https", {});
    std::string out;
    fresh.collect(out);
    ASSERT_TRUE(fresh.receive(h2::greeting() + h2::ok_head(1)));
    std::string flood;
    while (flood.size() < 2'000'000) flood += drop;
    EXPECT_TRUE(ends(fresh, flood)) << static_cast<int>(drop[3]);
  }
}

TEST_F(Http2SessionTest, InterimHeadsAreAFloodLikeAnyOther) {
  asked();
  std::string flood = h2::greeting();
  for (int each = 0; each < 1001; ++each) flood += h2::head(1, {{":status", "103"}, {"link", "x"}});
  EXPECT_TRUE(ends(session, flood));
}

TEST_F(Http2SessionTest, InterimHeadsOfALongWaitAreNone) {
  asked();
  std::string wait = h2::greeting();
  for (int each = 0; each < 900; ++each) wait += h2::head(1, {{":status", "102"}});
  hear(wait);
  for (int each = 0; each < 3; ++each) {  // data of the answer resets the count of useless frames
    const auto events = hear(each == 0 ? h2::ok_head(1) : h2::body(1, "on"));
    EXPECT_EQ(kinds(events), (list{each == 0 ? head : body}));
    std::string pings;
    for (int ping = 0; ping < 900; ++ping) pings += h2::frame(h2::ping, h2::ack, 0, "12345678");
    EXPECT_TRUE(session.receive(pings));
  }
}

TEST_F(Http2SessionTest, PaddingBringsAnAnswerNoFurther) {
  asked();
  ASSERT_TRUE(session.receive(h2::greeting() + h2::ok_head(1)));
  constexpr std::uint8_t padded = 0x8;
  std::string flood;
  for (int each = 0; each < 1001; ++each) flood += h2::body(1, std::string("\x03\0\0\0", 4), padded);
  EXPECT_TRUE(ends(session, flood));
}

TEST_F(Http2SessionTest, AContinuationFloodEndsTheConnection) {
  asked();
  std::string flood = h2::greeting() + h2::frame(h2::headers, 0, 1, h2::block({{":status", "200"}}));
  for (int each = 0; each < 100; ++each) flood += h2::frame(h2::continuation, 0, 1, "");
  EXPECT_TRUE(ends(session, flood));
}

TEST_F(Http2SessionTest, WhatIsNoHttp2EndsTheConnection) {
  EXPECT_TRUE(ends(session, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
}

TEST_F(Http2SessionTest, APushEndsTheConnection) {
  asked();
  EXPECT_TRUE(ends(session, h2::greeting() + h2::frame(h2::push_promise, h2::end_headers, 1,
                                                          h2::number(2, 4) + h2::block({{":path", "/"}}))));
}

TEST_F(Http2SessionTest, DataBeforeAHeadBreaksTheAnswer) {
  asked();
  auto events = hear(h2::greeting() + h2::body(1, "early"));
  sent();
  for (auto& each : session.take_events()) events.push_back(std::move(each));
  const bool is_broken = session.is_over() || (!events.empty() && events.back().kind == broken);
  EXPECT_TRUE(is_broken);
}

}  // namespace
}  // namespace photofinish::proxy
