// The figures of a fleet, on the housekeeper's thread. Each gateway writes the sums of its own usage book to the store
// twice per second. It reads the sums of other gateways if a report needs them. Receipts stay at the gateway that ran
// the race. A gateway that lacks a receipt asks the other gateways through the store. This class has its own
// connection, so that neither limits nor budgets wait for it. If the store's user lacks the rights for these keys, no
// other function stops working.
#pragma once

#include "gateway/housekeeping/shared/fleet_asking.hpp"
#include "gateway/housekeeping/shared/fleet_members.hpp"
#include "gateway/housekeeping/shared/fleet_questions.hpp"
#include "gateway/housekeeping/shared/fleet_usage.hpp"
#include "gateway/store/fleet_commands.hpp"
#include "gateway/store/fleet_scope.hpp"
#include "gateway/store/store_client.hpp"
#include "gateway/threads/repeated_work.hpp"
#include "metrics/store_facts.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class fleet_keeping {
 public:
  static constexpr std::chrono::milliseconds patience{2'500};  // the longest wait for the answer of another gateway

  // `run` is the name of this run in the store. `facts` outlives this object and counts the store's errors.
  fleet_keeping(boost::asio::io_context& loop, std::string run, std::chrono::milliseconds tick,
                metrics::store_facts& facts);

  void watch(fleet_ways ways) { ways_ = std::move(ways); }

  // `net` outlives this object; null means that there is no store. `name` is the setting `instance`.
  void use(store_network* net, const store_settings& settings);
  void rename(std::string name);

  const fleet_members& members() const { return members_; }
  fleet_usage& usage() { return usage_; }

  // The figures that gateways write while a live page is open at one of them. The object also knows which gateways
  // the figures cover.
  fleet_asking& figures() { return asking_; }
  // The names and figures of the other gateways.
  std::vector<std::pair<std::string, std::string>> other_figures() const;
  fleet_scope scope_of_figures() const;

  boost::asio::awaitable<fleet_receipt> receipt(std::string id, std::string caller, bool sees_all);

  // Gets the answers of other gateways. Asks no gateway if the query names this gateway, or if the store is
  // unreachable. If the query names another gateway that has not answered, the scope says that the name is unknown or
  // that the gateway is silent.
  boost::asio::awaitable<fleet_answers> ask(fleet_query what);

  // Writes the remaining data. This object asks no questions after stop(). Call stop() before the destructor.
  boost::asio::awaitable<void> stop();

 private:
  boost::asio::awaitable<proxy::instant> run_round();
  boost::asio::awaitable<bool> meet_others();
  boost::asio::awaitable<void> answer_others();
  std::vector<store_command> meeting();
  void take_meeting(const store_link::replies& said);
  std::string why_no_question(const fleet_question& asked) const;
  // The time by the store's clock, which all gateways share.
  std::chrono::sys_seconds store_now() const { return ways_.now() + store_ahead_; }

  boost::asio::io_context& loop_;
  const std::chrono::milliseconds tick_;
  metrics::store_facts& shown_facts_;
  metrics::store_facts facts_;  // the errors of this object's connections to the store
  fleet_ways ways_;
  fleet_members members_;
  fleet_asking asking_;
  fleet_questions questions_;
  fleet_usage usage_;
  fleet_commands commands_{"pf"};
  // The store's client for rounds, shared with running calls; null if there is no store.
  std::shared_ptr<store_client> client_;
  std::chrono::seconds store_ahead_{0};   // the time by the store's clock minus the time by this machine's clock
  repeated_work rounds_;
};

}  // namespace photofinish::gateway
