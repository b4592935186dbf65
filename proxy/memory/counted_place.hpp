// One place in a count that several threads share. The constructor takes the place and the destructor returns it. The
// place is therefore returned in every case.
#pragma once

#include <atomic>
#include <memory>

namespace photofinish::proxy {

template <class Number>
class counted_place {
 public:
  counted_place() = default;  // creates an object that has no place
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
