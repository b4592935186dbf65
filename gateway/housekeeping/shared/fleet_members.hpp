// The gateways on one store, as last read: their names, which gateways are running, and which gateways an answer
// covers. Used on the housekeeper's thread.
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

  // Call this if another store is configured; null means that there is no store.
  void use(std::shared_ptr<const store_client> client);
  // Sets the name from the setting `instance`. Returns false if the name did not change.
  bool rename(std::string name);

  // Stores the lists that a round has read. `was_emptied` is true if the store has lost entries. `now` is the time by
  // the store's clock. Returns the gateways that answer queries.
  std::vector<fleet_asking::peer> take(std::vector<fleet_entry> entries, const std::vector<std::string>& living,
                                       bool was_emptied, wall_seconds now);
  // Detects gateways that share a name. If two gateways have the same name, an answer by name covers
  // one of them or both.
  void watch_names(wall_seconds now);
  void end_round(bool is_whole, wall_seconds now);

  const std::string& run() const { return run_; }  // this run's name in the store
  const std::string& name() const { return name_; }
  const std::vector<fleet_member>& all() const { return members_; }
  // The gateways' entries as last read, together with entries that an emptied store has lost.
  const std::vector<fleet_entry>& entries() const { return entries_; }
  // The other running gateways, keyed by run. The flag is true if the gateway's entry lists the questions
  // that it has received.
  const std::map<std::string, bool>& peers() const { return peers_; }
  const std::vector<std::string>& gone() const { return gone_; }  // runs that have ended but left their entries
  bool has_store() const { return client_ != nullptr; }
  // True if the store can be used and the last round was complete.
  bool is_shared() const { return client_ && has_met_ && !client_->is_away(); }
  bool has(const std::string& gateway) const;  // true if the named gateway is running, or stopped only some minutes ago
  // Returns false if this gateway has never seen the given name on its store. Returns true while the
  // store cannot be read.
  bool knows(const std::string& gateway) const;
  // True for this gateway, and for another gateway that answers queries now.
  bool can_ask(const std::string& gateway) const;

  // The scope of an answer that contains only this gateway's figures.
  fleet_scope own_scope() const;
  // The scope of figures that gateways share all the time, such as speeds. It is the whole fleet while the
  // store can be used.
  fleet_scope scope() const;
  // Sets the scope of the answers to a query. `only` is the gateway that the query names; it is empty if the query
  // asks all gateways.
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
  // Entries that an emptied store has lost and whose gateways have not written them again.
  std::vector<fleet_entry> lost_entries_;
  std::map<std::string, bool> peers_;
  std::set<std::string> names_;  // all gateway names that were ever read, up to a limit
  std::vector<std::string> gone_;
  name_watch watched_names_;
  bool has_met_ = false;                 // true if the last round was complete
  std::optional<wall_seconds> last_met_;  // the end of the last complete round
};

}  // namespace photofinish::gateway
