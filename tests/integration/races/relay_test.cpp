// Tests how the gateway relays an answer to a client over a real socket. The answer must stay correct even if the client does not read for
// some time.
#include "gateway/api/chat/chat_writers.hpp"
#include "gateway/relay/relay.hpp"
#include "gateway/relay/winner_reader.hpp"
#include "proxy/memory/memory_budget.hpp"
#include "tests/support/manual_alarms.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::tests {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// An upstream whose events arrive in bursts. The events are in a buffer that other streams also use. In the next turn of the loop, the
// other streams overwrite the unread part of a burst.
class shared_buffer_upstream final : public proxy::upstream {
 public:
  shared_buffer_upstream(asio::io_context& loop, std::deque<std::deque<std::string>> bursts)
      : loop_(loop), bursts_(std::move(bursts)) {}

  asio::awaitable<proxy::result<void>> open() override { co_return proxy::result<void>{}; }

  asio::awaitable<void> readable() override { co_await asio::post(loop_, asio::use_awaitable); }
  std::optional<proxy::result<proxy::stream_event>> read() override {
    if (!std::exchange(has_read_half_, !has_read_half_)) return std::nullopt;  // only a part of the next event has arrived so far
    if (bursts_.empty()) return proxy::stream_event{.kind = proxy::event_kind::end, .json = {}, .read_at = {}};
    take_burst();
    return poll();
  }

  std::optional<proxy::result<proxy::stream_event>> poll() override {
    if (buffer_.empty()) return std::nullopt;
    json_ = std::move(buffer_.front());
    buffer_.pop_front();
    piece_ = json_;
    return proxy::stream_event{.kind = proxy::event_kind::token,
                               .spoken = proxy::wire_format::openai_chat,
                               .json = {&piece_, 1},
                               .read_at = {}};
  }
  bool may_have_event() const override { return !buffer_.empty(); }
  void close() noexcept override {}
  const proxy::stream_summary& summary() const override { return summary_; }

  void take_burst() {
    buffer_ = std::move(bursts_.front());
    bursts_.pop_front();
    asio::post(loop_, [this] { std::fill(buffer_.begin(), buffer_.end(), "ANOTHER'S BYTES"); });
  }

 private:
  asio::io_context& loop_;
  std::deque<std::deque<std::string>> bursts_;
  std::deque<std::string> buffer_;
  bool has_read_half_ = false;
  std::string json_;
  std::string_view piece_;
  proxy::stream_summary summary_;
};

class AnswerStream : public ::testing::Test {
 protected:
  AnswerStream() {
    tcp::acceptor acceptor(loop_, {asio::ip::address_v4::loopback(), 0});
    peer_.connect(acceptor.local_endpoint());
    tcp::socket accepted = acceptor.accept();
    accepted.set_option(asio::socket_base::send_buffer_size(64 << 10));
    client_.emplace(std::move(accepted), alarms_, std::span(scratch_), gateway::half_close::abort);
  }

  // Relays the winner's whole answer to a client that reads only when no other work can run.
  std::string relay(shared_buffer_upstream& upstream, std::string first_token) {
    std::vector<proxy::kept_event> held;
    const std::string_view piece = first_token;
    held.emplace_back(proxy::stream_event{.kind = proxy::event_kind::token,
                                          .spoken = proxy::wire_format::openai_chat,
                                          .json = {&piece, 1},
                                          .read_at = alarms_.now()});
    gateway::winner_reader winner(upstream, held, std::nullopt, alarms_, {}, alarms_.now() + std::chrono::hours(1), {});
    gateway::client_answer answer(*client_, batch_, gateway::answer_form::stream, {.is_http_1_0 = true});
    gateway::answer_tokens tokens([](std::string, std::function<void(std::uint64_t)>) { return false; });
    bool has_ended = false;
    asio::co_spawn(loop_, gateway::relay(winner, writer_, answer, tokens, alarms_),
                   [&](std::exception_ptr, gateway::relayed result) {
      EXPECT_EQ(result.end, gateway::answer_end::complete);
      client_->close();
      has_ended = true;
    });
    std::string got;
    peer_.non_blocking(true);
    for (int turn = 0; turn < 20'000 && !has_ended; ++turn) {
      loop_.restart();
      if (loop_.poll() > 0) continue;
      got += read_some();
      loop_.run_one_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(has_ended);
    for (std::string more = read_some(); !more.empty(); more = read_some()) got += more;
    return got;
  }

  std::string read_some() {
    std::array<char, 65536> space;
    boost::system::error_code ec;
    return {space.data(), peer_.read_some(asio::buffer(space), ec)};
  }

  asio::io_context loop_{1};
  manual_alarms alarms_;
  std::array<char, 4096> scratch_{};
  std::string batch_;
  gateway::chat_stream_writer writer_{{}, {}, false};
  tcp::socket peer_{loop_};
  std::optional<gateway::client_connection> client_;
};

const std::string long_event = "{\"long\":\"" + std::string(8u << 20, 'x') + "\"}";  // more bytes than the buffers of any socket can hold

TEST_F(AnswerStream, ABurstThatGrowsLongIsTakenToItsEndBeforeASlowClientIsAwaited) {
  shared_buffer_upstream upstream(loop_, {{long_event, "{\"n\":1}", "{\"n\":2}"}});
  const std::string got = relay(upstream, "{}");
  EXPECT_EQ(got.substr(got.size() - 46), "\n\ndata: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: [DONE]\n\n");
}

TEST_F(AnswerStream, AGiantFirstEventIsSentWholeAndInItsPlace) {
  shared_buffer_upstream upstream(loop_, {{"{\"n\":1}"}});
  const std::string got = relay(upstream, long_event);
  EXPECT_TRUE(got == "data: " + long_event + "\n\ndata: {\"n\":1}\n\ndata: [DONE]\n\n") << got.size();
}

// A worker uses the same batch buffer for all its answers. After a long burst of events, it must release the memory of this buffer.
TEST_F(AnswerStream, ALongBurstsRoomIsGivenBack) {
  shared_buffer_upstream upstream(loop_, {{long_event, "{\"n\":1}"}});
  relay(upstream, "{}");
  EXPECT_LE(batch_.capacity(), 256u << 10);
}

TEST_F(AnswerStream, HasNotBegunWhereTheClientWasGoneBeforeTheFirstWrite) {
  shared_buffer_upstream upstream(loop_, {});
  std::vector<proxy::kept_event> held;
  const std::string_view piece = "{}";
  held.emplace_back(proxy::stream_event{.kind = proxy::event_kind::token,
                                        .spoken = proxy::wire_format::openai_chat,
                                        .json = {&piece, 1},
                                        .read_at = alarms_.now()});
  gateway::winner_reader winner(upstream, held, std::nullopt, alarms_, {}, alarms_.now() + std::chrono::hours(1), {});
  gateway::client_answer answer(*client_, batch_, gateway::answer_form::stream, {});
  gateway::answer_tokens tokens([](std::string, std::function<void(std::uint64_t)>) { return false; });
  peer_.set_option(asio::socket_base::linger(true, 0));
  peer_.close();
  std::optional<gateway::relayed> result;
  asio::co_spawn(loop_, gateway::relay(winner, writer_, answer, tokens, alarms_),
                 [&](std::exception_ptr, gateway::relayed got) { result = std::move(got); });
  loop_.run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, gateway::answer_end::client_left);
  EXPECT_FALSE(answer.has_begun());
  EXPECT_FALSE(result->first_written_at);
}

TEST_F(AnswerStream, HoldsWhatItKeepsNowAndAWholeAnswerTheMost) {
  for (const auto form : {gateway::answer_form::stream, gateway::answer_form::whole}) {
    proxy::memory_budget memory(256u << 20);
    gateway::client_answer answer(*client_, batch_, form, {}, proxy::memory_share(memory, 1, alarms_));
    ASSERT_TRUE(answer.hold(20u << 20));
    EXPECT_GE(memory.used(), 20u << 20);
    ASSERT_TRUE(answer.hold(0));
    EXPECT_EQ(memory.used() == 0, form == gateway::answer_form::stream);
  }
}

// A writer that buffers more bytes than the gateway allows, until the gateway stops the answer.
class greedy_writer final : public gateway::answer_writer {
 public:
  explicit greedy_writer(bool can_keep_less) : can_keep_less_(can_keep_less) {}
  proxy::result<void> add(const proxy::stream_event&, gateway::outgoing&) override { return {}; }
  void end(gateway::outgoing& to) override { to.put("end"); }
  void fail(const gateway::api_error&, gateway::outgoing&) override {}
  std::size_t held_bytes() const override { return kept_; }
  void keep_less() override { kept_ = can_keep_less_ ? 0 : kept_; }

 private:
  bool can_keep_less_;
  std::size_t kept_ = 64u << 20;
};

TEST_F(AnswerStream, GoesOnWithoutWhatIsKeptBesideItWhereMemoryIsShort) {
  for (const bool can_keep_less : {true, false}) {
    greedy_writer writer(can_keep_less);
    shared_buffer_upstream upstream(loop_, {{"{}", "{}"}});
    std::vector<proxy::kept_event> held;
    gateway::winner_reader winner(upstream, held, std::nullopt, alarms_, {}, alarms_.now() + std::chrono::hours(1), {});
    proxy::memory_budget memory(32u << 20);
    gateway::client_answer answer(*client_, batch_, gateway::answer_form::stream, {},
                                  proxy::memory_share(memory, 1, alarms_));
    gateway::answer_tokens tokens([](std::string, std::function<void(std::uint64_t)>) { return false; });
    std::optional<gateway::relayed> result;
    asio::co_spawn(loop_, gateway::relay(winner, writer, answer, tokens, alarms_),
                   [&](std::exception_ptr, gateway::relayed got) { result = std::move(got); });
    loop_.restart();
    loop_.run_for(std::chrono::seconds(5));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->end, can_keep_less ? gateway::answer_end::complete : gateway::answer_end::truncated);
  }
}

}  // namespace
}  // namespace photofinish::tests
