// One JSON object that grows out of many pieces, each member by a rule of its own. [pure]
// Works on spans of the pieces' text: numbers, escapes and unknown members come out exactly as they went in.
#pragma once

#include "gateway/api/outgoing.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// How the values of one member, piece after piece, become one. A null never replaces anything.
enum class merge {
  last,    // the last one
  first,   // the first that is neither null nor ""
  text,    // strings are joined; arrays of content parts too, the strings between them as text parts
  grow,    // arrays are joined; of anything else the last one
  object,  // an object by its own rules
  list,    // an array of objects, each by the rules; those with the same "index" are one
  fixed,   // what comes does not matter: the fallback is written
};

struct merge_rules;

struct member_rule {
  std::string_view key;
  merge how = merge::last;
  std::string_view fallback = {};        // JSON to write when nothing but null came; empty: null, or nothing
  const merge_rules* inside = nullptr;  // of merge::object and merge::list
  std::string_view written_as = {};      // another key in the outcome; empty: the same
};

struct merge_rules {
  std::span<const member_rule> members;  // written first, in this order
  merge others = merge::last;          // members without a rule, in the order of their arrival
  std::string_view at_the_end = {};      // the key that is written behind all others
};

// What may still be kept. Charged are the kept bytes, and what each member and list entry takes beside them.
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
  struct member;  // one of the object, or of an object in it; stays where it is

  // The rules must outlive the object.
  explicit merged_object(const merge_rules& rules);
  merged_object(merged_object&&) noexcept;
  merged_object& operator=(merged_object&&) noexcept;
  ~merged_object();

  // `object` is valid JSON; anything but an object adds nothing. Stops early when the budget is exceeded.
  void add(std::string_view object, merge_budget& budget);
  // The same, and says in `did` what was done.
  void add(std::string_view object, merge_budget& budget, merge_trace& did);

  // What add() does with one member's value.
  static void add_value(member& to, std::string_view value, merge_budget& budget);

  // Moves what it holds into `out`, a batch: afterwards the object is not to be used.
  void write(outgoing& out);

  // Whether a member came, and as more than null.
  bool has(std::string_view key) const;
  // Whether all that came of a merge::text member is "".
  bool is_empty_text(std::string_view key) const;
  // As if it had never come: its fallback is written.
  void forget(std::string_view key);

  // A merge::object member; null when it never came.
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

// What one add() did: the strings that changed their member, from left to right and with their quotes, and these
// members. If that was all, the same object again, with other strings in their places, does nothing but add_value() of
// each: whatever else stands in it has left its member as it was, and would do so again.
struct merge_trace {
  std::vector<std::string_view> strings;
  std::vector<merged_object::member*> members;
  bool is_all = true;      // nothing else has changed, and no member came twice, for the second value meets the first
  std::uint64_t pass = 0;  // tells what came in this add() from what came before

  void begin();
};

}  // namespace photofinish::gateway
