#include "proxy/http2/http2_session.hpp"

#include "proxy/http2/http2_headers.hpp"
#include "tests/unit/proxy/http2/http2_session_fixture.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace photofinish::proxy {
namespace {

namespace h2 = testing::h2;
using enum http2_event_kind;

TEST_F(Http2SessionTest, AnAnswerIsHeadBodyAndEnd) {
  asked();
  const std::string bytes =
      h2::greeting() + h2::ok_head(1) + h2::body(1, "one") + h2::body(1, "two", h2::end_stream);
  const auto events = hear(bytes);  // the bodies of the events are views into `bytes`
  EXPECT_EQ(kinds(events), (list{head, body, body, end}));
  EXPECT_EQ(events[0].head.status, 200);
  EXPECT_EQ(events[0].head.field("content-type"), "text/event-stream");
  EXPECT_EQ(events[1].bytes, "one");
  EXPECT_FALSE(session.is_open(1));
}

TEST_F(Http2SessionTest, EverySplitOfTheBytesGivesTheSame) {
  const std::string bytes =
      h2::greeting() + h2::head(1, {{":status", "103"}, {"link", "x"}}) + h2::ok_head(1) + h2::body(1, "one") +
      h2::body(1, "two") + h2::head(1, {{"x-trailer", "dropped"}}, h2::end_stream);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    http2_session fresh;
    std::string out, body_bytes;
    request_head asks;
    asks.host = "h";
    asks.path = "/";
    fresh.submit(asks, "https", {});
    fresh.collect(out);
    std::vector<http2_event_kind> seen;
    for (const auto part : {std::string_view(bytes).substr(0, cut), std::string_view(bytes).substr(cut)}) {
      ASSERT_TRUE(fresh.receive(part));
      for (auto& each : fresh.take_events()) {
        if (each.kind == head) { EXPECT_EQ(each.head.fields.size(), 1u) << "of the 1xx, or a trailer"; }
        body_bytes += each.bytes;
        if (each.kind != body) seen.push_back(each.kind);
      }
    }
    EXPECT_EQ(seen, (list{interim, head, end})) << cut;
    EXPECT_EQ(body_bytes, "onetwo") << cut;
  }
}

TEST_F(Http2SessionTest, TheRequestCarriesNothingThatBelongsToAConnection) {
  request_head asks;
  asks.host = "llm.example.com";
  asks.path = "/v1/x?y";
  asks.fields = {{"Authorization", "Bearer k"}, {"Connection", "X-Hop, close"}, {"X-Hop", "1"}, {"TE", "trailers"},
                 {"Transfer-Encoding", "chunked"}, {"Keep-Alive", "1"}, {"Upgrade", "h2c"}, {"Accept", "text/event-stream"}};
  std::map<std::string, http2_field> got;
  std::string pseudo;
  for (auto& each : http2_request_fields(asks, "https", 7)) {
    if (each.name[0] == ':') pseudo += each.name;
    got.emplace(each.name, each);
  }
  EXPECT_EQ(pseudo, ":method:scheme:authority:path");
  EXPECT_EQ(got.at(":authority").value, "llm.example.com");
  EXPECT_EQ(got.at("content-length").value, "7");
  EXPECT_EQ(got.at("authorization").indexed, may_be_indexed::no);
  EXPECT_EQ(got.at("accept").indexed, may_be_indexed::yes);
  for (const char* name : {"connection", "x-hop", "te", "transfer-encoding", "keep-alive", "upgrade", "host"})
    EXPECT_FALSE(got.contains(name)) << name;
}

TEST_F(Http2SessionTest, TheBodyGoesAsFarAsThePeersWindowsAllow) {
  hear(h2::setting(h2::initial_window_size, 10));
  sent();
  const std::array<std::string_view, 3> pieces{"0123456", "", "789abcdef"};
  const stream_id which = ask(pieces);
  std::string body_bytes;
  for (const auto& each : sent(h2::data)) body_bytes += each.payload;
  EXPECT_EQ(body_bytes, "0123456789");
  EXPECT_FALSE(session.is_uploaded(which));
  hear(h2::frame(h2::window_update, 0, 1, h2::number(100, 4)));
  const auto last = sent(h2::data);
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0].payload, "abcdef");
  EXPECT_EQ(last[0].flags & h2::end_stream, h2::end_stream);
  EXPECT_TRUE(session.is_uploaded(which));
}

TEST_F(Http2SessionTest, ABodyThatIsStoppedIsNotTouchedAgain) {
  hear(h2::setting(h2::initial_window_size, 4));
  sent();
  const stream_id which = [this] {
    const std::string gone(20, 'x');
    const std::array<std::string_view, 1> pieces{gone};
    const stream_id id = ask(pieces);
    sent();
    session.stop_upload(id);
    return id;
  }();
  hear(h2::frame(h2::window_update, 0, 1, h2::number(100, 4)));
  EXPECT_TRUE(sent(h2::data).empty());
  const auto events = hear(h2::head(1, {{":status", "413"}}, h2::end_stream));
  EXPECT_EQ(kinds(events), (list{head, end}));
  EXPECT_TRUE(session.is_open(which));  // the gateway is still sending the request of this stream
  EXPECT_TRUE(session.reset(which));
  EXPECT_EQ(sent(h2::rst_stream).size(), 1u);
  EXPECT_FALSE(session.is_open(which));
}

TEST_F(Http2SessionTest, AResetIsOneFrameWithoutAPingAndNoEventFollows) {
  const stream_id which = asked();
  hear(h2::greeting());
  sent();
  EXPECT_TRUE(session.reset(which));
  const auto frames = sent();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].type, h2::rst_stream);
  EXPECT_EQ(read_number(frames[0].payload), 8u);  // CANCEL
  EXPECT_TRUE(hear(h2::ok_head(1) + h2::body(1, "late", h2::end_stream)).empty());
}

TEST_F(Http2SessionTest, AResetBeforeTheRequestHasLeftSendsNeither) {
  const stream_id which = ask();
  session.reset(which);
  EXPECT_TRUE(sent(h2::headers).empty());
  EXPECT_TRUE(sent(h2::rst_stream).empty());
  EXPECT_FALSE(session.is_open(which));
}

// Data may arrive after the gateway has reset its stream. The session must count these bytes as consumed in the connection's flow-control
// window. Otherwise each losing attempt would shrink the window.
TEST_F(Http2SessionTest, DataBehindOurResetIsCreditedToTheConnection) {
  hear(h2::greeting());
  std::size_t behind = 0;
  const std::string chunk(16000, 'x');
  for (int turn = 0; turn < 300; ++turn) {
    const stream_id which = asked();
    session.reset(which);
    sent();
    hear(h2::ok_head(static_cast<std::uint32_t>(which)) + h2::body(static_cast<std::uint32_t>(which), chunk) +
         h2::body(static_cast<std::uint32_t>(which), chunk, h2::end_stream));
    behind += 2 * chunk.size();
  }
  sent();
  EXPECT_GT(behind, http2_session::max_streams * http2_session::stream_window);
  EXPECT_GT(credited + http2_session::max_streams * http2_session::stream_window, behind);
}

TEST_F(Http2SessionTest, AWindowOpensOnlyAsItsReaderTakes) {
  const stream_id which = asked();
  const std::string chunk(16000, 'x');
  hear(h2::greeting() + h2::ok_head(1));
  sent();
  for (int each = 0; each < 10; ++each) hear(h2::body(1, chunk));
  EXPECT_TRUE(sent(h2::window_update).empty());
  session.consumed(which, 160'000);
  const auto opened = sent(h2::window_update);
  ASSERT_EQ(opened.size(), 1u);
  EXPECT_EQ(opened[0].stream, 1u);
  EXPECT_EQ(read_number(opened[0].payload), 160'000u);
}

TEST_F(Http2SessionTest, APeerThatOverrunsAWindowLosesItsStreamOrConnection) {
  asked();
  const std::string chunk(16384, 'x');
  hear(h2::greeting() + h2::ok_head(1));
  bool is_broken = false;
  for (std::size_t each = 0; each < http2_session::stream_window / chunk.size() + 2 && !is_broken; ++each) {
    const auto fed = session.receive(h2::body(1, chunk));
    sent();
    const auto events = session.take_events();
    is_broken = !fed || session.is_over() ||
                std::any_of(events.begin(), events.end(), [](const auto& e) { return e.kind == broken; });
  }
  EXPECT_TRUE(is_broken);
}

TEST_F(Http2SessionTest, AStreamThePeerResetsIsBrokenAndARefusedOneMayBeRepeated) {
  asked();
  asked();
  const auto events = hear(h2::greeting() + h2::ok_head(1) + h2::reset(1, 2) + h2::reset(3, 7));
  ASSERT_EQ(kinds(events), (list{head, broken, broken}));
  EXPECT_EQ(events[1].error, 2u);
  EXPECT_TRUE(events[1].was_processed);
  EXPECT_FALSE(events[2].was_processed);
}

TEST_F(Http2SessionTest, AGoawayStopsNewStreamsAndCutsOnlyThoseAboveItsLast) {
  asked();
  asked();
  EXPECT_EQ(session.allowed_streams(), http2_session::max_streams);
  auto events = hear(h2::greeting() + h2::ok_head(1) + h2::ok_head(3) + h2::going(0x7FFFFFFF));
  EXPECT_EQ(kinds(events), (list{head, head}));
  EXPECT_EQ(session.allowed_streams(), 0u);
  EXPECT_EQ(ask(), 0);
  events = hear(h2::going(1));
  ASSERT_EQ(kinds(events), (list{broken}));
  EXPECT_EQ(events[0].stream, 3);
  EXPECT_FALSE(events[0].was_processed);
  EXPECT_EQ(kinds(hear(h2::body(1, "on", h2::end_stream))), (list{body, end}));
  EXPECT_FALSE(session.received_enhance_your_calm());
}

TEST_F(Http2SessionTest, EnhanceYourCalmIsHeard) {
  asked();
  hear(h2::greeting() + h2::going(1, 11));
  EXPECT_TRUE(session.received_enhance_your_calm());
}

TEST_F(Http2SessionTest, ThePeersLimitOfStreamsIsHonoured) {
  hear(h2::setting(h2::max_concurrent_streams, 2));
  EXPECT_EQ(session.allowed_streams(), 2u);
  hear(h2::setting(h2::max_concurrent_streams, 1000));
  EXPECT_EQ(session.allowed_streams(), http2_session::max_streams);
}

TEST_F(Http2SessionTest, AnAnswerShorterOrLongerThanItsLengthIsBroken) {
  for (const std::string_view length : {"2", "9"}) {
    http2_session fresh;
    std::string out;
    request_head asks;
    asks.host = "h";
    asks.path = "/";
    fresh.submit(asks, "https", {});
    fresh.collect(out);
    ASSERT_TRUE(fresh.receive(h2::greeting() + h2::head(1, {{":status", "200"}, {"content-length", length}}) +
                              h2::body(1, "four", h2::end_stream)));
    fresh.collect(out);
    const auto events = fresh.take_events();
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back().kind, broken) << length;
  }
}

TEST_F(Http2SessionTest, OurGoodbyeIsOneGoaway) {
  session.say_goodbye();
  session.say_goodbye();
  const auto frames = sent(h2::goaway);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(read_number(std::string_view(frames[0].payload).substr(4)), 0u);
  EXPECT_EQ(session.allowed_streams(), 0u);
}

}  // namespace
}  // namespace photofinish::proxy
