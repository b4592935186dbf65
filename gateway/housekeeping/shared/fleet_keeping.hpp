// Exchanges figures with the other gateways through the store, on the housekeeper's thread. Each gateway writes the
// sums of its own usage to the store twice per second, and reads the other gateways' sums if a report needs them. The
// receipt of a race stays at the gateway that ran the race; other gateways request it through the store. This class has
// its own connection, so that limits and budgets never wait for it. If the store's user lacks the rights for this
// exchange, the gateway's other functions keep working.
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
  static constexpr std::chrono::milliseconds patience{2'500};  // the maximum time to wait for another gateway's answer

  // `run` is the unique name of this process in the store. `facts` must outlive this object and counts the store's
  // errors.
  fleet_keeping(boost::asio::io_context& loop, std::string run, std::chrono::milliseconds tick,
                metrics::store_facts& facts);

  void watch(fleet_ways ways) { ways_ = std::move(ways); }

  // `net` must outlive this object. It is null if there is no store.
  void use(store_network* net, const store_settings& settings);
  void rename(std::string name);

  const fleet_members& members() const { return members_; }
  fleet_usage& usage() { return usage_; }

  // Returns the object that shares the gateways' figures while a live page is open at one of them.
  fleet_asking& figures() { return asking_; }
  // Returns the names and figures of the other gateways.
  std::vector<std::pair<std::string, std::string>> other_figures() const;
  fleet_scope scope_of_figures() const;

  boost::asio::awaitable<fleet_receipt> receipt(std::string id, std::string caller, bool sees_all);

  // Returns the answers of other gateways to a query. Contacts no other gateway if the query is only for this gateway,
  // or if the store cannot be reached. If the query is for one other gateway and gets no answer, `scope` contains the
  // reason: the gateway is unknown, or it does not respond.
  boost::asio::awaitable<fleet_answers> ask(fleet_query what);

  // Writes all unwritten data. Afterwards this object sends no more questions to other gateways. Call stop() before
  // destroying the object.
  boost::asio::awaitable<void> stop();

 private:
  boost::asio::awaitable<proxy::instant> run_round();
  boost::asio::awaitable<bool> meet_others();
  boost::asio::awaitable<void> answer_others();
  std::vector<store_command> meeting();
  void take_meeting(const store_link::replies& said);
  std::string why_no_question(const fleet_question& asked) const;
  // Returns the time by the store's clock, which is the same for all gateways.
  std::chrono::sys_seconds store_now() const { return ways_.now() + store_ahead_; }

  boost::asio::io_context& loop_;
  const std::chrono::milliseconds tick_;
  metrics::store_facts& shown_facts_;
  metrics::store_facts facts_;  // counts the errors of this object's connections to the store
  fleet_ways ways_;
  fleet_members members_;
  fleet_asking asking_;
  fleet_questions questions_;
  fleet_usage usage_;
  fleet_commands commands_{"pf"};
  // The client for commands to the store, shared with running calls. Null if there is no store.
  std::shared_ptr<store_client> client_;
  std::chrono::seconds store_ahead_{0};   // how much the store's clock is ahead of this machine's clock
  repeated_work rounds_;
};

}  // namespace photofinish::gateway
