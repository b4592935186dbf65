// The figures of a fleet, on the housekeeper's thread. Each gateway writes the sums of its own usage book to the store
// twice per second, and reads those of other gateways if a report needs them. Receipts stay at the gateway of their
// race; a gateway that lacks a receipt asks the others through the store. This class has its own connection, so that
// neither limits nor budgets wait for it, and so that a store user without these rights loses no other function.
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
  static constexpr std::chrono::milliseconds patience{2'500};  // the longest wait for an answer of another gateway

  // `run`: this run's name in the store. `facts` outlives this object and counts the store's errors.
  fleet_keeping(boost::asio::io_context& loop, std::string run, std::chrono::milliseconds tick,
                metrics::store_facts& facts);

  void watch(fleet_ways ways) { ways_ = std::move(ways); }

  // `net` outlives this object; null: no store. `name`: the setting `instance`.
  void use(store_network* net, const store_settings& settings);
  void rename(std::string name);

  const fleet_members& members() const { return members_; }
  fleet_usage& usage() { return usage_; }

  // The figures that gateways write while a live page is open at one of them, and the gateways that they cover.
  fleet_asking& figures() { return asking_; }
  // The names and figures of the other gateways.
  std::vector<std::pair<std::string, std::string>> other_figures() const;
  fleet_scope scope_of_figures() const;

  boost::asio::awaitable<fleet_receipt> receipt(std::string id, std::string caller, bool sees_all);

  // Gets the answers of other gateways. Asks none if the query names this gateway, or the store is away. If it names
  // another gateway that has not answered, the scope says that its name is unknown, or that it is silent.
  boost::asio::awaitable<fleet_answers> ask(fleet_query what);

  // Writes the remaining data. No questions are asked after this. Call it before the destructor.
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
  metrics::store_facts facts_;  // the errors of its own connections
  fleet_ways ways_;
  fleet_members members_;
  fleet_asking asking_;
  fleet_questions questions_;
  fleet_usage usage_;
  fleet_commands commands_{"pf"};
  std::shared_ptr<store_client> client_;  // the client for rounds; shared with running calls. Null: no store
  std::chrono::seconds store_ahead_{0};   // difference between the store's clock and this machine's
  repeated_work rounds_;
};

}  // namespace photofinish::gateway
