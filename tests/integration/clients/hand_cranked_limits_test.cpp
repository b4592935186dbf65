// Tests the time limits of a client's connection. The test advances the clock, so each alarm fires exactly at the expected millisecond. The
// sockets are real.
#include "gateway/api/chat/chat_writers.hpp"
#include "gateway/http/request_reader.hpp"
#include "gateway/relay/relay.hpp"
#include "gateway/relay/winner_reader.hpp"
#include "proxy/memory/memory_share.hpp"
#include "tests/support/hand_cranked_test.hpp"
#include "tests/support/streams/scripted_upstream.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace photofinish::tests {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

class client_test : public hand_cranked_test {
 protected:
  client_test() {
    tcp::acceptor acceptor(loop_, {asio::ip::address_v4::loopback(), 0});
    peer_.open(tcp::v4());
    peer_.set_option(asio::socket_base::receive_buffer_size(16 << 10));
    peer_.connect(acceptor.local_endpoint());
    peer_.non_blocking(true);
    tcp::socket accepted = acceptor.accept();
    accepted.set_option(asio::socket_base::send_buffer_size(64 << 10));
    client_.emplace(std::move(accepted), alarms_, std::span(scratch_), gateway::half_close::abort,
                    proxy::memory_share(memory_, 1, alarms_));
    limits_.idle_timeout = 120s, limits_.header_timeout = 10s, limits_.body_timeout = 60s;
    asio::co_spawn(loop_, client_->read_ahead(), [this](std::exception_ptr) { has_reader_ended_ = true; });
  }
  ~client_test() override {
    client_->close();
    settle();
  }

  // Memory accounts of other callers. Together they hold all memory until the test releases it. Each account holds a 256th of the memory.
  static constexpr proxy::memory_budget::account first_other = 2, behind_others = 258;
  void take_all_memory() {
    for (auto who = first_other; who < behind_others; ++who)
      ASSERT_TRUE(memory_.take(who, memory_.limit() / 256, proxy::memory_use::running, alarms_.now()));
  }
  void give_memory_back() {
    for (auto who = first_other; who < behind_others; ++who) memory_.give_back(who, memory_.limit() / 256);
  }

  void say(std::string_view bytes) {
    peer_.send(asio::buffer(bytes));
    settle();
  }
  std::string heard() {
    std::array<char, 65536> space;
    boost::system::error_code ec;
    std::string all;
    for (std::size_t count; (count = peer_.read_some(asio::buffer(space), ec)) > 0;) all.append(space.data(), count);
    return all;
  }

  std::array<char, 4096> scratch_{};
  std::string batch_;
  proxy::memory_budget memory_{64u << 20};
  tcp::socket peer_{loop_};
  std::optional<gateway::client_connection> client_;
  gateway::request_limits limits_;
  bool has_reader_ended_ = false;
};

using arrived_head = gateway::request_reader::arrived_head;
using gateway::refusal;

TEST_F(client_test, ThatSaysNothingIsLeftAtItsIdleTimeout) {
  gateway::request_reader reader(*client_, alarms_, limits_);
  const auto head = start(reader.read_head());
  pass(119'999ms);
  EXPECT_FALSE(head->is_done());
  pass(1ms);
  ASSERT_TRUE(head->is_done());
  EXPECT_TRUE(std::holds_alternative<gateway::request_reader::no_more>(*head->value));
}

TEST_F(client_test, WhoseHeadDripsInIsA408AtItsHeaderTimeout) {
  gateway::request_reader reader(*client_, alarms_, limits_);
  const auto head = start(reader.read_head());
  pass(100s);  // before the client's first byte arrives, the connection counts as idle and has a different time limit
  for (int second = 0; second < 9; ++second) say("G"), pass(1s);
  say("E"), pass(999ms);
  EXPECT_FALSE(head->is_done());
  pass(1ms);
  ASSERT_TRUE(head->is_done());
  EXPECT_EQ(std::get<refusal>(*head->value).status, 408);
}

TEST_F(client_test, WhoseBodyPausesIsA408AtItsBodyTimeout) {
  gateway::request_reader reader(*client_, alarms_, limits_);
  const auto head = start(reader.read_head());
  say("POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: 40000\r\n\r\n123");
  ASSERT_TRUE(head->is_done());
  auto request = std::get<gateway::client_request>(std::move(*head->value));
  const auto body = start(reader.read_body(request));
  pass(59'999ms);
  say(std::string(39'000, '4'));  // the time limit starts again, because the pause was short and enough bytes have arrived
  pass(59'999ms);
  EXPECT_FALSE(body->is_done());
  pass(1ms);
  ASSERT_TRUE(body->is_done());
  ASSERT_TRUE(body->value->has_value());
  EXPECT_EQ((*body->value)->status, 408);
}

TEST_F(client_test, ThatSendsMuchIsReadTwiceInATurn) {
  int reads = 0, most_in_a_turn = 0;
  client_->on_bytes([&reads] { ++reads; });
  const std::string text(60'000, 'x');
  ASSERT_EQ(peer_.send(asio::buffer(text)), text.size());
  for (int turn = 0; turn < 1'000 && client_->unread().size() < text.size(); ++turn) {
    const int before = reads;
    loop_.restart();
    loop_.poll_one();
    most_in_a_turn = std::max(most_in_a_turn, reads - before);
  }
  EXPECT_EQ(client_->unread().size(), text.size());
  EXPECT_EQ(most_in_a_turn, 2);
  client_->on_bytes({});
}

asio::awaitable<bool> write_text(gateway::client_connection& client, std::string_view text) {
  const bool is_sent = co_await client.write(std::span(&text, 1));
  co_return is_sent;
}

// Refuses the next request in the same way as a session of the gateway.
asio::awaitable<bool> refuse_next_head(gateway::client_connection& client, gateway::request_reader& reader) {
  const auto head = co_await reader.read_head();
  EXPECT_EQ(std::get<refusal>(head).status, 503);
  const bool is_sent = co_await write_text(client, "HTTP/1.1 503 Service Unavailable\r\n\r\n");
  co_return is_sent;
}

const std::string long_unfinished_head = "GET /livez HTTP/1.1\r\nHost: h\r\nX-Long: " + std::string(20'000, 'x');

// The gateway writes a refusal while the request reader does not run, and only then notices that the client has left.
TEST_F(client_test, ThatResetsWhileItIsRefusedForMemoryIsReadNoMore) {
  gateway::request_reader reader(*client_, alarms_, limits_);
  take_all_memory();
  const auto refused = start(refuse_next_head(*client_, reader));
  ASSERT_EQ(peer_.send(asio::buffer(long_unfinished_head)), long_unfinished_head.size());
  peer_.set_option(asio::socket_base::linger(true, 0));
  peer_.close();
  settle();
  ASSERT_TRUE(refused->is_done());
  EXPECT_FALSE(*refused->value);
  EXPECT_TRUE(client_->has_left());
  EXPECT_TRUE(has_reader_ended_);
}

TEST_F(client_test, WhoseHeadCameWhileMemoryWasShortIsServedOnceThereIsSome) {
  gateway::request_reader reader(*client_, alarms_, limits_);
  take_all_memory();
  say(long_unfinished_head);  // this request head arrives while the gateway still answers an earlier request
  EXPECT_TRUE(client_->is_starved());
  give_memory_back();
  const auto head = start(reader.read_head());
  EXPECT_FALSE(head->is_done());
  say("\r\n\r\n");
  ASSERT_TRUE(head->is_done());
  EXPECT_TRUE(std::holds_alternative<gateway::client_request>(*head->value));
}

TEST_F(client_test, WhoseHeadCameWhileMemoryWasShortIsRefusedWhileItIs) {
  gateway::request_reader reader(*client_, alarms_, limits_);
  take_all_memory();
  say(long_unfinished_head);
  const auto head = start(reader.read_head());
  ASSERT_TRUE(head->is_done());
  EXPECT_EQ(std::get<refusal>(*head->value).status, 503);
}

// Writes more bytes than the kernel's buffers can hold.
asio::awaitable<bool> write_much(gateway::client_connection& client, const std::string& text) {
  return write_text(client, text);
}

TEST_F(client_test, ThatTakesNothingIsCutAtItsStallTimeout) {
  client_->set_stall_timeout(60s);
  const std::string text(16u << 20, 'x');
  const auto sent = start(write_much(*client_, text));
  pass(59'999ms);
  EXPECT_FALSE(sent->is_done());
  pass(1ms);
  ASSERT_TRUE(sent->is_done());
  EXPECT_FALSE(*sent->value);
  EXPECT_TRUE(client_->has_left());
}

TEST_F(client_test, ThatTakesALittleNowAndThenIsNotCut) {
  client_->set_stall_timeout(60s);
  const std::string text(4u << 20, 'x');
  const auto sent = start(write_much(*client_, text));
  std::size_t taken = 0;
  for (int round = 0; round < 2'000 && !sent->is_done(); ++round) {
    pass(59s);
    taken += heard().size();
    settle();
  }
  ASSERT_TRUE(sent->is_done()) << taken << " bytes taken";
  EXPECT_TRUE(*sent->value);
}

TEST_F(client_test, ThatTakesALittleNowAndThenIsCutAtTheEndOfItsWrites) {
  client_->set_stall_timeout(60s);
  client_->set_write_end(alarms_.now() + 590s);
  const std::string text(16u << 20, 'x');
  const auto sent = start(write_much(*client_, text));
  for (int round = 0; round < 10; ++round) {
    (void)heard();
    settle();
    pass(round < 9 ? 59s : 58'999ms);
    ASSERT_FALSE(sent->is_done()) << round;
  }
  pass(1ms);
  ASSERT_TRUE(sent->is_done());
  EXPECT_FALSE(*sent->value);
  EXPECT_TRUE(client_->has_left());
}

// Tests the comments that a client receives in its event stream while the winner of its race is silent.
TEST_F(client_test, ReadsACommentForEachFifteenSecondsOfSilence) {
  upstream_record record;
  scripted_upstream upstream({.open_delay = {}, .open_failure = {}, .never_opens = false,
                              .steps = {{.delay = 40s, .what = proxy::event_kind::token, .json = "{\"n\":1}"},
                                        {.delay = 10s, .what = proxy::event_kind::end, .json = ""}}},
                             alarms_, loop_.get_executor(), record);
  gateway::client_answer stream(*client_, batch_, gateway::answer_form::stream, {.is_http_1_0 = true});
  gateway::chat_stream_writer writer({}, {}, false);
  const racing::race_settings limits{.stall_timeout = 240s};
  std::vector<proxy::kept_event> held;
  const std::string_view piece = "{}";
  held.emplace_back(proxy::stream_event{.kind = proxy::event_kind::token,
                                        .spoken = proxy::wire_format::openai_chat,
                                        .json = {&piece, 1},
                                        .read_at = alarms_.now()});
  gateway::winner_reader winner(upstream, held, std::nullopt, alarms_, limits, alarms_.now() + 600s,
                                [&stream] { stream.send_keepalive(": waiting\n\n"); });
  gateway::answer_tokens tokens([](std::string, std::function<void(std::uint64_t)>) { return false; });
  const auto answer = start(gateway::relay(winner, writer, stream, tokens, alarms_));
  EXPECT_EQ(heard(), "data: {}\n\n");
  pass(14'999ms);
  EXPECT_EQ(heard(), "");
  pass(1ms);
  EXPECT_EQ(heard(), ": waiting\n\n");
  pass(15s);
  EXPECT_EQ(heard(), ": waiting\n\n");
  pass(10s);
  EXPECT_EQ(heard(), "data: {\"n\":1}\n\n");
  pass(10s);
  ASSERT_TRUE(answer->is_done());
  EXPECT_EQ(answer->value->end, gateway::answer_end::complete);
  EXPECT_EQ(heard(), "data: [DONE]\n\n");
}

TEST_F(client_test, ThatPausesIsNotItsProvidersStall) {
  constexpr int parts = 100;
  upstream_record record;
  upstream_script script;
  const std::string part = "{\"n\":\"" + std::string(100'000, 'x') + "\"}";
  for (int count = 0; count < parts; ++count) script.steps.push_back({.what = proxy::event_kind::token, .json = part});
  script.steps.push_back({.what = proxy::event_kind::end, .json = ""});
  scripted_upstream upstream(std::move(script), alarms_, loop_.get_executor(), record);
  client_->set_stall_timeout(60s);
  gateway::client_answer stream(*client_, batch_, gateway::answer_form::stream, {.is_http_1_0 = true});
  gateway::chat_stream_writer writer({}, {}, false);
  const racing::race_settings limits{.stall_timeout = 10s};
  std::vector<proxy::kept_event> held;
  const std::string_view piece = part;
  held.emplace_back(proxy::stream_event{.kind = proxy::event_kind::token,
                                        .spoken = proxy::wire_format::openai_chat,
                                        .json = {&piece, 1},
                                        .read_at = alarms_.now()});
  gateway::winner_reader winner(upstream, held, std::nullopt, alarms_, limits, alarms_.now() + 600s, [] {});
  gateway::answer_tokens tokens([](std::string, std::function<void(std::uint64_t)>) { return false; });
  const auto answer = start(gateway::relay(winner, writer, stream, tokens, alarms_));
  pass(50s);  // this time is much longer than the provider's time limit, but shorter than the client's time limit
  EXPECT_FALSE(answer->is_done());
  EXPECT_FALSE(record.was_closed);
  std::string got;
  for (int round = 0; round < 10'000 && !answer->is_done(); ++round) got += heard(), settle();
  got += heard();
  ASSERT_TRUE(answer->is_done()) << got.size() << " bytes taken";
  EXPECT_EQ(answer->value->end, gateway::answer_end::complete);
  EXPECT_GT(got.size(), parts * part.size());
  EXPECT_TRUE(got.ends_with("data: [DONE]\n\n"));
}

}  // namespace
}  // namespace photofinish::tests
