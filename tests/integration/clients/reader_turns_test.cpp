// Tests that no layer that reads from a provider blocks the event loop, even if much data has arrived. The complete answer is already in
// the kernel's buffers, the read buffer is small, and the loop runs one handler at a time.
#include "gateway/relay/winner_reader.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/http/http1_exchange.hpp"
#include "proxy/outbound.hpp"
#include "proxy/upstream_call.hpp"
#include "racing/race_run.hpp"
#include "tests/support/gateway/scripted_provider.hpp"
#include "tests/support/network/net_fixture.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace photofinish::testing {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t scratch_bytes = 1'000;
constexpr std::size_t json_padding = 64;
// Less than 64 kB, because the gateway reads at most 64 kB of a refusal's body, and at most 64 kB after the last event of an answer.
constexpr std::size_t flood_bytes = 60'000;
constexpr std::size_t least_turns = flood_bytes / scratch_bytes;

std::string many(std::string_view unit, std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += unit;
  return all;
}

std::string answer(std::string_view type, const std::string& body, int status = 200) {
  return "HTTP/1.1 " + std::to_string(status) + " Whatever\r\nContent-Type: " + std::string(type) +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class ReaderTurnsTest : public net_fixture {
 protected:
  ~ReaderTurnsTest() override { run(end()); }

  // Starts a provider that waits until the test sets `may_send`, and then sends all bytes together.
  void serve(std::string bytes) {
    server.emplace([this, bytes = std::move(bytes)](peer& client) {
      client.read_some();
      is_asked = true;
      while (!may_send) std::this_thread::yield();
      client.write(bytes);
      is_sent = true;
      client.read_to_end();
    });
    target.url = {.is_tls = false, .host = "127.0.0.1", .port = server->port(), .path = ""};
    target.limits.max_spares = 0;
  }
  std::unique_ptr<proxy::http1_exchange> exchange() {
    return std::make_unique<proxy::http1_exchange>(over.pool(), target, std::span(scratch).first(scratch_bytes));
  }
  std::unique_ptr<proxy::upstream_call> call() {
    proxy::prepared_request request;
    request.head.path = "/";
    request.head.host = "localhost";
    return std::make_unique<proxy::upstream_call>(target, proxy::secret(), std::move(request),
                                                  proxy::find_dialect(target.dialect)->open_stream({}), exchange(),
                                                  over.alarms(), over.finisher());
  }
  asio::awaitable<bool> started(proxy::exchange& with) {
    proxy::request_head head;
    head.path = "/";
    head.host = "localhost";
    const auto began = co_await with.start(head, {});
    co_return began.has_value();
  }

  // Counts the turns of the loop from the time when all bytes are in the kernel's buffers until the reader is done.
  std::size_t turns_of(asio::awaitable<bool> reading) {
    const auto under_way = start(std::move(reading));
    run_until([this] { return is_asked.load(); });
    may_send = true;
    while (!is_sent) std::this_thread::yield();
    const auto seen = watch_turns([] { return 0u; }, [&] { return under_way->is_done(); });
    EXPECT_TRUE(*under_way->value);
    return seen.turns;
  }

  asio::awaitable<bool> end() {
    co_await over.stop();
    co_return true;
  }

  proxy::outbound over{loop};
  proxy::provider target;
  std::array<char, scratch_bytes + json_padding> scratch;
  std::atomic<bool> is_asked{false}, may_send{false}, is_sent{false};
  std::optional<scripted_server> server;
};

TEST_F(ReaderTurnsTest, AHeadBehindInterimOnes) {
  serve(many("HTTP/1.1 103 Early Hints\r\nlink: " + std::string(60, 'x') + "\r\n\r\n", flood_bytes) +
        answer("text/plain", ""));
  const auto with = exchange();
  EXPECT_GE(turns_of(started(*with)), least_turns);
}

TEST_F(ReaderTurnsTest, ABody) {
  serve(answer("text/plain", std::string(flood_bytes, 'x')));
  const auto with = exchange();
  const auto read_all = [&]() -> asio::awaitable<bool> {
    const bool has_started = co_await started(*with);
    while (has_started) {
      const auto bytes = co_await with->next();
      if (!bytes || bytes->empty()) co_return bytes.has_value();
    }
    co_return false;
  };
  EXPECT_GE(turns_of(read_all()), least_turns);
}

TEST_F(ReaderTurnsTest, ARefusal) {
  serve(answer("text/plain", std::string(flood_bytes, 'x'), 400));
  const auto asked = call();
  const auto open = [&]() -> asio::awaitable<bool> {
    const auto opened = co_await asked->open();
    co_return !opened && opened.error().status == 400;
  };
  EXPECT_GE(turns_of(open()), least_turns);
}

TEST_F(ReaderTurnsTest, WhatIsLeftOfAnAnswer) {
  serve(answer("text/plain", std::string(flood_bytes, 'x')));
  auto with = exchange();
  const auto finish_it = [&]() -> asio::awaitable<bool> {
    const bool has_started = co_await started(*with);
    over.finisher().take(std::move(with));
    co_await over.finisher().drained();
    co_return has_started;
  };
  EXPECT_GE(turns_of(finish_it()), least_turns);
}

const std::string token = "data: " + token_chunk("hello") + "\n\n";
const std::string ending = "data: " + finish_chunk() + "\n\ndata: [DONE]\n\n";

TEST_F(ReaderTurnsTest, ARaceBeforeItsToken) {
  for (const std::string_view silence : {": on\n\n", "\n", "data: {\"type\":\"ping\"}\n\n"}) {
    is_asked = may_send = is_sent = false;
    serve(answer("text/event-stream", many(silence, flood_bytes) + token + ending));
    racing::race_plan plan;
    plan.target_count = 1;
    const auto make = [this](std::size_t) { return call(); };
    const auto held_limit = [](std::size_t) { return std::size_t{1} << 20; };
    const asio::any_io_executor executor = loop.get_executor();
    racing::race_run race(plan, make, over.alarms(), executor, held_limit);
    const auto decide = [&]() -> asio::awaitable<bool> {
      co_await race.decide();
      co_return race.report().winner.has_value();
    };
    EXPECT_GE(turns_of(decide()), least_turns) << silence;
    const auto end_race = [&]() -> asio::awaitable<bool> {
      race.leave();
      if (race.report().winner) race.winner().close();
      co_await race.ended();
      co_return true;
    };
    run(end_race());
  }
}

TEST_F(ReaderTurnsTest, AWinnerBehindItsToken) {
  for (const std::string_view silence : {": on\n\n", "\n", "data: {\"type\":\"ping\"}\n\n"}) {
    is_asked = may_send = is_sent = false;
    serve(answer("text/event-stream", token + many(silence, flood_bytes) + ending));
    const auto winner = call();
    racing::race_settings limits;
    std::vector<proxy::kept_event> held;
    gateway::winner_reader reader(*winner, held, std::nullopt, over.alarms(), limits, proxy::instant::max(), {});
    const auto read_all = [&]() -> asio::awaitable<bool> {
      const auto opened = co_await winner->open();
      while (opened) {
        const auto event = co_await reader.next();
        if (!event || event->kind == proxy::event_kind::end) co_return event.has_value();
      }
      co_return false;
    };
    EXPECT_GE(turns_of(read_all()), least_turns) << silence;
  }
}

}  // namespace
}  // namespace photofinish::testing
