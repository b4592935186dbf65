// Who sees a race beside its client. race_endpoint.hpp, continued.
#include "gateway/access/fingerprints.hpp"
#include "gateway/http/request_id.hpp"
#include "gateway/page/page_rules.hpp"
#include "gateway/requests/race_endpoint.hpp"
#include "gateway/traces/request_trace.hpp"

#include <array>
#include <memory>
#include <utility>

namespace photofinish::gateway {

// What is learned of speed, and the live page.
void race_endpoint::note_watchers() {
  race_setup& setup = attempts_->setup;
  const bool is_shown = worker_.sampler.takes(worker_.alarms.now(), is_pages_own(attempts_->request));
  if (!worker_.speed && !is_shown) return;
  const racing::caller_id caller = caller_print(who_.name());
  receipt_head head{.id = new_race_id({worker_.unguessable.next(), worker_.unguessable.next()}), .caller = caller,
                    .route = setup.route, .rule = setup.rule, .marks = marks_, .policy = setup.planned.plan.policy,
                    .wins = setup.planned.plan.wins};
  if (is_shown) watch_ = std::make_unique<race_watch>(worker_.steps, head);
  if (worker_.speed)
    speed_ = std::make_unique<race_speed>(*worker_.speed, worker_.steps, std::move(head), attempts_->asked, setup);
}

// Its attempts carry ids of its spans long before there are any.
void race_endpoint::begin_trace_of(std::span<const proxy::header_field> fields) {
  if (!settings_->tracing.is_on()) return;
  random_bits& random = worker_.unguessable;
  const std::array bits{random.next(), random.next(), random.next(), random.next()};
  record_.trace = std::make_shared<const request_trace>(begin_trace(settings_->tracing, fields, bits));
}

}  // namespace photofinish::gateway
