// An object of this class holds one place in a counter that several threads share. The constructor increments the
// counter, and the destructor decrements it. The place is therefore always given back.
#pragma once

#include <atomic>
#include <memory>

namespace photofinish::proxy {

template <class Number>
class counted_place {
 public:
  counted_place() = default;  // creates an object that is not counted
  explicit counted_place(std::atomic<Number>& count)
      : number_(count.fetch_add(1, std::memory_order_relaxed) + 1), count_(&count) {}

  Number number() const { return number_; }  // number of places that are taken, including this one

 private:
  struct give_back {
    void operator()(std::atomic<Number>* count) const noexcept { count->fetch_sub(1, std::memory_order_relaxed); }
  };

  Number number_ = 0;
  std::unique_ptr<std::atomic<Number>, give_back> count_;
};

}  // namespace photofinish::proxy
