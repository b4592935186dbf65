// Queries between gateways through the store. While a live page is open at one gateway, all gateways also write their
// figures to the store. This class has no connection: fleet_keeping sends the commands and passes the replies. It does
// so twice per second, or ten times per second while a query is open. [pure]
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

// The answers to a query: the pages of the gateways that answered, and the set of gateways that the pages cover.
struct fleet_answers {
  std::vector<std::pair<std::string, std::string>> pages;  // the name of each other gateway, with its page
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
    std::vector<peer> missing;  // gateways that have not answered yet
    std::map<std::string, std::string> pages = {};  // pages or names of the answers, keyed by the gateway's run
    std::map<std::string, std::string> names = {};  // pages or names of the answers, keyed by the gateway's run
    bool is_sent = false;
  };
  using query_place = std::list<open_query>::iterator;
  // Makes this gateway's answer to a query. Returns an empty string if this gateway has no answer.
  using answer_maker = std::function<std::string(const fleet_query&)>;

  static constexpr std::size_t most_open = 20;           // limit for the open queries of this gateway
  // Limit for the open queries of one caller that may not see all data.
  static constexpr std::size_t most_of_caller = 5;
  // Limit for the size of all answers to one query. If an answer does not fit, its gateway counts as missing.
  static constexpr std::size_t most_bytes = 16u << 20;
  static constexpr std::size_t most_answered = 8;        // limit for the queries that this gateway answers per round

  explicit fleet_asking(std::string run) : run_(std::move(run)) {}

  void use(std::string prefix);  // call use() if another store is configured
  void know(std::vector<peer> peers);

  // --- a round: the commands that read from the store, their replies, the commands that write to the store
  std::vector<store_command> reads();
  void take(std::span<const store_reply> replies);
  std::vector<store_command> writes(wall_seconds now, const answer_maker& make);

  // --- queries that this gateway sends
  bool has_room_for(const fleet_query& query) const;
  bool has_open() const { return !open_.empty(); }
  query_place open(fleet_query query, wall_seconds now);
  static bool is_answered(query_place which) { return which->is_sent && which->missing.empty(); }
  fleet_answers close(query_place which);

  // --- figures
  void watch(bool is_open) { is_watching_ = is_open; }  // is_open: true if a live page is open at this gateway
  bool is_watched() const { return is_watched_; }       // true if a live page is open at any gateway
  void write_figures(std::string figures);
  // The newest figures of the other running gateways, keyed by the gateway's run.
  const std::map<std::string, std::string>& figures() const { return figures_; }
  const std::vector<peer>& peers() const { return peers_; }

 private:
  void take_answer(const std::string& id, const std::string& run, const store_reply& reply);

  const std::string run_;
  fleet_query_commands commands_{"pf"};
  std::vector<peer> peers_;  // the other running gateways
  std::list<open_query> open_;
  std::vector<std::string> ended_;         // queries of this gateway that must be removed from the store
  std::vector<fleet_query> heard_;         // queries that this gateway has read from other gateways
  std::set<std::string> answered_;         // ids of the queries that this gateway has answered
  // The arguments of the last reads(): ids and runs of the requested answers, and runs of the requested figures.
  std::vector<std::pair<std::string, std::string>> asked_answers_;
  std::vector<std::string> asked_figures_;
  std::map<std::string, std::string> figures_;
  std::string own_figures_;
  bool has_new_figures_ = false, is_watching_ = false, is_watched_ = false;
  std::uint64_t count_ = 0;
};

}  // namespace photofinish::gateway
