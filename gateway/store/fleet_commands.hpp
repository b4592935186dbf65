// The names and commands by which gateways share what was used, and ask each other for receipts. All names begin with
// PREFIX:stats:, which the documented users of the store may write. [pure]
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

// Buckets that follow each other, as numbers of hours or days since 1970.
struct bucket_range {
  char width = 'd';
  std::int64_t first = 0, last = 0;

  bool operator==(const bucket_range&) const = default;
};

// A gateway's entry in the list of running gateways. A gateway of an older version has none.
struct fleet_entry {
  std::string run;   // the name of this process in PREFIX:live
  std::string name;  // the setting `instance`
  std::string book;  // the id of its book of usage
  std::chrono::sys_seconds at{};  // the last sign of life, by its own clock
  bool answers_queries = false;   // false: a gateway of an older version
  // Questions of other gateways that this one has answered, or has no receipt for. None: an older version.
  std::optional<std::vector<std::string>> heard = {};
  // The value of PREFIX:stats:usage:since for which the whole book was written. None: an older version.
  std::optional<std::chrono::sys_seconds> filled = {};
  std::vector<bucket_range> listed = {};  // buckets that the store must have of the book

  bool operator==(const fleet_entry&) const = default;
};

// A bucket of usage: its length, `h` or `d`, and the time at which it begins.
struct shared_bucket {
  char width = 'd';
  std::chrono::sys_seconds start{};

  auto operator<=>(const shared_bucket&) const = default;
};

// One gateway's part of a bucket.
struct bucket_part {
  std::string book;
  std::string name;       // of the gateway that keeps the book
  std::size_t parts = 1;  // hashes that hold its rows

  bool operator==(const bucket_part&) const = default;
};

// A question of one gateway to the others, answered at most once.
struct fleet_question {
  std::string id;        // random
  std::string receipt;   // the race's id
  std::string caller;    // the client's name; empty: the asker may see the races of all clients
  bool sees_all = false;
  std::chrono::sys_seconds at{};

  bool operator==(const fleet_question&) const = default;
};

class fleet_commands {
 public:
  static constexpr std::chrono::seconds entry_life{86'400};      // of the list of gateways
  static constexpr std::chrono::seconds silent_after{10};        // an entry without a sign of life is not running
  static constexpr std::chrono::seconds removed_after{300};      // then any gateway removes it
  static constexpr std::chrono::seconds answer_life{10};         // of a receipt that another gateway has asked for
  static constexpr std::chrono::seconds question_life{30};       // afterwards any gateway removes the question
  static constexpr std::size_t longest_answer = 256u << 10;      // bytes of a receipt's page
  static constexpr std::size_t most_questions = 100;
  static constexpr std::size_t longest_text = 256;               // bytes of a name, an id, or a caller
  static constexpr std::size_t most_parts = 64;

  explicit fleet_commands(std::string prefix) : prefix_(std::move(prefix)) {}

  // Writes an entry and keeps the list alive.
  std::vector<store_command> enter(const fleet_entry& entry) const;
  store_command leave(const std::string& run) const;
  store_command read_entries() const;
  store_command read_living() const;  // PREFIX:live, which all versions write
  // The time from which on the store has the usage of the fleet. It is set once.
  std::vector<store_command> begin_sharing(std::chrono::sys_seconds now) const;
  store_command read_begin() const;

  std::vector<store_command> list_bucket(const shared_bucket& bucket, const bucket_part& part) const;
  store_command read_bucket(const shared_bucket& bucket) const;
  // `rows` are fields and values, one after the other.
  // Whether the store has the bucket's list and rows; it also keeps them for as long as the list of a new bucket.
  // is_intact() reads the replies.
  std::vector<store_command> check_bucket(const shared_bucket& bucket, const bucket_part& part,
                                          std::chrono::sys_seconds now) const;
  // Removes a value of another type. The documented user may not use DEL.
  static store_command end_value(const std::string& key) { return {"SET", key, "", "PX", "1"}; }
  std::vector<store_command> write_rows(const shared_bucket& bucket, const bucket_part& part, std::size_t number,
                                        std::vector<std::string> rows) const;
  std::vector<store_command> read_rows(const shared_bucket& bucket, const bucket_part& part) const;
  // The rows of another number of parts end soon: a reader may be between the two.
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

// A JSON object with the member `gateway`: which gateway it is from.
std::string named_page(std::string object, const std::string& gateway);

bool is_wrong_type(const store_reply& reply);
bool is_intact(std::span<const store_reply> check, const bucket_part& part);

// Buckets in their order, as ranges.
std::vector<bucket_range> ranges_of(const std::set<shared_bucket>& buckets);
bool has_bucket(const std::vector<bucket_range>& ranges, const shared_bucket& bucket);

// The store's bytes are untrusted: what does not fit is left out.
std::chrono::sys_seconds begin_in(const store_reply& reply);
std::vector<fleet_entry> entries_in(const store_reply& reply);
std::vector<std::string> living_in(const store_reply& reply, std::chrono::sys_time<std::chrono::milliseconds> now);
std::vector<bucket_part> parts_in(const store_reply& reply);
std::vector<fleet_question> questions_in(const store_reply& reply);

}  // namespace photofinish::gateway
