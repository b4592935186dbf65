// Defines observers. Each observer follows one race for a feature, for example speed, the live page, or the content
// log. Observers run on the worker's thread. A new feature implements this interface, and is added to the request's
// list of observers. The race's own code does not change.
#pragma once

#include "gateway/api/race_headers.hpp"
#include "gateway/records/request_record.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "racing/forecast/attempt_event.hpp"
#include "racing/race_report.hpp"
#include "racing/race_run.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// A running race. Its references are only valid during the call.
struct race_progress {
  const racing::race_report& report;
  const std::vector<planned_attempt>& planned;
  racing::instant now;
};

class race_observer {
 public:
  race_observer() = default;
  race_observer(const race_observer&) = delete;
  race_observer& operator=(const race_observer&) = delete;
  virtual ~race_observer() = default;

  // Returns true if the observer needs each event of the answer. The observer gets these events even if the request
  // shares the answer of another request.
  virtual bool reads_answer() const { return false; }

  // The gateway calls this function before the race begins. The observer may change the rules of the race. The observer
  // must outlive the race.
  virtual void set_rules(racing::race_run&) {}
  // The gateway calls this function for each step of the attempt with the given index.
  virtual void step(const race_progress&, std::size_t, racing::attempt_step) {}
  // The gateway calls this function when the race has a winner. If the runner-up later replaces the winner, the gateway
  // calls it again.
  virtual void won(const race_progress&) {}
  // Returns false if a losing attempt must not continue for the given time. The race asks its observers one by one
  // until an observer returns false.
  virtual bool may_keep(std::size_t, std::chrono::milliseconds) { return true; }
  // The gateway calls this function for each event of the answer, before it sends the event to the client.
  virtual void event(const proxy::stream_event&) {}
  // The gateway calls this function when another target's answer replaces all events so far.
  virtual void restart() {}
  // The gateway calls this function when the request ends with an error. The error may replace the whole answer, or
  // only the rest of it.
  virtual void failed(const api_error&) {}
  // The gateway calls this function when the request has ended and its record is complete. The string is the id of the
  // race. It is empty if the race has no receipt.
  virtual void ended(request_record&, const std::string&) {}

  virtual std::string race_id() const { return {}; }
  virtual void add_facts(race_facts&) const {}
};

// Lists the observers of one request. Observers that read the answer come first. The list needs no heap memory.
class race_observers {
 public:
  void add(std::unique_ptr<race_observer> one) {
    assert(count_ < most);
    const auto end = all_.begin() + count_;
    const bool is_reader = one->reads_answer();
    const auto place = is_reader ? all_.begin() + readers_ : end;
    std::move_backward(place, end, end + 1);
    *place = std::move(one);
    ++count_;
    if (is_reader) ++readers_;
  }

  bool is_empty() const { return count_ == 0; }
  std::span<const std::unique_ptr<race_observer>> all() const { return std::span(all_).first(count_); }
  std::span<const std::unique_ptr<race_observer>> readers() const { return all().first(readers_); }

  // Removes all observers that do not read the answer. Call this function if the request runs no race.
  void drop_race() {
    while (count_ > readers_) all_[--count_].reset();
  }

  bool may_keep(std::size_t attempt, std::chrono::milliseconds time) const {
    const auto is_granted = [&](const auto& each) { return each->may_keep(attempt, time); };
    return std::all_of(all().begin(), all().end(), is_granted);
  }

  // Asks the observers for the race's id, one after another. Returns an empty text if no observer knows the id.
  std::string race_id() const {
    std::string id;
    for (std::size_t index = 0; id.empty() && index < count_; ++index) id = all_[index]->race_id();
    return id;
  }

  void ended(request_record& record) const {
    if (is_empty()) return;
    const std::string id = race_id();
    for (const auto& each : all()) each->ended(record, id);
  }

 private:
  static constexpr std::size_t most = 5;  // the list has a place for one observer of each kind

  std::array<std::unique_ptr<race_observer>, most> all_;
  std::size_t count_ = 0, readers_ = 0;
};

}  // namespace photofinish::gateway
