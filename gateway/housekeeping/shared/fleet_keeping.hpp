// The figures of a fleet, on the housekeeper's thread: each gateway writes the sums of its own book of usage to the
// store twice a second, and reads those of the others when a report asks for them. Receipts stay where their race ran:
// a gateway that lacks one asks the others by the store. This has a connection of its own, so that neither limits nor
// budgets wait for it, and so that a user without these rights loses nothing else.
#pragma once

#include "gateway/housekeeping/kept/usage_keeping.hpp"
#include "gateway/housekeeping/shared/fleet_asking.hpp"
#include "gateway/housekeeping/shared/name_watch.hpp"
#include "gateway/housekeeping/shared/repeated_work.hpp"
#include "gateway/store/fleet_commands.hpp"
#include "gateway/store/fleet_scope.hpp"
#include "gateway/store/store_client.hpp"
#include "metrics/store_facts.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// Set before the first configuration is adopted.
struct fleet_ways {
  std::function<usage_keeping&()> usage;       // with all that workers have handed in
  std::function<std::chrono::sys_seconds()> now;
  // The page of a receipt that this gateway keeps; empty: it has none that the asker may see.
  std::function<std::string(const fleet_question&)> receipt;
  // The answer of this gateway to a query of another one.
  std::function<std::string(const fleet_query&)> answer;
};

class fleet_keeping {
 public:
  static constexpr std::size_t most_rows = 200'000;  // of other gateways, in one report
  static constexpr std::size_t most_asked = 20;      // questions of this gateway at a time
  static constexpr std::size_t most_of_caller = 5;   // of them, of one caller that does not see all
  static constexpr std::chrono::seconds usage_patience{5};     // for the usage of the others
  static constexpr std::chrono::milliseconds patience{2'500};  // for a receipt of another gateway

  // `run`: this run's name in the store. `facts` outlives this: what of the store's errors it meets.
  fleet_keeping(boost::asio::io_context& loop, std::string run, std::chrono::milliseconds tick,
                metrics::store_facts& facts);
  ~fleet_keeping();  // stopped before
  fleet_keeping(const fleet_keeping&) = delete;
  fleet_keeping& operator=(const fleet_keeping&) = delete;

  void watch(fleet_ways ways) { ways_ = std::move(ways); }

  // `net` outlives this; null: no store. `name`: the setting `instance`.
  void use(store_network* net, const store_settings& settings);
  void rename(std::string name);

  // The scope of an answer that has the figures of this gateway alone.
  fleet_scope own_scope() const;

  // The scope of figures that gateways share all the time, as speeds: the whole fleet while the store can be used.
  fleet_scope scope() const;
  const std::string& name() const { return name_; }
  // False: this gateway has never seen that name on its store. True while the store cannot be read.
  bool knows(const std::string& gateway) const;
  bool can_ask(const std::string& gateway) const;  // this gateway, or another that answers queries now

  // The figures that gateways write while a live page is open at one of them, and which gateways they cover.
  fleet_asking& figures() { return asking_; }
  std::vector<std::pair<std::string, std::string>> other_figures() const;  // names and figures
  fleet_scope scope_of_figures() const;

  boost::asio::awaitable<usage_report> usage(usage_query wanted);

  boost::asio::awaitable<fleet_receipt> receipt(std::string id, std::string caller, bool sees_all);

  // The answers of other gateways. Nothing is asked if the query names this gateway, or the store is away. If another
  // gateway is named and has not answered, the scope says that its name is unknown, or that the gateway is silent.
  boost::asio::awaitable<fleet_answers> ask(fleet_query what);

  // Writes what is left. Afterwards nothing is asked any more.
  boost::asio::awaitable<void> stop();

 private:
  using row_reader = std::function<void(const shared_bucket&, const bucket_part&, const used_share&)>;
  struct bucket_of_part {
    shared_bucket bucket;
    bucket_part part;
  };

  // Parts that a report lacks because the store has lost them, or has values of another type in their place.
  struct lost_usage {
    std::set<std::string> names;  // of gateways
    bool has_lists = false;       // the list of gateways of some hour or day
  };

  // A question to the other gateways, until it is answered or too late.
  struct open_question {
    fleet_question question;
    proxy::instant until{};
    std::map<std::string, bool> missing = {};  // runs that have not answered, and whether their entries would say so
    std::string page = {};
    bool is_sent = false, is_over = false;
  };

  boost::asio::awaitable<proxy::instant> run_round();
  boost::asio::awaitable<bool> raise_own();
  boost::asio::awaitable<bool> meet_others();
  boost::asio::awaitable<bool> write_usage();
  boost::asio::awaitable<void> check_usage();
  boost::asio::awaitable<void> end_wrong_types(const std::vector<store_command>& asked,
                                               const store_link::replies& said);
  boost::asio::awaitable<void> answer_questions();
  boost::asio::awaitable<std::optional<std::vector<bucket_of_part>>> read_parts(store_client& client,
                                                                                std::vector<shared_bucket> buckets,
                                                                                proxy::instant deadline,
                                                                                lost_usage& lost);
  boost::asio::awaitable<bool> read_rows(store_client& client, std::vector<bucket_of_part> which, row_reader take,
                                         proxy::instant deadline, lost_usage& lost);
  boost::asio::awaitable<std::optional<bool>> is_filling(store_client& client, std::chrono::sys_seconds begun);
  void add_claims(lost_usage& lost, const std::vector<shared_bucket>& buckets, const std::vector<bucket_of_part>& parts,
                  const std::string& only);
  boost::asio::awaitable<bool> add_others(usage_report& into);
  std::vector<store_command> meeting();
  std::string why_no_question(const std::string& caller, bool sees_all) const;
  void take_meeting(const store_link::replies& said, std::size_t looks);
  void cover(fleet_answers& answers, const std::string& only) const;
  void take_entries(const std::vector<std::string>& living);
  void keep_entries(std::vector<fleet_entry> entries, bool was_emptied);
  void watch_names();
  void add_name_note(fleet_scope& scope, const std::string& only) const;
  void list_silent(const fleet_entry& entry);
  void note_answers();
  void count_errors();
  bool is_shared() const { return client_ && has_met_ && !client_->is_away(); }
  std::string why_alone() const;
  // The time by the store's clock, which all gateways share.
  std::chrono::sys_seconds store_now() const { return ways_.now() + store_ahead_; }

  boost::asio::io_context& loop_;
  const std::string run_;
  const std::chrono::milliseconds tick_;
  metrics::store_facts& shown_facts_;
  metrics::store_facts facts_;  // of its own connections
  std::string name_;
  fleet_ways ways_;
  fleet_asking asking_;
  fleet_commands commands_{"pf"};
  // Of rounds, and of reports; shared with the calls that run. Null: no store.
  std::shared_ptr<store_client> client_, reader_;
  std::vector<fleet_member> members_;              // as they were read last
  std::vector<fleet_entry> entries_;               // as they were read last, and those that an emptied store has lost
  std::vector<fleet_entry> lost_entries_;          // until their gateways enter again
  name_watch watched_names_;
  std::map<std::string, bool> peers_;              // other running gateways, and whether their entries name `heard`
  std::set<std::string> names_;                    // each name that was ever read, within a bound
  std::vector<std::string> gone_;                  // runs that have ended, and left their entries
  std::vector<fleet_question> others_;             // questions of other gateways
  std::vector<std::string> heard_;                 // those that this gateway has answered, or has no receipt for
  std::list<open_question> open_;
  std::vector<std::string> over_;                  // ids of this gateway's questions, to be removed from the store
  std::chrono::seconds store_ahead_{0};            // the store's clock compared with this machine's
  bool has_met_ = false;  // the last round was whole
  std::optional<std::chrono::sys_seconds> last_met_;  // the end of the last whole round
  bool is_reading_ = false;
  std::uint64_t asked_ = 0;
  std::chrono::sys_seconds filled_{};  // the value of begun_ for which the whole book was written
  std::chrono::sys_seconds begun_{};  // from then on the store has the usage of all
  repeated_work rounds_;
};

}  // namespace photofinish::gateway
