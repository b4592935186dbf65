// Questions that gateways ask each other about the receipts of races. This class has no connection to the store:
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
  // A question from this gateway that has neither been answered nor expired.
  struct open_question {
    fleet_question question;
    instant until{};
    // The processes that have not answered the question yet. The map's value is true if the process publishes a list of
    // the questions that it has received.
    std::map<std::string, bool> missing = {};
    std::string page = {};
    bool is_sent = false, is_over = false;
  };
  using place = std::list<open_question>::iterator;
  // A function that returns one of this gateway's receipts as JSON. Returns an empty string if there is no such
  // receipt, or if the requester may not see it.
  using receipt_maker = std::function<std::string(const fleet_question&)>;

  static constexpr std::size_t most_open = 20;      // the maximum number of this gateway's unanswered questions
  // The maximum number of unanswered questions of one caller. The limit does not apply to callers that may see all
  // data.
  static constexpr std::size_t most_of_caller = 5;

  explicit fleet_questions(std::string run) : run_(std::move(run)) {}

  void use() { heard_.clear(); }  // forgets the questions of the previous store; must be called if the store changes

  // --- one exchange with the store: commands that read, their replies, and commands that write
  std::vector<store_command> reads(const fleet_commands& commands);
  std::size_t read_count() const { return asked_.size(); }
  // `peers` are the running gateways from fleet_members. This gateway no longer waits for answers from gateways that
  // have stopped.
  void note_answers(const std::map<std::string, bool>& peers, const std::vector<fleet_entry>& entries);
  // `others` are the questions of all other gateways. `replies` are the store's replies to the commands that reads()
  // returned.
  void take(std::vector<fleet_question> others, std::span<const store_reply> replies);
  // Returns commands that write this gateway's questions and answers. They also remove old questions whose answers are
  // no longer needed. `name` is this gateway's name.
  std::vector<store_command> writes(const fleet_commands& commands, wall_seconds now, const std::string& name,
                                    const receipt_maker& make);
  void note_written();  // call note_written() when the store has executed the commands of the last writes()
  void end_round(bool is_whole, instant begun);
  // The questions from other gateways that this gateway has processed. They include questions about receipts that this
  // gateway does not have. This gateway's entry in the store lists these questions.
  const std::vector<std::string>& heard() const { return heard_; }

  // --- questions that this gateway asks
  static bool is_short(const fleet_question& question);
  bool has_room_for(const fleet_question& question) const;
  bool has_open() const { return !open_.empty(); }
  // `peers` are the gateways that can answer the question.
  place open(fleet_question question, wall_seconds now, instant until, std::map<std::string, bool> peers);
  fleet_receipt close(place which);
  void drop(place which) { open_.erase(which); }  // drops a question whose answer is no longer needed

 private:
  const std::string run_;
  std::list<open_question> open_;
  // The ids of this gateway's open questions, in the order of the commands that reads() made for them.
  std::vector<std::string> asked_;
  std::vector<fleet_question> others_;   // the questions that other gateways have asked
  // The ids of questions that this gateway has processed. The ids in `hearing_` have not been written to the store yet.
  std::vector<std::string> heard_, hearing_;
  std::vector<std::string> over_;        // the ids of this gateway's questions that must be removed from the store
  std::uint64_t count_ = 0;
};

}  // namespace photofinish::gateway
