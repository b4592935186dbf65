// Collects the usage of all gateways on one store. Each gateway writes the sums of its own usage to the store, and a
// report reads the sums of the other gateways. Use this class on the housekeeper's thread.
#pragma once

#include "gateway/housekeeping/shared/fleet_members.hpp"
#include "gateway/housekeeping/stores/usage_keeping.hpp"
#include "gateway/store/fleet_commands.hpp"
#include "gateway/store/store_client.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Callbacks that the owner of a fleet_usage object sets before it applies the first configuration.
struct fleet_ways {
  // Returns this gateway's usage records with all amounts that workers have reported so far.
  std::function<usage_keeping&()> usage;
  std::function<std::chrono::sys_seconds()> now;
  // Returns one of this gateway's receipts as JSON. Returns an empty string if there is no such receipt, or if the
  // requester may not see it.
  std::function<std::string(const fleet_question&)> receipt;
  // Returns this gateway's answer to a query of another gateway.
  std::function<std::string(const fleet_query&)> answer;
};

class fleet_usage {
 public:
  static constexpr std::size_t most_rows = 200'000;   // the maximum number of other gateways' usage rows in one report
  static constexpr std::chrono::seconds patience{5};  // the maximum time to wait for the usage of other gateways

  // `members` and `ways` must outlive this object. Data is exchanged with the store twice per `tick`.
  fleet_usage(boost::asio::io_context& loop, const fleet_members& members, const fleet_ways& ways,
              std::chrono::milliseconds tick)
      : loop_(loop), members_(members), ways_(ways), tick_(tick) {}

  // Sets the clients of the store, `writer` for this gateway's usage and `reader` for reports. Null means that there is
  // no store.
  void use(std::shared_ptr<store_client> writer, std::shared_ptr<store_client> reader, fleet_commands commands);
  // Writes all usage of this gateway again. Call this if the store may have lost the usage, or may contain it under
  // another name.
  void note_all() {
    if (ways_.usage) ways_.usage().sharing().note_all();
  }
  // Records the time at which the store's usage data begins. `is_new` is true if the store had no entry of this
  // gateway. Returns true if the store was emptied.
  bool note_begin(std::chrono::sys_seconds begun, bool is_new);
  // Data that this gateway publishes in the store: the id of its usage records, the hours and days with usage, and a
  // copy of the time at which the store's data begins. This gateway makes the copy after it has written all its usage.
  // If the copy differs from the store's time, the store was emptied, and this gateway has not yet written all its
  // usage again.
  const std::string& book() const { return ways_.usage().sharing().book(); }
  std::chrono::sys_seconds filled() const { return filled_; }
  std::vector<bucket_range> listed() const { return ranges_of(ways_.usage().sharing().listed()); }

  // Exchanges data with the store: writes the rows whose sums have grown, and checks rows that were written earlier.
  // `store_ahead` is how much the store's clock is ahead of this machine's clock. Returns false if the store could not
  // be used.
  boost::asio::awaitable<bool> share(std::chrono::seconds store_ahead);
  // Writes the usage of this gateway that the store does not have yet.
  boost::asio::awaitable<void> finish();
  void stop() { is_stopping_ = true; }  // after stop(), report() no longer waits until another report is complete
  void cancel();

  boost::asio::awaitable<usage_report> report(usage_query wanted);

 private:
  using row_reader = std::function<void(const shared_bucket&, const bucket_part&, const used_share&)>;
  struct bucket_of_part {
    shared_bucket bucket;
    bucket_part part;
  };

  // The usage that is missing in a report, because the store has lost it or has values of a wrong type under its keys.
  struct lost_usage {
    std::set<std::string> names;  // the names of the gateways whose usage is incomplete in the store
    // True if the store has lost the list of the gateways that have usage in an hour or a day.
    bool has_lists = false;
  };

  boost::asio::awaitable<bool> raise_book();
  boost::asio::awaitable<bool> write();
  boost::asio::awaitable<void> check(std::chrono::sys_seconds store_time);
  boost::asio::awaitable<void> end_wrong_types(const std::vector<store_command>& asked,
                                               const store_link::replies& said);
  boost::asio::awaitable<std::optional<std::vector<bucket_of_part>>> read_parts(
      store_client& client, std::vector<shared_bucket> buckets, proxy::instant deadline, lost_usage& lost);
  boost::asio::awaitable<bool> read_rows(store_client& client, std::vector<bucket_of_part> which, row_reader take,
                                         proxy::instant deadline, lost_usage& lost);
  boost::asio::awaitable<std::optional<bool>> is_filling(store_client& client, std::chrono::sys_seconds begun);
  void add_claims(lost_usage& lost, const std::vector<shared_bucket>& buckets, const std::vector<bucket_of_part>& parts,
                  const std::string& only);
  boost::asio::awaitable<bool> add_others(usage_report& into);

  boost::asio::io_context& loop_;
  const fleet_members& members_;
  const fleet_ways& ways_;
  const std::chrono::milliseconds tick_;
  fleet_commands commands_{"pf"};
  std::shared_ptr<store_client> writer_, reader_;  // the clients for commands to the store, shared with running calls
  std::chrono::sys_seconds begun_{}, filled_{};
  bool is_reading_ = false, is_stopping_ = false;
};

}  // namespace photofinish::gateway
