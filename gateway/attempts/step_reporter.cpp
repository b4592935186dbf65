#include "gateway/attempts/step_reporter.hpp"

#include <limits>

namespace photofinish::gateway {
namespace {

racing::route_number route_number_of(const racing::route_speed* route) {
  return route != nullptr ? route->number : std::numeric_limits<racing::route_number>::max();
}

}  // namespace

step_reporter::step_reporter(const racing::forecast_board& board, const std::string& route, step_sender& steps)
    : numbers_(board.targets), starts_(board.starts), steps_(steps), route_(route_number_of(board.route(route))) {}

void step_reporter::begin(const std::string& target, racing::attempt_event traits) {
  const auto number = numbers_->find(target);
  const bool is_learned = number != numbers_->end();
  traits.attempt = steps_.number_attempt();
  traits.route = route_;
  if (is_learned) {
    traits.target = number->second;
    starts_->started(number->second, traits.started_at);
  }
  attempts_.push_back({traits, is_learned});
  send(attempts_.size() - 1, racing::attempt_step::began, traits.started_at);
}

void step_reporter::send(std::size_t attempt, racing::attempt_step step, racing::instant now) const {
  if (!is_learned(attempt)) return;
  racing::attempt_event event = attempts_[attempt].event;
  event.step = step;
  event.at = now;
  steps_.send(event);
}

}  // namespace photofinish::gateway
