// Queries between gateways over the store, and the figures that gateways write while a live page is open at one of
// them. This class has no connection: fleet_keeping sends the commands and passes the replies, twice per second, or ten
// times per second while a query is open. [pure]
#pragma once

#include "gateway/store/fleet_queries.hpp"
#include "gateway/store/fleet_scope.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// The answers to a query: the pages of the gateways that answered, and the gateways that the pages cover.
struct fleet_answers {
  std::vector<std::pair<std::string, std::string>> pages;  // name and page of each other gateway
  fleet_scope scope;
};

class fleet_asking {
 public:
  using wall_seconds = std::chrono::sys_seconds;
  // A running gateway that answers queries.
  struct peer {
    std::string run, name;

    bool operator==(const peer&) const = default;
  };
  struct open_query {
    fleet_query query;
    std::vector<peer> missing;  // gateways that have not answered
    std::map<std::string, std::string> pages = {};  // the key is the gateway's run
    std::map<std::string, std::string> names = {};  // the key is the gateway's run
    bool is_sent = false;
  };
  using query_place = std::list<open_query>::iterator;
  // Makes the page of this gateway; empty: it has none.
  using answer_maker = std::function<std::string(const fleet_query&)>;

  static constexpr std::size_t most_open = 20;           // queries that this gateway has open
  static constexpr std::size_t most_of_caller = 5;       // open queries of one caller that may not see everything
  // The size of all answers to one query; gateways beyond it count as missing.
  static constexpr std::size_t most_bytes = 16u << 20;
  static constexpr std::size_t most_answered = 8;        // queries that are answered per round

  explicit fleet_asking(std::string run) : run_(std::move(run)) {}

  void use(std::string prefix);  // call this for another store
  void know(std::vector<peer> peers);

  // --- a round: the commands that read, their replies, the commands that write
  std::vector<store_command> reads();
  void take(std::span<const store_reply> replies);
  std::vector<store_command> writes(wall_seconds now, const answer_maker& make);

  // --- queries of this gateway
  bool has_room_for(const fleet_query& query) const;
  bool has_open() const { return !open_.empty(); }
  query_place open(fleet_query query, wall_seconds now);
  static bool is_answered(query_place which) { return which->is_sent && which->missing.empty(); }
  fleet_answers close(query_place which);

  // --- figures
  void watch(bool is_open) { is_watching_ = is_open; }  // is_open: a live page is open here
  bool is_watched() const { return is_watched_; }       // true if a live page is open at some gateway
  void write_figures(std::string figures);
  // The newest figures of other running gateways, keyed by run.
  const std::map<std::string, std::string>& figures() const { return figures_; }
  const std::vector<peer>& peers() const { return peers_; }

 private:
  void take_answer(const std::string& id, const std::string& run, const store_reply& reply);

  const std::string run_;
  fleet_query_commands commands_{"pf"};
  std::vector<peer> peers_;  // the other running gateways
  std::list<open_query> open_;
  std::vector<std::string> ended_;         // this gateway's own queries that must be removed
  std::vector<fleet_query> heard_;         // queries of other gateways
  std::set<std::string> answered_;         // ids of the answered queries
  // The commands of the last reads(): ids and runs of answers, runs of figures.
  std::vector<std::pair<std::string, std::string>> asked_answers_;
  std::vector<std::string> asked_figures_;
  std::map<std::string, std::string> figures_;
  std::string own_figures_;
  bool has_new_figures_ = false, is_watching_ = false, is_watched_ = false;
  std::uint64_t count_ = 0;
};

}  // namespace photofinish::gateway
