// Queries that gateways send to each other through the store. While a live page is open at one gateway, all gateways
// also write their figures to the store. [pure] This class has no connection to the store: fleet_keeping sends the
// commands and passes the replies. It does so twice per second, or ten times per second while a query is unanswered.
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

// The answers to a query: a JSON page from each gateway that answered, and the set of gateways that the pages cover.
struct fleet_answers {
  std::vector<std::pair<std::string, std::string>> pages;  // pairs of another gateway's name and its JSON page
  fleet_scope scope;
};

class fleet_asking {
 public:
  using wall_seconds = std::chrono::sys_seconds;
  // A running gateway that can answer queries.
  struct peer {
    std::string run, name;

    bool operator==(const peer&) const = default;
  };
  struct open_query {
    fleet_query query;
    std::vector<peer> missing;  // the gateways that have not answered the query yet
    std::map<std::string, std::string> pages = {};  // the pages in the answers, keyed by the answering process
    std::map<std::string, std::string> names = {};  // the names of the gateways that were asked, keyed by their process
    bool is_sent = false;
  };
  using query_place = std::list<open_query>::iterator;
  // A function that makes this gateway's answer to a query. Returns an empty string if this gateway has no answer.
  using answer_maker = std::function<std::string(const fleet_query&)>;

  static constexpr std::size_t most_open = 20;           // the maximum number of this gateway's unanswered queries
  // The maximum number of unanswered queries of one caller. The limit does not apply to callers that may see all data.
  static constexpr std::size_t most_of_caller = 5;
  // The maximum size of all answers to one query. A gateway whose answer does not fit is treated as if it had not
  // answered.
  static constexpr std::size_t most_bytes = 16u << 20;
  // The maximum number of queries that this gateway answers in one exchange with the store.
  static constexpr std::size_t most_answered = 8;

  explicit fleet_asking(std::string run) : run_(std::move(run)) {}

  void use(std::string prefix);  // drops all data about the previous store; must be called if another store is
                                 // configured
  void know(std::vector<peer> peers);

  // --- one exchange with the store: commands that read, their replies, and commands that write
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
  void watch(bool is_open) { is_watching_ = is_open; }  // `is_open` is true if a live page is open at this gateway
  bool is_watched() const { return is_watched_; }       // true if a live page is open at any gateway
  void write_figures(std::string figures);
  // The newest figures of the other running gateways, keyed by the gateway's process.
  const std::map<std::string, std::string>& figures() const { return figures_; }
  const std::vector<peer>& peers() const { return peers_; }

 private:
  void take_answer(const std::string& id, const std::string& run, const store_reply& reply);

  const std::string run_;
  fleet_query_commands commands_{"pf"};
  std::vector<peer> peers_;  // the other running gateways
  std::list<open_query> open_;
  std::vector<std::string> ended_;         // the ids of this gateway's own queries that must be removed from the store
  std::vector<fleet_query> heard_;         // the queries of other gateways that this gateway has read
  std::set<std::string> answered_;         // the ids of the queries that this gateway has answered
  // The answers that the last call of reads() requested, as pairs of the query's id and the answering process.
  std::vector<std::pair<std::string, std::string>> asked_answers_;
  std::vector<std::string> asked_figures_;  // the processes whose figures were requested by the last call of reads()
  std::map<std::string, std::string> figures_;
  std::string own_figures_;
  bool has_new_figures_ = false, is_watching_ = false, is_watched_ = false;
  std::uint64_t count_ = 0;
};

}  // namespace photofinish::gateway
