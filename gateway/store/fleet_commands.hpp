// Defines the key names and commands with which gateways share their usage and ask each other for receipts. All key
// names begin with PREFIX:stats:, because the documented users of the store may write such keys. [pure]
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

// A range of consecutive usage buckets, which are numbered by hours or days since 1970.
struct bucket_range {
  char width = 'd';
  std::int64_t first = 0, last = 0;

  bool operator==(const bucket_range&) const = default;
};

// A gateway's entry in the list of running gateways. A gateway of an older version has no entry.
struct fleet_entry {
  std::string run;   // the name of this gateway process in the list PREFIX:live
  std::string name;  // the value of the setting `instance`
  std::string book;  // the id of the record in which the gateway counts usage
  std::chrono::sys_seconds at{};  // the last sign of life of the gateway, by its own clock
  bool answers_queries = false;   // false if the gateway has an older version
  // The ids of other gateways' questions that this gateway has answered, or for which it has no receipt. A gateway of
  // an older version does not report them.
  std::optional<std::vector<std::string>> heard = {};
  // The value of PREFIX:stats:usage:since when this gateway last wrote all of its usage to the store. A gateway of an
  // older version does not report this value.
  std::optional<std::chrono::sys_seconds> filled = {};
  std::vector<bucket_range> listed = {};  // the usage buckets of this gateway that the store must contain

  bool operator==(const fleet_entry&) const = default;
};

// A usage bucket is the usage of one hour (`h`) or one day (`d`), with the time at which it begins.
struct shared_bucket {
  char width = 'd';
  std::chrono::sys_seconds start{};

  auto operator<=>(const shared_bucket&) const = default;
};

// The rows of one gateway in a usage bucket.
struct bucket_part {
  std::string book;
  std::string name;       // the gateway that wrote the rows
  std::size_t parts = 1;  // the number of hashes in the store over which the rows are spread

  bool operator==(const bucket_part&) const = default;
};

// A question by which one gateway asks the other gateways for a race's receipt. At most one gateway answers.
struct fleet_question {
  std::string id;        // a random id
  std::string receipt;   // the id of the race whose receipt is wanted
  // The name of the client who asks; empty if the asking gateway may show the races of all clients.
  std::string caller;
  bool sees_all = false;
  std::chrono::sys_seconds at{};

  bool operator==(const fleet_question&) const = default;
};

class fleet_commands {
 public:
  // The time to live of the list of gateways in the store.
  static constexpr std::chrono::seconds entry_life{86'400};
  // The time after which a gateway no longer counts as running if its entry has not changed.
  static constexpr std::chrono::seconds silent_after{10};
  // The time after which any gateway removes an entry that has not changed.
  static constexpr std::chrono::seconds removed_after{300};
  static constexpr std::chrono::seconds answer_life{10};         // the time to live of an answer with a receipt
  // The time after which any gateway removes a question from the store.
  static constexpr std::chrono::seconds question_life{30};
  static constexpr std::size_t longest_answer = 256u << 10;      // the limit of the page that shows a receipt, in bytes
  static constexpr std::size_t most_questions = 100;
  static constexpr std::size_t longest_text = 256;               // the longest name, id or caller, in bytes
  static constexpr std::size_t most_parts = 64;

  explicit fleet_commands(std::string prefix) : prefix_(std::move(prefix)) {}

  // Writes a gateway's entry into the list of gateways, and extends the list's time to live.
  std::vector<store_command> enter(const fleet_entry& entry) const;
  store_command leave(const std::string& run) const;
  store_command read_entries() const;
  store_command read_living() const;  // reads the list PREFIX:live, which gateways of all versions write
  // Stores the time since when the store contains the usage of all gateways. If the store has such a time, that time
  // stays.
  std::vector<store_command> begin_sharing(std::chrono::sys_seconds now) const;
  store_command read_begin() const;

  std::vector<store_command> list_bucket(const shared_bucket& bucket, const bucket_part& part) const;
  store_command read_bucket(const shared_bucket& bucket) const;
  // For write_rows(), `rows` contains fields and values alternately. check_bucket() makes commands that check if the
  // store has the bucket's list and rows. They also extend the time to live of both to that of a new bucket.
  // is_intact() reads the replies.
  std::vector<store_command> check_bucket(const shared_bucket& bucket, const bucket_part& part,
                                          std::chrono::sys_seconds now) const;
  // Removes a key whose value has another type. Does not use DEL, because the documented user of the store may not use
  // this command.
  static store_command end_value(const std::string& key) { return {"SET", key, "", "PX", "1"}; }
  std::vector<store_command> write_rows(const shared_bucket& bucket, const bucket_part& part, std::size_t number,
                                        std::vector<std::string> rows) const;
  std::vector<store_command> read_rows(const shared_bucket& bucket, const bucket_part& part) const;
  // Gives rows that were written with another number of parts a short time to live. Does not remove these rows
  // immediately, because a gateway may be reading them now.
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

// Adds the member `gateway` to `object`, a JSON object. This member names the gateway that made the page.
std::string named_page(std::string object, const std::string& gateway);

bool is_wrong_type(const store_reply& reply);
bool is_intact(std::span<const store_reply> check, const bucket_part& part);

// Joins consecutive usage buckets into ranges. The set is sorted by the time of the buckets.
std::vector<bucket_range> ranges_of(const std::set<shared_bucket>& buckets);
bool has_bucket(const std::vector<bucket_range>& ranges, const shared_bucket& bucket);

// The following functions read replies of the store and skip any invalid value, because the store's bytes are
// untrusted.
std::chrono::sys_seconds begin_in(const store_reply& reply);
std::vector<fleet_entry> entries_in(const store_reply& reply);
std::vector<std::string> living_in(const store_reply& reply, std::chrono::sys_time<std::chrono::milliseconds> now);
std::vector<bucket_part> parts_in(const store_reply& reply);
std::vector<fleet_question> questions_in(const store_reply& reply);

}  // namespace photofinish::gateway
