// What a route's cache has for one request, or gets of it.
#pragma once

#include "gateway/cache/answer_cache.hpp"
#include "gateway/cache/cache_rules.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace photofinish::gateway {

struct cache_part {
  metrics::cache_result result = metrics::cache_result::bypass;
  cache_directives directives = {};
  digest question{}, race{}, owner{};
  bool may_be_kept = false;  // what is raced for it
  bool may_be_shared = false;

  // Of a hit, and of a request that shares another's race.
  std::unique_ptr<answer_reader> from = {};  // null: it is raced
  std::chrono::seconds age{0};

  // Of a race whose answer is kept, or shared.
  std::shared_ptr<recorded_answer> into = {};
  std::unique_ptr<led_answer> led = {};
  sound_answer seen = {};
  std::function<void()> leave = {};  // what its client's leaving does to the race
  std::shared_ptr<const char> is_running = {};  // until the race is over
  recorded_answer::callback when_unread = {};   // ends the race whose client has left, once no other reads its answer
};

}  // namespace photofinish::gateway
