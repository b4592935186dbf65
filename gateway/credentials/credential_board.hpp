// The keys that expire, as workers see them: an immutable snapshot, and one worker's view of the latest.
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
  proxy::secret key;           // empty: there is none
  std::uint64_t serial = 0;    // of the key: a newer one has a higher
  std::uint64_t tries = 0;     // so often it has been asked for, and something came of it
  std::optional<proxy::instant> renewed_at;  // when a key last came because the one before was refused
  std::string trouble;         // why there is none, or no newer one: what was tried, and what to do
};

// In any order.
using credential_board = std::vector<std::shared_ptr<const held_credential>>;

// One worker's, on its thread.
class credential_view {
 public:
  // Asks for a newer key than the one with that number; called on the worker's thread.
  using renew = std::function<void(const proxy::credential_source&, std::uint64_t serial)>;

  credential_view() = default;
  credential_view(const credential_view&) = delete;
  credential_view& operator=(const credential_view&) = delete;

  void on_renew(renew ask) { renew_ = std::move(ask); }

  void adopt(std::shared_ptr<const credential_board> board) {
    board_ = std::move(board);
    const std::vector<proxy::signal*> woken = waiting_;
    for (proxy::signal* each : woken)  // one that is woken may end others
      if (std::find(waiting_.begin(), waiting_.end(), each) != waiting_.end()) each->wake();
  }

  // Null: not known yet.
  std::shared_ptr<const held_credential> find(const proxy::credential_source& source) const {
    if (!board_) return nullptr;
    const auto is_it = [&source](const auto& each) { return each->source == source; };
    const auto found = std::find_if(board_->begin(), board_->end(), is_it);
    return found == board_->end() ? nullptr : *found;
  }

  // Whether a newer key than a refused one is worth waiting for. It is asked for, where it is not there already.
  bool ask_for_newer(const proxy::credential_source& source, std::uint64_t refused, proxy::instant now) {
    const auto held = find(source);
    if (!held) return false;
    if (held->serial != refused) return !held->key.empty();
    const bool is_failing = !held->trouble.empty();  // it is asked for again after a pause in any case
    const bool is_recent = held->renewed_at && now - *held->renewed_at < between_refusals;
    if (is_failing || is_recent || !renew_) return false;
    renew_(source, refused);
    return true;
  }

  // Is woken by each new board while this lives.
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
  std::shared_ptr<const credential_board> board_;  // null: none yet
  renew renew_;
  std::vector<proxy::signal*> waiting_;
};

}  // namespace photofinish::gateway
