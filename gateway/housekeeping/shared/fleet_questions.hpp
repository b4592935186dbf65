// Questions about receipts: questions of this gateway to other gateways, and questions of other gateways to this one.
// This class has no connection: fleet_keeping sends the commands and passes the replies. [pure]
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
  // A question of this gateway, until it is answered or has expired.
  struct open_question {
    fleet_question question;
    instant until{};
    // Runs that have not answered. The flag is true if the run's entry lists the questions that it has received.
    std::map<std::string, bool> missing = {};
    std::string page = {};
    bool is_sent = false, is_over = false;
  };
  using place = std::list<open_question>::iterator;
  // Makes the page of a receipt that this gateway keeps. Returns an empty string if there is no receipt that the
  // requester may see.
  using receipt_maker = std::function<std::string(const fleet_question&)>;

  static constexpr std::size_t most_open = 20;      // limit for the open questions of this gateway
  // Limit for the open questions of one caller that may not see all data.
  static constexpr std::size_t most_of_caller = 5;

  explicit fleet_questions(std::string run) : run_(std::move(run)) {}

  void use() { heard_.clear(); }  // call use() if another store is configured

  // --- a round: the commands that read from the store, their replies, the commands that write to the store
  std::vector<store_command> reads(const fleet_commands& commands);
  std::size_t read_count() const { return asked_.size(); }
  // `peers` are the running gateways from fleet_members. Questions do not wait for stopped gateways.
  void note_answers(const std::map<std::string, bool>& peers, const std::vector<fleet_entry>& entries);
  // `others` are the questions of all gateways. `replies` are the replies to the commands of reads().
  void take(std::vector<fleet_question> others, std::span<const store_reply> replies);
  // Also removes old questions whose senders no longer wait. `name` is this gateway's name.
  std::vector<store_command> writes(const fleet_commands& commands, wall_seconds now, const std::string& name,
                                    const receipt_maker& make);
  void note_written();  // call note_written() when the store has executed the commands of the last writes()
  void end_round(bool is_whole, instant begun);
  // Questions that this gateway has answered, and questions about receipts that it does not have. This gateway's entry
  // in the store lists them.
  const std::vector<std::string>& heard() const { return heard_; }

  // --- questions that this gateway asks
  static bool is_short(const fleet_question& question);
  bool has_room_for(const fleet_question& question) const;
  bool has_open() const { return !open_.empty(); }
  // `peers` are the gateways that can answer the question.
  place open(fleet_question question, wall_seconds now, instant until, std::map<std::string, bool> peers);
  fleet_receipt close(place which);
  void drop(place which) { open_.erase(which); }  // drops a question whose page is not needed

 private:
  const std::string run_;
  std::list<open_question> open_;
  std::vector<std::string> asked_;       // ids of questions, in the order of the commands of reads()
  std::vector<fleet_question> others_;   // questions that other gateways have asked
  // Ids of answered questions. The store does not have the answers to hearing_ yet.
  std::vector<std::string> heard_, hearing_;
  std::vector<std::string> over_;        // ids of this gateway's questions that must be removed from the store
  std::uint64_t count_ = 0;
};

}  // namespace photofinish::gateway
