// The gateways on one store, as they were last read: their names and whether they are running. Also describes which
// gateways a report includes. Use this class on the housekeeper's thread.
#pragma once

#include "gateway/housekeeping/shared/fleet_asking.hpp"
#include "gateway/housekeeping/shared/name_watch.hpp"
#include "gateway/store/fleet_commands.hpp"
#include "gateway/store/fleet_scope.hpp"
#include "gateway/store/store_client.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class fleet_members {
 public:
  using wall_seconds = std::chrono::sys_seconds;

  explicit fleet_members(std::string run) : run_(std::move(run)) {}

  // Sets the client of the store. Null means that there is no store.
  void use(std::shared_ptr<const store_client> client);
  // Sets the name from the setting `instance`. Returns false if the name did not change.
  bool rename(std::string name);

  // Applies the gateways' entries and the list of running gateways, which were read from the store. `was_emptied` is
  // true if the store has lost entries. `now` is the time by the store's clock. Returns the gateways that can answer
  // queries.
  std::vector<fleet_asking::peer> take(std::vector<fleet_entry> entries, const std::vector<std::string>& living,
                                       bool was_emptied, wall_seconds now);
  // Detects and logs gateways with the same name. If two gateways share a name, a query for this name may be answered
  // by only one of them.
  void watch_names(wall_seconds now);
  void end_round(bool is_whole, wall_seconds now);

  const std::string& run() const { return run_; }  // the unique name of this process in the store
  const std::string& name() const { return name_; }
  const std::vector<fleet_member>& all() const { return members_; }
  // The gateways' entries as they were last read, and the entries that an emptied store has lost.
  const std::vector<fleet_entry>& entries() const { return entries_; }
  // The other running gateways, keyed by process. The map's value is true if the gateway publishes a list of the
  // questions that it has received from other gateways.
  const std::map<std::string, bool>& peers() const { return peers_; }
  // Processes that have ended but still have an entry in the store.
  const std::vector<std::string>& gone() const { return gone_; }
  bool has_store() const { return client_ != nullptr; }
  // True if the store can be used and the last exchange with it was complete.
  bool is_shared() const { return client_ && has_met_ && !client_->is_away(); }
  // True if the named gateway is running, or has stopped only a few minutes ago.
  bool has(const std::string& gateway) const;
  // Returns false if this gateway has never seen a gateway with this name in the store. As long as the store cannot be
  // read, returns true for any name.
  bool knows(const std::string& gateway) const;
  // True for this gateway, and for any other gateway that can answer queries at the moment.
  bool can_ask(const std::string& gateway) const;

  // The scope of a report that contains only this gateway's figures.
  fleet_scope own_scope() const;
  // Returns which gateways are included in figures that gateways share continuously, such as speeds. All gateways are
  // included as long as the store can be used.
  fleet_scope scope() const;
  // Records in `answers` which gateways are included. `only` is the single gateway that was asked, or empty if all
  // gateways were asked.
  void cover(fleet_answers& answers, const std::string& only) const;
  void add_name_note(fleet_scope& scope, const std::string& only) const;
  std::string why_alone() const;

 private:
  void keep_entries(std::vector<fleet_entry> entries, bool was_emptied, wall_seconds now);
  void list_silent(const fleet_entry& entry);

  const std::string run_;
  std::string name_;
  std::shared_ptr<const store_client> client_;  // the store's client, shared with running calls
  std::vector<fleet_member> members_;
  std::vector<fleet_entry> entries_;
  // The entries of gateways that were lost when the store was emptied. The gateways have not written these entries
  // again yet.
  std::vector<fleet_entry> lost_entries_;
  std::map<std::string, bool> peers_;
  std::set<std::string> names_;  // all gateway names that were ever read, up to a maximum number
  std::vector<std::string> gone_;
  name_watch watched_names_;
  bool has_met_ = false;                 // true if the last exchange with the store was complete
  std::optional<wall_seconds> last_met_;  // the time of the last complete exchange with the store
};

}  // namespace photofinish::gateway
