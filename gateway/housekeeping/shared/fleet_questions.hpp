// Questions for receipts that other gateways keep, and their questions to this gateway. This class has no connection:
// fleet_keeping sends the commands and passes the replies. [pure]
#pragma once

#include "gateway/store/fleet_commands.hpp"
#include "gateway/store/fleet_scope.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class fleet_questions {
 public:
  using instant = std::chrono::steady_clock::time_point;
  using wall_seconds = std::chrono::sys_seconds;
  // A question of this gateway, until it is answered or expires.
  struct open_question {
    fleet_question question;
    instant until{};
    // Runs that have not answered, with a flag: their entries list received questions.
    std::map<std::string, bool> missing = {};
    std::string page = {};
    bool is_sent = false, is_over = false;
  };
  using place = std::list<open_question>::iterator;
  // Makes the page of a receipt that this gateway keeps; empty: it has none that the requester may see.
  using receipt_maker = std::function<std::string(const fleet_question&)>;

  static constexpr std::size_t most_open = 20;      // questions that this gateway has open
  static constexpr std::size_t most_of_caller = 5;  // open questions of one caller that may not see everything

  explicit fleet_questions(std::string run) : run_(std::move(run)) {}

  void use() { heard_.clear(); }  // call this for another store

  // --- a round: the commands that read, their replies, the commands that write
  std::vector<store_command> reads(const fleet_commands& commands);
  std::size_t read_count() const { return asked_.size(); }
  // `running`: the running gateways from fleet_members; stopped gateways are not waited for.
  void note_answers(const std::map<std::string, bool>& peers, const std::vector<fleet_entry>& entries);
  // `others`: the questions of all gateways; `replies`: to reads().
  void take(std::vector<fleet_question> others, std::span<const store_reply> replies);
  // Removes old questions, whose senders no longer wait. `name`: this gateway's name.
  std::vector<store_command> writes(const fleet_commands& commands, wall_seconds now, const std::string& name,
                                    const receipt_maker& make);
  void note_written();  // call this when the store has the commands of the last writes()
  void end_round(bool is_whole, instant begun);
  // Questions that this gateway has answered, or for which it has no receipt: its entry lists them.
  const std::vector<std::string>& heard() const { return heard_; }

  // --- questions of this gateway
  static bool is_short(const fleet_question& question);
  bool has_room_for(const fleet_question& question) const;
  bool has_open() const { return !open_.empty(); }
  // `peers`: the gateways that can answer it.
  place open(fleet_question question, wall_seconds now, instant until, std::map<std::string, bool> peers);
  fleet_receipt close(place which);
  void drop(place which) { open_.erase(which); }  // drops the question without a page

 private:
  const std::string run_;
  std::list<open_question> open_;
  std::vector<std::string> asked_;       // ids, in the order of reads()
  std::vector<fleet_question> others_;   // questions of other gateways
  std::vector<std::string> heard_, hearing_;  // hearing_: questions whose answers the store does not have yet
  std::vector<std::string> over_;        // ids of this gateway's questions that must be removed from the store
  std::uint64_t count_ = 0;
};

}  // namespace photofinish::gateway
