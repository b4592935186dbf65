// A fixture with one request, whose race has scripted attempts.
#pragma once

#include "gateway/requests/stages/continuation_stage.hpp"
#include "gateway/requests/stages/delivery_stage.hpp"
#include "gateway/requests/stages/race_stage.hpp"
#include "tests/support/streams/scripted_upstream.hpp"
#include "tests/unit/gateway/requests/stages/stage_fixture.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class scripted_race : public stage_fixture {
 protected:
  using steps = std::deque<tests::scripted_step>;

  static steps token_after(std::chrono::nanoseconds delay, const std::string& text) {
    return {{.delay = delay,
             .what = proxy::event_kind::token,
             .json = R"({"id":"c","choices":[{"index":0,"delta":{"content":")" + text + R"("}}]})"}};
  }
  static steps answer_after(std::chrono::nanoseconds delay, const std::string& text) {
    steps all = token_after(delay, text);
    all.push_back({.what = proxy::event_kind::end, .json = "", .is_same_read = true});
    return all;
  }
  static steps failure_after(std::chrono::nanoseconds delay) {
    proxy::failure why;
    why.kind = proxy::failure_kind::bad_stream;
    why.detail = "the script ends here";
    return {{.delay = delay, .what = why}};
  }

  // Starts the race. `scripts` contains the steps of each attempt, in the order of the targets.
  auto race(const std::vector<std::vector<steps>>& scripts, std::string body = question()) {
    asked = planned(std::move(body));
    for (const auto& parts : scripts) {
      tests::upstream_script& script = scripts_.emplace_back();
      for (const steps& part : parts) script.steps.insert(script.steps.end(), part.begin(), part.end());
    }
    return start(stages.emplace(*this).race.run(load_place(load.requests)));
  }

  std::unique_ptr<proxy::upstream> new_attempt(std::size_t index) {
    if (throws_bug) throw std::logic_error("a scripted bug");
    if (scripts_.size() <= index) scripts_.resize(index + 1);  // an attempt without a script stays silent
    return std::make_unique<tests::scripted_upstream>(scripts_[index], alarms_, loop_.get_executor(),
                                                      attempts.at(index));
  }

  class scripted_stage final : public race_stage {
   public:
    scripted_stage(scripted_race& by, neighbours others)
        : race_stage(by.asked->context, by.asked->plan, others), by_(by) {}

   private:
    std::unique_ptr<proxy::upstream> new_attempt(std::size_t index) override { return by_.new_attempt(index); }

    scripted_race& by_;
  };

  struct all_stages {
    explicit all_stages(scripted_race& by)
        : guardrails(by.asked->context),
          cache(by.asked->context),
          delivery(by.asked->context, cache, by.asked->reply),
          continuation(by.asked->context, cache, by.asked->reply),
          race(by, {guardrails, cache, delivery, continuation, by.asked->reply}) {}

    guardrail_stage guardrails;
    cache_stage cache;
    delivery_stage delivery;
    continuation_stage continuation;
    scripted_stage race;
  };

  bool throws_bug = false;
  std::deque<tests::upstream_record> attempts{4};
  std::unique_ptr<request_in_test> asked;
  std::optional<all_stages> stages;

 private:
  std::deque<tests::upstream_script> scripts_;
};

}  // namespace photofinish::gateway
