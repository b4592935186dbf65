// Merges many JSON pieces into one object, with a rule for each member. [pure]
// It works on spans of the pieces' text: numbers, escapes and unknown members stay exactly as they came.
#pragma once

#include "gateway/api/outgoing.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// The ways to merge the values of one member. A null never replaces a value.
enum class merge {
  last,    // keeps the last value
  first,   // keeps the first value that is neither null nor ""
  text,    // joins strings; also joins arrays of content parts, where strings become text parts
  grow,    // joins arrays; keeps the last of other values
  object,  // merges an object by its own rules
  list,    // merges an array of objects by the rules; objects with the same "index" become one
  fixed,   // ignores all values: the fallback is written
};

struct merge_rules;

struct member_rule {
  std::string_view key;
  merge how = merge::last;
  std::string_view fallback = {};        // JSON to write if only nulls came; empty: null, or nothing
  const merge_rules* inside = nullptr;  // the rules of merge::object and merge::list
  std::string_view written_as = {};      // the key in the result; empty: the same key
};

struct merge_rules {
  std::span<const member_rule> members;  // these members are written first, in this order
  merge others = merge::last;          // members without a rule, in the order of their arrival
  std::string_view at_the_end = {};      // the key that is written after all others
};

// The bytes that may still be kept. Charges cover the kept bytes, and the overhead of each member and list entry.
class merge_budget {
 public:
  explicit merge_budget(std::size_t bytes) : left_(bytes) {}

  void charge(std::size_t bytes) {
    if (bytes > left_) is_exceeded_ = true;
    left_ -= bytes > left_ ? left_ : bytes;
  }
  void refuse() { is_exceeded_ = true; }
  bool is_exceeded() const { return is_exceeded_; }
  std::size_t left() const { return left_; }

 private:
  std::size_t left_;
  bool is_exceeded_ = false;
};

struct merge_trace;
struct merge_pass;

class merged_object {
 public:
  struct member;  // a member of the object or of an object inside it; its address is stable

  // The rules must outlive the object.
  explicit merged_object(const merge_rules& rules);
  merged_object(merged_object&&) noexcept;
  merged_object& operator=(merged_object&&) noexcept;
  ~merged_object();

  // `object` is valid JSON; a value that is not an object adds nothing. Stops early if the budget is exceeded.
  void add(std::string_view object, merge_budget& budget);
  // Does the same as the function above, and records in `did` the changes that were made.
  void add(std::string_view object, merge_budget& budget, merge_trace& did);

  // Adds one member's value in the same way as add() does.
  static void add_value(member& to, std::string_view value, merge_budget& budget);

  // Moves the contents into `out`, a batch. The object must not be used afterwards.
  void write(outgoing& out);

  // True if the member came with a value other than null.
  bool has(std::string_view key) const;
  // True if all values of a merge::text member were "".
  bool is_empty_text(std::string_view key) const;
  // Removes the member's value: its fallback is written.
  void forget(std::string_view key);

  // Returns a merge::object member, or null if it never came.
  merged_object* inside(std::string_view key);
  // The entries of a merge::list member, by index.
  std::vector<merged_object*> entries(std::string_view key);

 private:
  void add(std::string_view object, merge_pass& pass);
  member* find(std::string_view key) const;
  member* find_or_add(std::string_view raw_key, merge_pass& pass);

  const merge_rules* rules_;
  std::vector<std::unique_ptr<member>> members_;
};

// The changes by one add(): the strings that changed their member, in their order and with their quotes, and these
// members. If `is_all`, all other values left their members unchanged. Then a repeated add() of the same object with
// other strings in their places does the same as add_value() for each string.
struct merge_trace {
  std::vector<std::string_view> strings;
  std::vector<merged_object::member*> members;
  // True if no other value made a change, and no member occurred twice (its second value would meet the first).
  bool is_all = true;
  std::uint64_t pass = 0;  // distinguishes values of this add() from earlier ones

  void begin();
};

}  // namespace photofinish::gateway
