// A fixture with one request. The gateway has read the body of the request, but has not answered yet. The test fires the timers itself. The
// client's socket is real.
#pragma once

#include "gateway/config/sources/config_parser.hpp"
#include "gateway/requests/stages/body_stage.hpp"
#include "gateway/requests/stages/client_reply.hpp"
#include "gateway/requests/stages/limit_stage.hpp"
#include "gateway/requests/stages/plan_stage.hpp"
#include "gateway/requests/worker/settlement_queue.hpp"
#include "tests/support/gateway/table_environment.hpp"
#include "tests/support/hand_cranked_test.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace photofinish::gateway {

// A socket connection between a client and the gateway.
struct client_socket {
  client_socket(boost::asio::io_context& loop, proxy::alarms& alarms, proxy::memory_share memory) : peer(loop) {
    boost::asio::ip::tcp::acceptor acceptor(loop, {boost::asio::ip::address_v4::loopback(), 0});
    peer.connect(acceptor.local_endpoint());
    peer.non_blocking(true);
    connection.emplace(acceptor.accept(), alarms, std::span(scratch), half_close::abort, std::move(memory));
  }

  // Returns all bytes that the client has received since the last call.
  std::string received() {
    std::array<char, 65536> space;
    boost::system::error_code ec;
    std::string all;
    for (std::size_t count; (count = peer.read_some(boost::asio::buffer(space), ec)) > 0;) all.append(space.data(), count);
    return all;
  }

  boost::asio::ip::tcp::socket peer;
  std::array<char, 4096> scratch{};
  std::optional<client_connection> connection;
};

// A request whose race has not started, together with the request's account, context and plan.
struct request_in_test {
  request_in_test(worker_context& worker, client_connection& client, std::shared_ptr<const config> settings, caller who)
      : account([](const std::string&, const std::function<void(std::uint64_t)>&) { return false; }),
        context{worker, client, *api_at("/chat/completions", all_apis()), std::move(settings), std::move(who),
                account.record, account.tokens, account.hold, {}, {},
                proxy::memory_share(worker.load.memory, 1, worker.alarms)} {
    account.record.id = "req_1";
    account.record.settings = context.settings;
    account.record.times.received_at = worker.alarms.now();
    plan->memory = context.memory.another();
  }

  request_ledger account;
  request_context context;
  std::shared_ptr<request_plan> plan = std::make_shared<request_plan>();
  load_place place;
  client_reply reply{context};
};

class stage_fixture : public tests::hand_cranked_test {
 protected:
  stage_fixture() {
    boost::asio::co_spawn(loop_, client.connection->read_ahead(), [](std::exception_ptr) {});
  }
  ~stage_fixture() override {
    client.connection->close();
    settle();
  }

  // Configures the unreachable providers a and b, and the route "fast" with both of them. Both targets start together unless the test
  // changes the policy.
  void use(const std::string& more = "", const std::string& of_route = "    race: {policy: all}\n") {
    const std::string yaml = "providers:\n  a: {base_url: 'http://127.0.0.1:9/v1', api_key: none}\n"
                             "  b: {base_url: 'http://127.0.0.1:9/v1', api_key: none}\n"
                             "routes:\n  fast:\n    targets: [a/m, b/m]\n" + of_route + more;
    config_result read = parse_config(yaml, "test.yaml", tests::table_environment{}.machine());
    ASSERT_TRUE(read.is_usable()) << read.problems.front().message;
    settings = std::make_shared<const config>(std::move(read.settings));
    table = load.limits.table_for(settings);
    worker.snapshots.settings = settings;
    worker.snapshots.limits = table;
  }

  std::unique_ptr<request_in_test> request(std::string body, caller who = {}) {
    auto made = std::make_unique<request_in_test>(worker, *client.connection, settings, std::move(who));
    made->plan->request.body = std::move(body);
    return made;
  }
  static std::string question(std::string_view more = "") {
    return R"({"model":"fast","stream":true,"messages":[{"role":"user","content":"Hello"}])" + std::string(more) + "}";
  }
  // Returns a request whose body has been read and whose race has been planned.
  std::unique_ptr<request_in_test> planned(std::string body, caller who = {}) {
    auto made = request(std::move(body), std::move(who));
    EXPECT_TRUE(is_next(body_stage(made->context, *made->plan).read()));
    limit_stage limits(made->context, *made->plan, table);
    plan_stage stage(made->context, *made->plan);
    EXPECT_TRUE(is_next(stage.choose_targets(limits)));
    EXPECT_TRUE(is_next(stage.record(false)));
    return made;
  }

  // Returns the HTTP status of the error, or 0 if there is no error.
  static int status_of(const stage_result& result) {
    const auto* error = std::get_if<api_error>(&result);
    return error == nullptr ? 0 : error->status;
  }

  housekeeper keeper{{}, {}, 1, [](const auto&) {}};
  proxy::outbound outbound{loop_};
  metrics::series_budget series;
  metrics::shard shard{series};
  server_load load{64u << 20, 0, 1, {1, 2}};
  price_book prices;
  line_budget lines{alarms_, [](std::size_t) {}};
  settlement_queue late{account_books{shard, prices, lines, load.background, {}, {}, {}}};
  redactor_book redactors;
  credential_view credentials;
  std::mt19937_64 random{1};
  std::string batch;
  int jobs_aside = 0;
  jwt_callers tokens;
  worker_context worker{
      loop_.get_executor(), outbound, alarms_, shard, keeper, load, {late, lines, lines}, batch, {random, 1},
      protocols(),
      attempt_context{outbound, shard, redactors, proxy::all_dialects(), worker_flights(load.flights), credentials,
                      worker_rooms(load.rooms)},
      [this](std::function<void()> work) { return run_aside(std::move(work)); }, prices,
      step_sender(keeper.speeds(), 0), 0, tokens, {nullptr, nullptr, std::make_shared<const racing::scoreboard>()}};
  client_socket client{loop_, alarms_, proxy::memory_share(load.memory, 1, alarms_)};
  std::shared_ptr<const config> settings;
  std::shared_ptr<const limit_table> table;

 private:
  boost::asio::awaitable<void> run_aside(std::function<void()> work) {
    ++jobs_aside;
    work();
    co_return;
  }
};

}  // namespace photofinish::gateway
