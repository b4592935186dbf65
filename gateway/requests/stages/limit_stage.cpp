#include "gateway/requests/stages/limit_stage.hpp"

#include "gateway/limits/reserved_tokens.hpp"

#include <algorithm>
#include <variant>

namespace photofinish::gateway {

bool limit_stage::counts_tokens(std::string_view route) const {
  const limit_claims claims = table_->claims_of(context_.who, route);
  return std::any_of(claims.begin(), claims.end(),
                     [](const limit_claim& each) { return each.limits->tokens_per_minute > 0; });
}

stage_result limit_stage::take(load_place& place, bool is_stored) {
  place = load_place(context_.worker.load.requests);
  if (place.number() > context_.settings->limits.max_inflight) return requests_overloaded();
  const parsed_request* asked = is_stored ? nullptr : &plan_.asked;
  wanted_.emplace(limited_request{.table = table_, .who = context_.who, .route = context_.record.route,
                                  .called = context_.called.label(), .asked = asked, .setup = &plan_.setup,
                                  .settings = context_.settings});
  auto taken = take_limits(context_.worker, *wanted_, context_.fields);
  if (auto* awaited = std::get_if<awaited_limits>(&taken)) {
    awaited_ = std::move(*awaited);
    return next_stage();
  }
  return note(std::move(taken));
}

boost::asio::awaitable<stage_result> limit_stage::wait() {
  awaited_limits awaited = *std::move(awaited_);
  awaited_.reset();
  auto taken = co_await await_limits(context_.worker, *wanted_, std::move(awaited), context_.fields);
  co_return note(std::move(taken));
}

stage_result limit_stage::note(taken_limits taken) {
  if (auto* refused = std::get_if<api_error>(&taken)) return std::move(*refused);
  context_.hold = std::get<limit_hold>(std::move(taken));
  context_.record.winner.unreported_output = background_output(plan_.asked, context_.called.label());
  return next_stage();
}

}  // namespace photofinish::gateway
