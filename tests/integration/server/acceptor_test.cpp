// Tests many clients that connect at the same time. They are accepted in a few turns of the loop, and each turn accepts only a few clients.
#include "gateway/server/acceptor.hpp"
#include "tests/support/network/net_fixture.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::testing {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t many = 64;
constexpr std::size_t most_in_turn = 16;
// A batch of accepted clients takes two turns of the event loop: one for the handler that finds the socket readable, and one in which the
// coroutine continues.
constexpr std::size_t turns_of_batch = 3;

class AcceptorTest : public net_fixture {
 protected:
  AcceptorTest() {
    auto bound = std::get<gateway::bound_address>(gateway::bind_for_workers({"127.0.0.1", 0}, 1));
    port = bound.address.port;
    takes = std::make_unique<gateway::acceptor>(loop, clock, std::move(bound.sockets.front()), tcp::v4(),
                                                [this](tcp::socket client) { taken.push_back(std::move(client)); });
  }

  // Connects the given number of clients, and returns after the kernel has accepted them.
  void come(std::size_t count) {
    for (std::size_t each = 0; each < count; ++each)
      clients.emplace_back(loop).connect({asio::ip::address_v4::loopback(), port});
  }
  asio::awaitable<bool> run_to_its_end() {
    co_await takes->run();
    co_return true;
  }
  turns_seen turns_until(std::size_t count) {
    return watch_turns([this] { return taken.size(); }, [this, count] { return taken.size() >= count; });
  }

  std::uint16_t port = 0;
  std::unique_ptr<gateway::acceptor> takes;
  std::list<tcp::socket> clients;
  std::vector<tcp::socket> taken;
};

TEST_F(AcceptorTest, ACrowdIsTakenInAFewTurns) {
  const auto running = start(run_to_its_end());
  come(many);
  const turns_seen seen = turns_until(many);
  EXPECT_LE(seen.turns, turns_of_batch * many / most_in_turn);
  EXPECT_LE(seen.most_in_one, most_in_turn);
  come(1);
  turns_until(many + 1);
  takes->stop();
  run_until([&] { return running->is_done(); });
}

TEST_F(AcceptorTest, TheEndTakesWhatHasCome) {
  const auto running = start(run_to_its_end());
  come(many);
  takes->stop();
  run_until([&] { return running->is_done(); });
  EXPECT_EQ(taken.size(), many);
}

}  // namespace
}  // namespace photofinish::testing
