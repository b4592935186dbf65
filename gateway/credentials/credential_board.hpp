// The expiring keys in the form that workers read: an immutable snapshot, and a view of the latest snapshot for each
// worker.
#pragma once

#include "gateway/credentials/credential_rules.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/providers/credential_source.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

struct held_credential {
  proxy::credential_source source;
  proxy::secret key;           // the current key; empty if there is none
  std::uint64_t serial = 0;    // the serial number of the key; a newer key has a higher number
  std::uint64_t tries = 0;     // the number of fetches that have finished
  std::optional<proxy::instant> renewed_at;  // the last time when a new key replaced a refused key
  std::string trouble;         // the reason why the last fetch failed, the places that were tried, and advice
};

// The credentials of all sources, in no particular order.
using credential_board = std::vector<std::shared_ptr<const held_credential>>;

// One worker's view of the credentials. It may be used only on that worker's thread.
class credential_view {
 public:
  // A function that requests a key that is newer than the key with the number `serial`. It is called on the worker's
  // thread.
  using renew = std::function<void(const proxy::credential_source&, std::uint64_t serial)>;

  credential_view() = default;
  credential_view(const credential_view&) = delete;
  credential_view& operator=(const credential_view&) = delete;

  void on_renew(renew ask) { renew_ = std::move(ask); }

  void adopt(std::shared_ptr<const credential_board> board) {
    board_ = std::move(board);
    const std::vector<proxy::signal*> woken = waiting_;
    for (proxy::signal* each : woken)  // a coroutine that wakes up may remove other signals from the list
      if (std::find(waiting_.begin(), waiting_.end(), each) != waiting_.end()) each->wake();
  }

  // Returns the credential of a source. Returns null if the source was never fetched.
  std::shared_ptr<const held_credential> find(const proxy::credential_source& source) const {
    if (!board_) return nullptr;
    const auto is_it = [&source](const auto& each) { return each->source == source; };
    const auto found = std::find_if(board_->begin(), board_->end(), is_it);
    return found == board_->end() ? nullptr : *found;
  }

  // Returns true if a newer key than the refused key is available or will probably arrive. If no newer key is
  // available, requests one.
  bool ask_for_newer(const proxy::credential_source& source, std::uint64_t refused, proxy::instant now) {
    const auto held = find(source);
    if (!held) return false;
    if (held->serial != refused) return !held->key.empty();
    // true if the last fetch failed; it will be repeated after a pause anyway
    const bool is_failing = !held->trouble.empty();
    const bool is_recent = held->renewed_at && now - *held->renewed_at < between_refusals;
    if (is_failing || is_recent || !renew_) return false;
    renew_(source, refused);
    return true;
  }

  // As long as this object exists, its signal is set off whenever credentials have changed.
  class waiting {
   public:
    explicit waiting(credential_view& view) : view_(view) { view_.waiting_.push_back(&changed); }
    waiting(const waiting&) = delete;
    waiting& operator=(const waiting&) = delete;
    ~waiting() { std::erase(view_.waiting_, &changed); }

    proxy::signal changed;

   private:
    credential_view& view_;
  };

 private:
  std::shared_ptr<const credential_board> board_;  // the latest credentials of all sources; null until the first ones
                                                   // arrive
  renew renew_;
  std::vector<proxy::signal*> waiting_;
};

}  // namespace photofinish::gateway
