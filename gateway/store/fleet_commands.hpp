// Defines the key names and commands that gateways use to share their usage, and to ask each other for receipts. All
// key names begin with PREFIX:stats:, because the documentation grants the store's users write access to such keys.
// [pure]
#pragma once

#include "gateway/store/store_reply.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// A range of consecutive usage buckets. A bucket's number is the number of hours or days since 1970.
struct bucket_range {
  char width = 'd';
  std::int64_t first = 0, last = 0;

  bool operator==(const bucket_range&) const = default;
};

// A gateway's entry in the list of running gateways. Gateways of older versions have no entry.
struct fleet_entry {
  std::string run;   // the name of this gateway process in the store's list PREFIX:live
  std::string name;  // the value of the setting `instance`
  std::string book;  // the id under which the gateway stores its usage
  std::chrono::sys_seconds at{};  // the time when the gateway last showed that it is running, by its own clock
  bool answers_queries = false;   // false if the gateway's version is too old for queries
  // The ids of questions that this gateway does not have to answer. Either it has already answered them, or it does not
  // have the receipt that they ask for. Empty if the gateway's version is too old to report these ids.
  std::optional<std::vector<std::string>> heard = {};
  // The value that PREFIX:stats:usage:since had when this gateway last wrote all of its usage to the store. Empty if
  // the gateway's version is too old to report it.
  std::optional<std::chrono::sys_seconds> filled = {};
  std::vector<bucket_range> listed = {};  // the usage buckets of this gateway that should be in the store

  bool operator==(const fleet_entry&) const = default;
};

// One hour (`h`) or one day (`d`) for which usage is counted, given by its start.
struct shared_bucket {
  char width = 'd';
  std::chrono::sys_seconds start{};

  auto operator<=>(const shared_bucket&) const = default;
};

// The part of a usage bucket that one gateway has written.
struct bucket_part {
  std::string book;
  std::string name;       // the name of the gateway that wrote these usage figures
  std::size_t parts = 1;  // the number of Redis hashes that contain the usage figures

  bool operator==(const bucket_part&) const = default;
};

// A question to all other gateways that asks for the receipt of a race. At most one of them answers.
struct fleet_question {
  std::string id;        // a random id
  std::string receipt;   // the id of the race whose receipt the asking gateway wants
  // The name of the client that asked for the receipt of the race. Empty if that client may see the races of all
  // clients.
  std::string caller;
  bool sees_all = false;
  std::chrono::sys_seconds at{};

  bool operator==(const fleet_question&) const = default;
};

class fleet_commands {
 public:
  // The time to live of the list of running gateways in the store.
  static constexpr std::chrono::seconds entry_life{86'400};
  // A gateway counts as stopped if its entry has not changed for this time.
  static constexpr std::chrono::seconds silent_after{10};
  // Any gateway removes another gateway's entry from the list of running gateways if the entry has not changed for this
  // time.
  static constexpr std::chrono::seconds removed_after{300};
  // The time to live of an answer that contains a receipt.
  static constexpr std::chrono::seconds answer_life{10};
  // The time after which a question to other gateways is out of date. Any gateway may then remove the question from the
  // store.
  static constexpr std::chrono::seconds question_life{30};
  // The maximum size in bytes of an answer that contains a receipt.
  static constexpr std::size_t longest_answer = 256u << 10;
  static constexpr std::size_t most_questions = 100;
  // The maximum length in bytes of a name, of an id, or of a caller's name.
  static constexpr std::size_t longest_text = 256;
  static constexpr std::size_t most_parts = 64;

  explicit fleet_commands(std::string prefix) : prefix_(std::move(prefix)) {}

  // Writes a gateway's entry to the list of running gateways, and extends the list's time to live.
  std::vector<store_command> enter(const fleet_entry& entry) const;
  store_command leave(const std::string& run) const;
  store_command read_entries() const;
  store_command read_living() const;  // reads the list PREFIX:live, which also contains gateways of older versions
  // Stores the start of the period for which the store contains the usage of all gateways. Does not overwrite a start
  // that the store already contains.
  std::vector<store_command> begin_sharing(std::chrono::sys_seconds now) const;
  store_command read_begin() const;

  std::vector<store_command> list_bucket(const shared_bucket& bucket, const bucket_part& part) const;
  store_command read_bucket(const shared_bucket& bucket) const;
  // The argument `rows` of write_rows() contains field names and values alternately. check_bucket() returns commands
  // that extend the time to live of all keys of a usage bucket. The replies show whether the store still has these
  // keys. is_intact() evaluates the replies.
  std::vector<store_command> check_bucket(const shared_bucket& bucket, const bucket_part& part,
                                          std::chrono::sys_seconds now) const;
  // Removes a key whose value has the wrong type. Does not use DEL, because the documentation does not grant this
  // command to the store's user.
  static store_command end_value(const std::string& key) { return {"SET", key, "", "PX", "1"}; }
  std::vector<store_command> write_rows(const shared_bucket& bucket, const bucket_part& part, std::size_t number,
                                        std::vector<std::string> rows) const;
  std::vector<store_command> read_rows(const shared_bucket& bucket, const bucket_part& part) const;
  // Shortens the time to live of old rows, which were written when the number of hashes was different. Does not remove
  // these rows immediately, because another gateway may be reading them.
  std::vector<store_command> end_rows(const shared_bucket& bucket, const bucket_part& part) const;

  store_command ask(const fleet_question& question) const;
  store_command read_questions() const;
  store_command remove_question(const std::string& id) const;
  store_command answer(const std::string& id, const std::string& page) const;
  store_command read_answer(const std::string& id) const;

 private:
  std::string rows_name(const shared_bucket& bucket, const bucket_part& part, std::size_t number) const;

  std::string prefix_;
};

// Adds the member `gateway`, with the name of a gateway, to a page. `object` is the page as a JSON object.
std::string named_page(std::string object, const std::string& gateway);

bool is_wrong_type(const store_reply& reply);
bool is_intact(std::span<const store_reply> check, const bucket_part& part);

// Joins consecutive usage buckets into ranges. The set must be sorted by time.
std::vector<bucket_range> ranges_of(const std::set<shared_bucket>& buckets);
bool has_bucket(const std::vector<bucket_range>& ranges, const shared_bucket& bucket);

// The following functions read replies of the store. They skip invalid values, because the contents of the store are
// untrusted.
std::chrono::sys_seconds begin_in(const store_reply& reply);
std::vector<fleet_entry> entries_in(const store_reply& reply);
std::vector<std::string> living_in(const store_reply& reply, std::chrono::sys_time<std::chrono::milliseconds> now);
std::vector<bucket_part> parts_in(const store_reply& reply);
std::vector<fleet_question> questions_in(const store_reply& reply);

}  // namespace photofinish::gateway
