// Shares rate limits and concurrency limits between gateways, on the housekeeper's thread. This class leases parts of
// rate limits from the store before requests need them, returns unused parts, and reports amounts that were used
// without a lease (debts). It also renews permits of concurrency limits. It has its own connection, so that thousands
// of budgets cannot delay requests that wait for a limit.
#pragma once

#include "gateway/limits/limit_table.hpp"
#include "gateway/store/limit_scripts.hpp"
#include "gateway/store/store_client.hpp"
#include "gateway/threads/repeated_work.hpp"
#include "metrics/store_facts.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace photofinish::gateway {

class limit_keeping {
 public:
  // `gateway` is the unique name of this process in the store. `on_change` is called when the store becomes unreachable
  // or reachable again. `facts` must outlive this object.
  limit_keeping(boost::asio::io_context& loop, std::string gateway, std::chrono::milliseconds tick,
                metrics::store_facts& facts, std::function<void()> on_change);

  // Sets the store. `net` must outlive this object; null means that there is no store. Leases from the previous store
  // are dropped.
  void use(store_network* net, const store_settings& settings);
  void adopt(std::shared_ptr<const limit_table> limits);

  // Immediately asks the store for leases and permits for the given limits. Afterwards calls `answered`, if it is set,
  // even if the store did not reply.
  void ask(const accounts_asked& accounts, std::function<void()> answered);

  bool is_away() const { return client_ && client_->is_away(); }
  bool is_refused_since(proxy::instant when) const { return client_ && client_->has_refused_since(when); }

  // Returns all leases to the store. After stop(), this object sends no more commands. Call stop() before destroying
  // the object.
  boost::asio::awaitable<void> stop();

 private:
  using instant = proxy::instant;
  struct watched {
    std::shared_ptr<limit_account> account;
    instant renewed_at{};  // the time at which this limit's permits for running requests were last renewed
    int rests = 0;         // the number of consecutive checks at which the leases of this limit were unused
  };
  // The commands about one limit in a call to the store. There are at most three such commands.
  struct errand {
    watched* whose = nullptr;
    quota_demand requests = {}, tokens = {};
    std::uint64_t places = 0;
    bool has_places = false;
  };
  using accounts = std::map<limit_account*, watched>;

  boost::asio::awaitable<instant> run_round();
  boost::asio::awaitable<bool> ping();
  boost::asio::awaitable<void> run_errands(std::vector<watched*> whose, bool is_due);
  boost::asio::awaitable<void> exchange(std::span<errand> some);
  std::vector<watched*> everyone();
  errand errand_for(watched& whose, bool is_due);
  std::vector<store_command> commands_for(const script_names& scripts, std::span<const errand> some);
  void take_replies(std::span<errand> some, const store_link::replies& said);
  void rest_all();
  void answer_all();
  void show_mode();

  const std::string gateway_;
  const std::chrono::milliseconds tick_;
  metrics::store_facts& facts_;
  const std::function<void()> on_change_;
  std::string prefix_;
  // The client for commands to the store, shared with the running call; null if there is no store.
  std::shared_ptr<store_client> client_;
  std::shared_ptr<const limit_table> limits_;
  accounts watched_;
  std::vector<watched*> asked_;  // the limits for which the next call to the store must send commands
  std::vector<std::function<void()>> waiting_;    // functions to call after the next exchange with the store
  std::vector<std::function<void()>> answering_;  // functions to call at the end of the running exchange
  std::uint64_t number_ = 0;  // the number of the last command that renewed permits
  std::uint64_t ticks_ = 0;
  instant next_tick_{};
  bool is_wanted_ = false, was_away_ = false;
  repeated_work rounds_;
};

}  // namespace photofinish::gateway
