#include "proxy/pool/lease.hpp"

#include <utility>

namespace photofinish::proxy {

lease::lease(lease_home& home, pooled_connection connection, bool is_reused)
    : home_(&home), connection_(std::move(connection)), is_reused_(is_reused) {}

lease::lease(lease&& other) noexcept
    : home_(std::exchange(other.home_, nullptr)),
      connection_(std::move(other.connection_)),
      is_reused_(other.is_reused_) {}

lease& lease::operator=(lease&& other) noexcept {
  if (this == &other) return *this;
  lose();
  home_ = std::exchange(other.home_, nullptr);
  connection_ = std::move(other.connection_);
  is_reused_ = other.is_reused_;
  return *this;
}

lease::~lease() { lose(); }

void lease::lose() noexcept {
  if (home_ == nullptr) return;
  connection_->stream.abort();
  std::exchange(home_, nullptr)->was_lost(*connection_);
}

void lease::request_left() {
  if (home_ != nullptr) home_->request_left(*connection_);
}

void lease::answer_began() {
  if (home_ != nullptr) home_->answer_began(*connection_);
}

void lease::give_back() {
  connection_->has_served = true;
  give_back_unused();
}

void lease::give_back_unused() {
  if (home_ != nullptr) std::exchange(home_, nullptr)->came_back(std::move(*connection_));
}

void lease::move_to(lease_home& home) {
  home_->left();
  home_ = &home;
  home_->joined();
}

}  // namespace photofinish::proxy
