// Tests HTTP/2 connections to one provider: streams that share a connection, the limited number of resets, and peers that violate the
// protocol.
#include "proxy/http2/http2_exchange.hpp"
#include "proxy/http2/http2_pool.hpp"
#include "proxy/http2/http2_session.hpp"

#include "tests/support/network/http2_fixture.hpp"
#include "tests/support/network/http2_frames.hpp"
#include "tests/support/network/http2_server.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <array>
#include <atomic>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
using testing::http2_answer;
using testing::http2_ending;
using testing::http2_request;
using testing::http2_server;
using testing::peer;
using testing::says;
using testing::scripted_server;
using testing::outcome;
namespace h2 = testing::h2;

using http2_test = testing::http2_fixture;

TEST_F(http2_test, RequestsShareAConnection) {
  http2_server server([](const http2_request&) { return says({"one ", "two"}, 20ms); });
  const provider to = at(server.port());
  const outcome first = ask_one(to);
  EXPECT_EQ(first.text, "one two");
  EXPECT_EQ(first.connection, connection_used::fresh);
  std::vector<std::unique_ptr<exchange>> many;
  std::vector<std::unique_ptr<testing::started<outcome>>> running;
  for (int each = 0; each < 4; ++each) {
    many.push_back(make(to));
    running.push_back(start(ask(*many.back())));
  }
  for (auto& each : running) {
    const outcome got = finish(std::move(each));
    EXPECT_EQ(got.text, "one two");
    EXPECT_EQ(got.connection, connection_used::reused);
  }
  EXPECT_EQ(server.requests().back().fields.at(":authority"), "llm.example.com");
  EXPECT_EQ(server.requests().back().fields.at(":scheme"), "http");
  EXPECT_EQ(server.seen().pings, 0u);
  EXPECT_EQ(server.seen().resets, 0u);
}

TEST_F(http2_test, CancelledBeforehandItAsksNothingAndReadsNothing) {
  http2_server server([](const http2_request&) { return says({"no"}); });
  const provider to = at(server.port());
  const auto none = make(to);
  none->cancel();
  const auto got = run(none->next());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, failure_kind::cancelled);
  const outcome asked = run(ask(*none));
  ASSERT_TRUE(asked.broke);
  EXPECT_EQ(asked.broke->kind, failure_kind::cancelled);
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(http2_test, ALongRequestArrivesWhole) {
  http2_server server([](const http2_request& request) { return says({std::to_string(request.body.size())}); });
  EXPECT_EQ(ask_one(at(server.port()), std::string(3'000'000, 'x')).text, "3000000");
  EXPECT_EQ(server.requests()[0].body, std::string(3'000'000, 'x'));
}

TEST_F(http2_test, ACancelledStreamIsResetAtOnceAndItsNeighbourGoesOn) {
  http2_server server([](const http2_request& request) {
    return request.body == "lose" ? says({}, 10min) : says({"a", "b"}, 100ms);
  });
  const provider to = at(server.port());
  ask_one(to, "warm");
  auto winner = make(to), loser = make(to);
  auto won = start(ask(*winner, "win"));
  auto lost = start(ask(*loser, "lose"));
  run_until([&] { return server.requests().size() == 3; });
  loser->cancel();
  loser->cancel();
  EXPECT_FALSE(lost->is_done());  // an operation never completes inside the call that starts it
  EXPECT_EQ(finish(std::move(lost)).broke->kind, failure_kind::cancelled);
  run_until([&] { return server.seen().resets == 1; });
  EXPECT_EQ(finish(std::move(won)).text, "ab");
  EXPECT_EQ(server.seen().cut_alive, 0u);
  EXPECT_EQ(server.seen().pings, 0u);
}

TEST_F(http2_test, EveryMomentOfACancelIsLegal) {
  http2_server server([](const http2_request&) { return says({"a", "b"}, 2ms); });
  const provider to = at(server.port());
  for (int turns = 0; turns < 60; ++turns) {
    auto with = make(to);
    auto running = start(ask(*with));
    for (int each = 0; each < turns; ++each) {
      loop.restart();
      loop.poll_one();
    }
    if (turns % 3 == 0) run_for(std::chrono::milliseconds(turns % 7));
    with->cancel();
    finish(std::move(running));
  }
  EXPECT_EQ(server.seen().enhance_your_calm, 0u);
  EXPECT_EQ(ask_one(to).text, "ab");
}

TEST_F(http2_test, OnABusyConnectionResetsOverTheBudgetWait) {
  std::atomic<bool> may_end{false};
  http2_server server([&](const http2_request& request) {
    http2_answer plan = says({"first"});
    plan.ending = request.body == "stay" ? http2_ending::proper : http2_ending::open;
    if (request.body == "stay") plan.pieces = std::vector<std::string>(10, "x"), plan.between = 60ms;
    if (request.body == "stay") plan.may_end = [&] { return may_end.load(); };
    return plan;
  });
  const provider to = at(server.port());
  auto stays = make(to);
  auto staying = start(ask(*stays, "stay"));
  run_until([&] { return server.requests().size() == 1; });
  run_for(20ms);
  std::vector<std::unique_ptr<exchange>> many;
  std::vector<std::unique_ptr<testing::started<outcome>>> running;
  for (int each = 0; each < 12; ++each) {  // the requests run one after another, so they share one connection
    many.push_back(make(to));
    running.push_back(start(ask(*many.back(), "leave")));
    run_until([&] { return server.requests().size() == many.size() + 1; });
    run_for(5ms);
  }
  ASSERT_LE(server.seen().connections, 2u);  // the pool keeps one more connection ready
  const auto began = std::chrono::steady_clock::now();
  for (auto& each : many) each->cancel();
  for (auto& each : running) EXPECT_EQ(finish(std::move(each)).broke->kind, failure_kind::cancelled);
  // The test reads the number of resets before the time, so that it does not fail if the machine pauses between the two.
  for (std::size_t seen = 0; seen < 12; run_for(10ms)) {
    const auto counts = server.seen();
    seen = counts.resets;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - began).count();
    ASSERT_LE(counts.most_resets, 5u * static_cast<std::size_t>(seconds + 1));
    ASSERT_LT(seconds, 30) << "of 12 resets " << seen << " came";
  }
  EXPECT_EQ(server.seen().resets, 12u);
  may_end = true;
  EXPECT_EQ(finish(std::move(staying)).text, std::string(10, 'x'));
  EXPECT_EQ(server.seen().cut_alive, 0u);
}

TEST_F(http2_test, WhenEverybodyLeavesTheConnectionIsClosedInsteadOfWaiting) {
  http2_server server([](const http2_request&) {
    http2_answer plan = says({"first"});
    plan.ending = http2_ending::open;
    return plan;
  });
  const provider to = at(server.port());
  std::vector<std::unique_ptr<exchange>> many;
  std::vector<std::unique_ptr<testing::started<outcome>>> running;
  for (int each = 0; each < 12; ++each) {
    many.push_back(make(to));
    running.push_back(start(ask(*many.back())));
    run_until([&] { return server.requests().size() == many.size(); });
    run_for(5ms);
  }
  const auto began = std::chrono::steady_clock::now();
  for (auto& each : many) each->cancel();
  for (auto& each : running) finish(std::move(each));
  run_until([&] { return server.seen().resets + server.seen().cut_alive == 12; });
  const auto seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - began).count();
  EXPECT_LE(server.seen().resets, 5u * static_cast<std::size_t>(seconds + 1) * server.seen().connections);
}

TEST_F(http2_test, ASlowReaderStopsItsOwnStreamAndNoOther) {
  http2_server server([](const http2_request& request) {
    return says({std::string(request.body == "big" ? 2'000'000 : 1'000, 'x')});
  });
  const provider to = at(server.port());
  request_head head;
  head.path = "/";
  head.host = "h";
  auto slow = make(to);
  const std::array<std::string_view, 1> big{"big"};
  ASSERT_TRUE(run(slow->start(head, big)));
  run_for(50ms);
  EXPECT_EQ(ask_one(to, "small").text.size(), 1'000u);
  std::size_t got = 0;
  const auto first = run(slow->next());
  ASSERT_TRUE(first);
  EXPECT_LE(first->size(), http2_session::stream_window);
  for (got = first->size(); got < 2'000'000;) {
    const auto more = run(slow->next());
    ASSERT_TRUE(more && !more->empty());
    got += more->size();
  }
  EXPECT_EQ(got, 2'000'000u);
}

TEST_F(http2_test, ARefusedStreamIsRepeatedOnce) {
  int refused = 0;
  http2_server server([&](const http2_request&) {
    http2_answer plan = says({"yes"});
    if (refused++ == 0) plan.ending = http2_ending::refused;
    return plan;
  });
  EXPECT_EQ(ask_one(at(server.port())).text, "yes");
  http2_server never([](const http2_request&) {
    http2_answer plan;
    plan.ending = http2_ending::refused;
    return plan;
  });
  const outcome got = ask_one(at(never.port()));
  ASSERT_TRUE(got.broke);
  EXPECT_EQ(got.broke->kind, failure_kind::connect);
  EXPECT_EQ(never.requests().size(), 2u);
}

TEST_F(http2_test, APeersResetIsAFailureOfItsStreamAlone) {
  http2_server server([](const http2_request& request) {
    http2_answer plan = says({"part"});
    if (request.body == "reset") plan.ending = http2_ending::reset, plan.code = 2;
    return plan;
  });
  const provider to = at(server.port());
  ask_one(to, "warm");
  const outcome got = ask_one(to, "reset");
  ASSERT_TRUE(got.broke);
  EXPECT_EQ(got.broke->kind, failure_kind::bad_stream);
  EXPECT_EQ(got.text, "part");
  EXPECT_EQ(ask_one(to, "next").text, "part");
  EXPECT_EQ(server.requests().size(), 3u);  // the gateway did not repeat the request
}

TEST_F(http2_test, AConnectionThatDiesInTheMiddleBreaksItsStreamsAndTheNextRequestWorks) {
  int asked = 0;
  http2_server server([&](const http2_request&) {
    http2_answer plan = says({"part"});
    plan.between = 5ms;
    if (asked++ == 0) plan.ending = http2_ending::die;
    return plan;
  });
  const provider to = at(server.port());
  const outcome got = ask_one(to);
  ASSERT_TRUE(got.broke);
  EXPECT_EQ(got.text, "part");
  EXPECT_EQ(ask_one(to).text, "part");
  EXPECT_EQ(asked, 2);
}

// Calls a function for each HEADERS frame, until the function returns false or the client disconnects.
void serve_frames(peer& client, const std::function<bool(std::uint32_t stream)>& asked) {
  std::string pending;
  client.write(h2::greeting());
  for (bool has_preface = false;;) {
    const std::string more = client.read_some();
    if (more.empty()) return;
    pending += more;
    if (!has_preface && pending.size() >= 24) pending.erase(0, 24), has_preface = true;
    while (has_preface && pending.size() >= 9) {
      const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(pending[at])); };
      const std::size_t size = 9 + (byte(0) << 16 | byte(1) << 8 | byte(2));
      if (pending.size() < size) break;
      if (byte(3) == h2::headers && !asked(byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8))) return;
      pending.erase(0, size);
    }
  }
}

TEST_F(http2_test, AKeptConnectionThatDiesIsReplacedInSilence) {
  std::atomic<int> served{0};
  scripted_server server([&](peer& client) {
    serve_frames(client, [&](std::uint32_t stream) {
      if (served++ == 1) return client.reset(), false;
      return client.write(h2::ok_head(stream) + h2::body(stream, "fine", h2::end_stream));
    });
  });
  const provider to = at(server.port());
  EXPECT_EQ(ask_one(to).text, "fine");
  run_for(20ms);
  const outcome got = ask_one(to);
  EXPECT_EQ(got.text, "fine");
  EXPECT_EQ(served, 3);
}

// All frames that the peer sends are in the kernel's buffers before the first read, and the loop runs one handler at a time.
TEST_F(http2_test, AFloodOfFramesIsReadOnceInATurn) {
  constexpr std::size_t frames = 60, frame_bytes = 1'000;
  std::atomic<bool> is_asked{false}, may_send{false}, is_sent{false};
  scripted_server server([&](peer& client) {
    serve_frames(client, [&](std::uint32_t stream) {
      is_asked = true;
      while (!may_send) std::this_thread::yield();
      std::string flood = h2::ok_head(stream);
      for (std::size_t each = 0; each < frames; ++each) flood += h2::body(stream, std::string(frame_bytes, '\n'));
      is_sent = client.write(flood + h2::body(stream, "", h2::end_stream));
      return true;
    });
  });
  const provider to = at(server.port());
  std::array<char, frame_bytes + 64> scratch;
  const std::span<char> small = std::span(scratch).first(frame_bytes);
  name_cache names(loop, clock);
  tls_contexts contexts;
  network net{loop, clock, names, contexts};
  connection_pool sockets(net);
  http2_pool pool(net, sockets, small);
  {
    http2_exchange with(pool, sockets, to, "m", small);
    const auto asking = start(ask(with));
    run_until([&] { return is_asked.load(); });
    may_send = true;
    while (!is_sent) std::this_thread::yield();
    const auto seen = watch_turns([] { return 0u; }, [&] { return asking->is_done(); });
    EXPECT_EQ(asking->value->text.size(), frames * frame_bytes);
    EXPECT_GE(seen.turns, frames);
  }
  pool.stop(), sockets.stop();
  const auto drained = [&]() -> boost::asio::awaitable<bool> {
    co_await pool.drained();
    co_await sockets.drained();
    co_return true;
  };
  run(drained());
  names.stop();
  run_until([&] { return names.is_idle(); });
}

TEST_F(http2_test, AProviderThatInsistsOnHttp1GetsNoOtherWayWhereHttp2IsOn) {
  scripted_server server([&](peer& client) {
    serve_frames(client, [&](std::uint32_t stream) { return client.write(h2::reset(stream, 13)); });
  });
  const outcome got = ask_one(at(server.port()));
  ASSERT_TRUE(got.broke);
  EXPECT_NE(got.broke->detail.find("HTTP_1_1_REQUIRED"), std::string::npos);
}

TEST_F(http2_test, AGracefulGoawayCutsNoStreamAndTheNextRequestTakesAnotherConnection) {
  http2_server server([](const http2_request& request) {
    http2_answer plan = says({"on", "and", "on"});
    plan.between = 20ms;
    if (request.body == "go") plan.ending = http2_ending::goaway_after;
    return plan;
  });
  const provider to = at(server.port());
  auto lives = make(to), goes = make(to);
  ask_one(to, "warm");
  auto living = start(ask(*lives, "live"));
  auto going = start(ask(*goes, "go"));
  EXPECT_EQ(finish(std::move(going)).text, "onandon");
  EXPECT_EQ(finish(std::move(living)).text, "onandon");
  EXPECT_EQ(ask_one(to, "after").text, "onandon");
  EXPECT_EQ(server.seen().cut_alive, 0u);
}

TEST_F(http2_test, AnEarlyRefusalEndsTheUpload) {
  scripted_server server([](peer& client) {
    client.write(h2::setting(h2::initial_window_size, 1000));
    client.read_some();
    client.write(h2::head(1, {{":status", "413"}, {"content-type", "text/plain"}}) + h2::body(1, "too big", h2::end_stream));
    client.read_to_end();
  });
  const provider to = at(server.port());
  auto with = make(to);
  const outcome got = run(ask(*with, std::string(1'000'000, 'x')));
  EXPECT_FALSE(got.broke);
  EXPECT_EQ(got.text, "too big");
}

TEST_F(http2_test, WhoSpeaksNoHttp2IsAFailure) {
  scripted_server server([](peer& client) {
    client.read_some();
    client.write("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
    client.read_to_end();
  });
  const outcome got = ask_one(at(server.port()));
  ASSERT_TRUE(got.broke);
  EXPECT_EQ(got.broke->kind, failure_kind::connect);
}

TEST_F(http2_test, AutomaticWithoutTlsIsHttp1) {
  scripted_server server([](peer& client) {
    const std::string heard = client.read_some();
    if (heard.empty()) return;  // a spare connection
    EXPECT_TRUE(heard.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
    client.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
  });
  provider to = at(server.port());
  to.http2 = http2_use::automatic;
  EXPECT_EQ(ask_one(to).text, "hi");
}

}  // namespace
}  // namespace photofinish::proxy
