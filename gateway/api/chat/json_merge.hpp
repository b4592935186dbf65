// Merges many JSON objects into one object, by a rule for each member. [pure] The merge copies parts of the original
// JSON text, so numbers, escapes and unknown members keep their spelling.
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
  last,    // keeps the last value of the member
  first,   // keeps the first value that is neither null nor ""
  text,    // joins strings; also joins arrays of content parts, where strings become text parts
  grow,    // joins arrays; for other types, keeps the last value
  object,  // merges an object by its own rules
  list,    // merges an array of objects by the rules; objects with equal "index" members are merged into one
  fixed,   // ignores all values and writes the rule's fallback
};

struct merge_rules;

struct member_rule {
  std::string_view key;
  merge how = merge::last;
  // The JSON that is written if all values of the member were null. If this text is empty, the member is left out, or
  // written as null.
  std::string_view fallback = {};
  const merge_rules* inside = nullptr;  // the rules for the inner objects of merge::object and merge::list
  std::string_view written_as = {};      // the member's key in the merged object; empty if the key does not change
};

struct merge_rules {
  std::span<const member_rule> members;  // the rules of the members that are written first, in the order of this list
  merge others = merge::last;          // the rule for all other members, which are written in the order of their
                                       // arrival
  std::string_view at_the_end = {};      // the key of the member that is written last
};

// Limits the memory of a merge in bytes: the texts, and each member and list entry.
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
  struct member;  // a member at any depth of the merged object; its address never changes

  // Creates an empty object. The rules must outlive the object.
  explicit merged_object(const merge_rules& rules);
  merged_object(merged_object&&) noexcept;
  merged_object& operator=(merged_object&&) noexcept;
  ~merged_object();

  // Merges a valid JSON object. Ignores a value that is not an object. Stops early if the merged object exceeds the
  // memory limit `budget`.
  void add(std::string_view object, merge_budget& budget);
  // Merges a JSON object like the other add(), and records the changes in `did`.
  void add(std::string_view object, merge_budget& budget, merge_trace& did);

  // Merges one value into a member by the member's rule.
  static void add_value(member& to, std::string_view value, merge_budget& budget);

  // Moves the object's JSON into `out`. The object must not be used afterwards.
  void write(outgoing& out);

  // True if a merged object had this member with a value other than null.
  bool has(std::string_view key) const;
  // True if all values of this merge::text member were "".
  bool is_empty_text(std::string_view key) const;
  // Removes the member's value, so that write() writes its fallback.
  void forget(std::string_view key);

  // Returns the inner object of a merge::object member, or null if the member has had no value.
  merged_object* inside(std::string_view key);
  // Returns the entries of a merge::list member, in the order of their index.
  std::vector<merged_object*> entries(std::string_view key);

 private:
  void add(std::string_view object, merge_pass& pass);
  member* find(std::string_view key) const;
  member* find_or_add(std::string_view raw_key, merge_pass& pass);

  const merge_rules* rules_;
  std::vector<std::unique_ptr<member>> members_;
};

// The changes that one call of add() made. `strings` contains the strings that changed a member, in order and with
// their quotes. `members` contains the changed members. `is_all` is true if nothing else has changed. The next object
// may differ from the last object only in these strings. In that case it can be merged by calling add_value() for each
// string, which is faster than add().
struct merge_trace {
  std::vector<std::string_view> strings;
  std::vector<merged_object::member*> members;
  // True if the values in `strings` were the only changes, and no member occurred twice. If a member occurs twice, its
  // second value is merged with the first.
  bool is_all = true;
  // The number of the add() call that the trace belongs to; it distinguishes new values from values of earlier calls.
  std::uint64_t pass = 0;

  void begin();
};

}  // namespace photofinish::gateway
