// The gateways on one store, as last read: their names, which of them run, and which of them an answer covers. Used on
// the housekeeper's thread.
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

  // Call this for another store; null: none.
  void use(std::shared_ptr<const store_client> client);
  // Sets the setting `instance`. False: the name did not change.
  bool rename(std::string name);

  // Takes the lists that a round has read. `was_emptied`: the store has lost entries. `now`: by the store's clock.
  // Returns the gateways that answer queries.
  std::vector<fleet_asking::peer> take(std::vector<fleet_entry> entries, const std::vector<std::string>& living,
                                       bool was_emptied, wall_seconds now);
  // Detects shared names: an answer by name covers only one of two gateways with the same name, or both.
  void watch_names(wall_seconds now);
  void end_round(bool is_whole, wall_seconds now);

  const std::string& run() const { return run_; }  // this run's name in the store
  const std::string& name() const { return name_; }
  const std::vector<fleet_member>& all() const { return members_; }
  // Entries as last read, and entries that an emptied store has lost.
  const std::vector<fleet_entry>& entries() const { return entries_; }
  // Other running gateways by run, with a flag: their entries list the questions that they have received.
  const std::map<std::string, bool>& peers() const { return peers_; }
  const std::vector<std::string>& gone() const { return gone_; }  // runs that have ended but left their entries
  bool has_store() const { return client_ != nullptr; }
  // True: the store can be used, and the last round was complete.
  bool is_shared() const { return client_ && has_met_ && !client_->is_away(); }
  bool has(const std::string& gateway) const;  // true if the gateway runs, or stopped only some minutes ago
  // Returns false if this gateway has never seen that name on its store. Returns true while the store cannot be read.
  bool knows(const std::string& gateway) const;
  // True for this gateway, and for another gateway that answers queries now.
  bool can_ask(const std::string& gateway) const;

  // The scope of an answer with only this gateway's figures.
  fleet_scope own_scope() const;
  // The scope of figures that gateways share permanently, such as speeds: the whole fleet while the store can be used.
  fleet_scope scope() const;
  // Sets the scope of a query's answers. `only`: the gateway that the query names; empty: all.
  void cover(fleet_answers& answers, const std::string& only) const;
  void add_name_note(fleet_scope& scope, const std::string& only) const;
  std::string why_alone() const;

 private:
  void keep_entries(std::vector<fleet_entry> entries, bool was_emptied, wall_seconds now);
  void list_silent(const fleet_entry& entry);

  const std::string run_;
  std::string name_;
  std::shared_ptr<const store_client> client_;  // shared with running calls
  std::vector<fleet_member> members_;
  std::vector<fleet_entry> entries_;
  std::vector<fleet_entry> lost_entries_;  // entries that an emptied store lost, until their gateways write them again
  std::map<std::string, bool> peers_;
  std::set<std::string> names_;  // all names ever read, up to a limit
  std::vector<std::string> gone_;
  name_watch watched_names_;
  bool has_met_ = false;                 // true if the last round was complete
  std::optional<wall_seconds> last_met_;  // the end of the last complete round
};

}  // namespace photofinish::gateway
